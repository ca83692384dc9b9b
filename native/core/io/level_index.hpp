// Levels in order of first appearance, and the code of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/arithmetic/as_index.hpp"

namespace treewright {

// An open-addressing table from text to code. One probe per cell in the usual case; the hash is
// stored with the code so that growing does not read the texts again.
class LevelIndex {
public:
    std::int32_t code_of(std::string_view text) {
        const std::size_t hash = std::hash<std::string_view>{}(text);
        std::size_t slot = hash & mask_;
        while (slots_[slot].code >= 0) {
            if (slots_[slot].hash == hash && levels_[as_index(slots_[slot].code)] == text) {
                return slots_[slot].code;
            }
            slot = (slot + 1) & mask_;
        }
        const auto code = static_cast<std::int32_t>(levels_.size());
        levels_.emplace_back(text);
        slots_[slot] = {hash, code};
        if (levels_.size() * 2 > slots_.size()) grow();
        return code;
    }

    const std::deque<std::string>& levels() const { return levels_; }

private:
    struct Slot {
        std::size_t hash = 0;
        std::int32_t code = -1;
    };

    void grow() {
        std::vector<Slot> larger(slots_.size() * 4);
        mask_ = larger.size() - 1;
        for (const Slot& old : slots_) {
            if (old.code < 0) continue;
            std::size_t slot = old.hash & mask_;
            while (larger[slot].code >= 0) slot = (slot + 1) & mask_;
            larger[slot] = old;
        }
        slots_.swap(larger);
    }

    std::deque<std::string> levels_;
    std::vector<Slot> slots_ = std::vector<Slot>(64);
    std::size_t mask_ = 63;
};

}  // namespace treewright
