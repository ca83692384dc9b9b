// The best split of a node of a forest's tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/arithmetic/random.hpp"
#include "core/histogram/forest/forest_counts.hpp"

namespace treewright::histogram {

struct ForestSplit {
    double gain = 0;  // in the units of the target
    int column = -1;
    bool missing_left = false;
    std::uint32_t last_left = 0;        // numbers: the last bin that goes left
    std::vector<std::uint32_t> levels;  // met here, ascending: bin << 1 | goes left

    bool found() const { return column >= 0; }
};

struct ForestSplitLimits {
    std::uint32_t min_rows = 1;  // of each side
    bool random_cuts = false;
    std::uint32_t min_level_rows = 0;  // of columns with more than 255 levels; fewer: as if missing
};

template <class Target>
class ForestSplitSearch {
public:
    using Word = typename Target::Word;

    ForestSplitSearch(const BinnedTable& table, const Target& target,
                      const ForestSplitLimits& limits)
        : table_(table),
          target_(target),
          limits_(limits),
          counts_(table, target),
          node_(target.width()),
          left_(target.width()) {}

    // Sums the rows of a node; returns its impurity times weight.
    double open(std::span<const ForestRow> rows) {
        rows_ = rows;
        std::ranges::fill(node_, Word{});
        for (const ForestRow row : rows) target_.add(node_.data(), target_.addend(row));
        target_.open(node_.data(), rows);
        tolerance_ = 1e-12 * target_.spread();
        return target_.spread();
    }
    double weight() const { return target_.weight(node_.data()); }
    double tolerance() const { return tolerance_; }

    // The least weight of each side, in units of the target.
    void set_least_weight(double weight) { least_weight_ = weight * (1 - 1e-9); }

    std::size_t columns_at_once() const { return counts_.columns_at_once(); }

    // Looks for a gain above `bar` or that of `best`; returns how many columns have two values.
    int search(std::span<const std::uint32_t> columns, double bar, Random& random,
               ForestSplit& best) {
        bar_ = best.found() ? best.gain + tolerance_ : bar;
        int n_useful = 0;
        const auto look_at = [&](std::uint32_t column, Bins bins) {
            if (table_.columns[column].is_wide()) set_rare_levels_apart(bins);
            if (bins.size() < 2) return;
            ++n_useful;
            choose(column, bins, random, best);
        };
        narrow_.clear();
        for (const std::uint32_t column : columns) {
            if (!table_.columns[column].is_wide()) narrow_.push_back(column);
        }
        if (!narrow_.empty()) {
            counts_.count(target_, rows_, narrow_,
                          [&](std::size_t i, Bins& bins) { look_at(narrow_[i], bins); });
        }
        if (narrow_.size() == columns.size()) return n_useful;
        for (const std::uint32_t column : columns) {
            if (!table_.columns[column].is_wide()) continue;
            counts_.count_wide(target_, rows_, column, [&](Bins& bins) { look_at(column, bins); });
        }
        return n_useful;
    }

private:
    using Bins = FilledBins<Word>;
    using Entry = typename Bins::Entry;

    void choose(std::uint32_t column, Bins& bins, Random& random, ForestSplit& best) {
        const bool nominal = table_.columns[column].nominal;
        if (limits_.random_cuts && bins.n_known() > 1) {
            choose_at_random(column, bins, nominal, random, best);
        } else if (!nominal || bins.n_known() < 2) {
            scan(column, bins, nominal, best);
        } else if (target_.n_keys() > 1 && bins.n_known() <= most_levels_tried) {
            try_all_sets(column, bins, best);
        } else {
            for (std::size_t key = 0; key < target_.n_keys(); ++key) {
                sort_levels(bins, key);
                scan(column, bins, true, best);
            }
        }
    }

