// Trees that were found, by the rows that they are for: different paths lead to the same rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/optimal/found.hpp"

namespace treewright::optimal {

class SolvedRows {
public:
    struct Key {
        std::vector<std::uint64_t> rows;  // a bit for each row of the table
        int depth = 0;
        bool operator==(const Key&) const = default;
    };
    struct Entry {
        Key key;
        Found found;
        Weight cutoff = 0;  // no tree was looked for that costs this or more
        bool is_exact() const { return found.cost < cutoff; }
    };

    // With more than that it forgets everything.
    explicit SolvedRows(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    const Entry* find(const Key& key) const {
        const auto [first, end] = by_hash_.equal_range(hash(key));
        for (auto at = first; at != end; ++at) {
            if (entries_[at->second].key == key) return &entries_[at->second];
        }
        return nullptr;
    }
    void put(Entry entry) {
        if (const Entry* known = find(entry.key)) {
            entries_[static_cast<std::size_t>(known - entries_.data())] = std::move(entry);
            return;
        }
        if (n_bytes_ > most_bytes_) clear();
        n_bytes_ += bytes_of(entry);
        by_hash_.emplace(hash(entry.key), entries_.size());
        entries_.push_back(std::move(entry));
    }
    // Moves all entries of another, in the order in which they came.
    void take_all(SolvedRows& other) {
        for (Entry& entry : other.entries_) put(std::move(entry));
        other.clear();
    }

private:
    static std::size_t bytes_of(const Entry& entry) {
        return sizeof(Entry) + sizeof(std::uint64_t) * entry.key.rows.size() +
               sizeof(PlannedNode) * entry.found.plan.size() + 64;  // and the index
    }
    static std::size_t hash(const Key& key) {
        auto mixed = static_cast<std::uint64_t>(key.depth);
        for (const std::uint64_t word : key.rows) {
            mixed = (mixed ^ word) * 0x9e3779b97f4a7c15;
            mixed ^= mixed >> 32;
        }
        return static_cast<std::size_t>(mixed);
    }
    void clear() {
        entries_.clear();
        by_hash_.clear();
        n_bytes_ = 0;
    }

    std::vector<Entry> entries_;
    std::unordered_multimap<std::size_t, std::size_t> by_hash_;
    std::size_t n_bytes_ = 0, most_bytes_;
};

}  // namespace treewright::optimal
