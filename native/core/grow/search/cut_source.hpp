// What a threshold is looked for in: the known rows of a node in the order of a column, one by one
// or as groups of equal values.
//
// Both sources have
//   size()                   places: rows or groups
//   code(i), row(i)          the code or rank at a place, and a row to look the value up in
//   weight(i)                raw weight
//   add_stats(stats)         adds the statistics of all places
//   scan(tally, limits, best)  offers the cut after each place
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/grow/columns.hpp"
#include "core/grow/search/criterion.hpp"
#include "core/grow/search/groups.hpp"
#include "core/grow/search/scan.hpp"

namespace treewright {

template <class Index>
class RowSource {
public:
    RowSource(std::span<const Element<Index>> known, const Targets& targets)
        : known_(known), targets_(targets) {}

    std::span<const Element<Index>> rows() const { return known_; }
    std::size_t size() const { return known_.size(); }
    std::uint32_t code(std::size_t i) const { return known_[i].rank; }
    std::size_t row(std::size_t i) const { return known_[i].row; }
    double weight(std::size_t i) const { return targets_.weight_of(known_[i].row); }

    void add_stats(double* stats) const {
        for (const auto& element : known_) targets_.add_row(element.row, stats);
    }
    template <class Tally>
    void scan(Tally& tally, const CutLimits& limits, BestCut& best) const {
        scan_rows(known_, tally, limits, best);
    }

private:
    std::span<const Element<Index>> known_;
    const Targets& targets_;
};

class GroupSource {
public:
    explicit GroupSource(const Groups& groups) : groups_(groups) {}

    std::size_t size() const { return groups_.size(); }
    std::uint32_t code(std::size_t i) const { return groups_.codes[i]; }
    std::size_t row(std::size_t i) const { return groups_.a_row[i]; }
    double weight(std::size_t i) const { return groups_.weight[i]; }

    void add_stats(double* stats) const {
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            for (std::size_t s = 0; s < groups_.n_stats; ++s) stats[s] += groups_.of(g)[s];
        }
    }
    template <class Tally>
    void scan(Tally& tally, const CutLimits& limits, BestCut& best) const {
        scan_groups(groups_, tally, limits, best);
    }

private:
    const Groups& groups_;
};

}  // namespace treewright