    // Levels of too few rows are counted with the missing values, and sent with them. Otherwise
    // columns of names and ticket numbers, which know every row by itself, would take most splits.
    void set_rare_levels_apart(Bins& bins) {
        rare_.assign(target_.width(), Word{});
        kept_.clear();
        for (const Entry& entry : bins.entries.first(bins.n_known())) {
            if (target_.n_rows(entry.tally) >= limits_.min_level_rows) {
                kept_.push_back(entry);
            } else {
                add_to(rare_, entry);
            }
        }
        if (kept_.size() == bins.n_known()) return;
        if (bins.has_missing) add_to(rare_, bins.entries.back());
        kept_.push_back({UINT32_MAX, rare_.data()});
        bins = {kept_, true};
    }

    // Several classes: so many levels are tried in all ways, more in the orders of the target.
    static constexpr std::size_t most_levels_tried = 8;

    void choose_at_random(std::uint32_t column, Bins& bins, bool nominal, Random& random,
                          ForestSplit& best) {
        std::uint32_t last_left = 0;
        const std::size_t n_left =
            nominal ? draw_levels(bins, random) : draw_cut(bins, random, last_left);
        clear_left();
        for (std::size_t i = 0; i < n_left; ++i) take(bins.entries[i]);
        consider(n_left - 1, false);
        if (bins.has_missing) {
            take(bins.entries.back());
            consider(n_left - 1, true);
        }
        if (settle(column, bins, nominal, best)) best.last_left = last_left;
    }

    // Any bin from the first that is filled to the last but one; returns how many go left.
    std::size_t draw_cut(const Bins& bins, Random& random, std::uint32_t& last_left) const {
        const std::uint32_t first = bins.entries[0].bin;
        const std::uint32_t end = bins.entries[bins.n_known() - 1].bin;
        last_left = first + random.below(end - first);
        std::size_t n_left = 1;
        while (bins.entries[n_left].bin <= last_left) ++n_left;
        return n_left;
    }

    // Puts about half of the levels in front, neither none nor all; returns how many.
    std::uint32_t draw_levels(Bins& bins, Random& random) {
        auto& entries = bins.entries;
        const auto n = static_cast<std::uint32_t>(bins.n_known());
        std::uint32_t n_left = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            if (random.below(2) == 0) std::swap(entries[n_left++], entries[i]);
        }
        if (n_left == 0 || n_left == n) {
            std::swap(entries[0], entries[random.below(n)]);
            return n_left == 0 ? 1 : random.below(n - 1) + 1;
        }
        return n_left;
    }

    void sort_levels(Bins& bins, std::size_t key) {
        keys_.clear();
        for (std::size_t i = 0; i < bins.n_known(); ++i) {
            keys_.push_back({target_.key(bins.entries[i].tally, key), bins.entries[i]});
        }
        std::ranges::sort(keys_, [](const Keyed& a, const Keyed& b) {
            return a.key != b.key ? a.key < b.key : a.entry.bin < b.entry.bin;
        });
        for (std::size_t i = 0; i < keys_.size(); ++i) bins.entries[i] = keys_[i].entry;
    }

    // All cuts of the bins in their order. Missing values are tried on both sides.
    void scan(std::uint32_t column, const Bins& bins, bool nominal, ForestSplit& best) {
        const std::size_t n_known = bins.n_known();
        clear_left();
        for (std::size_t i = 0; i + !bins.has_missing < n_known; ++i) {
            take(bins.entries[i]);
            consider(i, false);
        }
        if (bins.has_missing) {
            clear_left();
            take(bins.entries.back());
            for (std::size_t i = 0; i + 1 < n_known; ++i) {
                take(bins.entries[i]);
                consider(i, true);
            }
        }
        settle(column, bins, nominal, best);
    }

    // All ways to divide the levels, each a step of one level from the one before (Gray's code).
    void try_all_sets(std::uint32_t column, Bins& bins, ForestSplit& best) {
        const std::size_t n = bins.n_known();
        for (int missing_left = 0; missing_left <= bins.has_missing; ++missing_left) {
            clear_left();
            std::size_t set = 0;
            if (missing_left != 0) {
                take(bins.entries.back());
                consider(set, true);
            }
            for (std::uint32_t step = 1; step < std::uint32_t{1} << (n - 1); ++step) {
                const auto level = static_cast<std::size_t>(std::countr_zero(step));
                set ^= std::size_t{1} << level;
                if (set >> level & 1) {
                    take(bins.entries[level]);
                } else {
                    give_back(bins.entries[level]);
                }
                consider(set, missing_left != 0);
            }
        }
        const std::size_t chosen = cut_.place;
        cut_.place = n;  // all levels go left, for now
        if (!settle(column, bins, true, best)) return;
        best.levels.clear();
        for (std::size_t i = 0; i < n; ++i) {
            best.levels.push_back(bins.entries[i].bin << 1 | (chosen >> i & 1));
        }
    }

    // Notes what goes left now, if it is the best so far.
    void consider(std::size_t place, bool missing_left) {
        const std::uint32_t n_left = target_.n_rows(left_.data());
        if (n_left < limits_.min_rows || rows_.size() - n_left < limits_.min_rows) return;
        const std::optional<double> gain = target_.gain_above(bar_, left_.data());
        if (!gain) return;
        const double left = target_.weight(left_.data()), right = weight() - left;
        if (left < least_weight_ || right < least_weight_) return;
        bar_ = *gain + tolerance_;
        cut_ = {true, missing_left, left >= right, place, *gain};
    }

    // The cut that was noted becomes the best. Where no value is missing, the larger side would
    // take it.
    bool settle(std::uint32_t column, const Bins& bins, bool nominal, ForestSplit& best) {
        if (!cut_.found) return false;
        best.gain = cut_.gain;
        best.column = static_cast<int>(column);
        best.missing_left = bins.has_missing ? cut_.missing_left : cut_.left_is_larger;
        best.last_left = nominal ? 0 : last_bin_left(column, bins);
        best.levels.clear();
        for (std::size_t i = 0; nominal && i < bins.n_known(); ++i) {
            best.levels.push_back(bins.entries[i].bin << 1 | (i <= cut_.place));
        }
        std::ranges::sort(best.levels);
        cut_.found = false;
        return true;
    }

    // In the middle of the empty bins between the sides, now above and now below it where it falls
    // on a bin, so that values that were not drawn have no bias. Where only missing values go
    // right, all bins go left.
    std::uint32_t last_bin_left(std::uint32_t column, const Bins& bins) const {
        if (cut_.place + 1 >= bins.n_known()) {
            return static_cast<std::uint32_t>(table_.columns[column].n_bins - 1);
        }
        const std::uint32_t left = bins.entries[cut_.place].bin;
        const std::uint32_t right = bins.entries[cut_.place + 1].bin;
        return (left + right - 1 + left % 2) / 2;
    }

    void clear_left() {
        for (std::size_t w = 0; w < target_.width(); ++w) left_[w] = Word{};
    }
    void add_to(std::vector<Word>& sums, const Entry& entry) const {
        for (std::size_t w = 0; w < target_.width(); ++w) sums[w] += entry.tally[w];
    }
    void take(const Entry& entry) { add_to(left_, entry); }
    void give_back(const Entry& entry) {
        for (std::size_t w = 0; w < target_.width(); ++w) left_[w] = left_[w] - entry.tally[w];
    }

    struct Cut {
        bool found = false, missing_left = false, left_is_larger = false;
        std::size_t place = 0;  // the last entry that goes left; of sets: their bits
        double gain = 0;
    };
    struct Keyed {
        double key;
        Entry entry;
    };

    const BinnedTable& table_;
    Target target_;
    ForestSplitLimits limits_;
    ForestCounts<Target> counts_;
    std::vector<Word> node_, left_, rare_;
    std::vector<Entry> kept_;
    std::vector<Keyed> keys_;
    std::vector<std::uint32_t> narrow_;
    std::span<const ForestRow> rows_;
    Cut cut_;
    double tolerance_ = 0, bar_ = 0, least_weight_ = 0;
};

}  // namespace treewright::histogram
