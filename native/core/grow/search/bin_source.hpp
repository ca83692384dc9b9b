// Thresholds of a column of bins: rows are counted by bin, and values are read only where the best
// cut may lie.
//
// Between two bins the counts of both sides are known, so the score of the cut is exact. Let `low`
// be the classes left of a bin and `high` those together with the bin. A cut inside the bin has
// some classes x in between on its left, class by class. Scores are convex in x, so none is above
// the best corner of that box: a bin whose corners cannot beat a score that was found is done. The
// rows of the others are cut into smaller bins in the same way, and few of them sorted in the end.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/grow/search/candidate.hpp"
#include "core/grow/search/groups.hpp"
#include "core/grow/search/scan.hpp"
#include "core/grow/workspace.hpp"

namespace treewright {

// Corners of a box are two to the power of the classes.
inline constexpr std::size_t most_classes_in_bins = 6;

// A row of a bin that is looked into.
struct BinnedRow {
    double value;
    std::uint32_t row;
    std::uint16_t cls;
    std::uint16_t bin;
};

// The highest score of a cut that leaves classes between `low` and `high` on its left.
class CornerBound {
public:
    CornerBound(const Context& context, std::vector<double> all)
        : table_(context.settings.measure == Measure::entropy ? context.n_log2_n.data() : nullptr),
          all_(std::move(all)) {
        for (const double n : all_) n_all_ += n;
    }

    double operator()(const double* low, const double* high) const {
        return best_of(0, low, high, 0.0, 0.0, 0.0);
    }

private:
    double best_of(std::size_t c, const double* low, const double* high, double left, double right,
                   double n) const {
        if (c == all_.size()) return score(left, right, n);
        const double below = best_of(c + 1, low, high, left + part(low[c]),
                                     right + part(all_[c] - low[c]), n + low[c]);
        if (low[c] == high[c]) return below;
        return std::max(below, best_of(c + 1, low, high, left + part(high[c]),
                                       right + part(all_[c] - high[c]), n + high[c]));
    }
    double part(double count) const { return table_ ? n_log2_n(count) : count * count; }
    double score(double left, double right, double n) const {
        const double rest = n_all_ - n;
        if (table_) return left + right - n_log2_n(n) - n_log2_n(rest);
        return (n > 0 ? left / n : 0.0) + (rest > 0 ? right / rest : 0.0);
    }
    double n_log2_n(double n) const { return table_[static_cast<std::size_t>(n)]; }

    const double* table_;
    std::vector<double> all_;
    double n_all_ = 0;
};

// What the counts of its bins say about the best cut of a column, as gains.
struct BinOutline {
    double least = -std::numeric_limits<double>::infinity();  // there is a cut of this gain
    double most = -std::numeric_limits<double>::infinity();   // and none of a higher one
    std::size_t best_group = 0;  // the last bin left of that cut
    std::vector<std::uint32_t> bins;  // that occur
    std::vector<double> most_in_bin;  // the same for the cuts inside of each
};

// Which numbers of rows may be left of a cut, apart from those that begin there.
struct CutRange {
    CutRange(const CutLimits& limits, std::int64_t n_known) : n_known(n_known) {
        const auto min_rows = static_cast<std::int64_t>(std::ceil(limits.min_rows));
        first = std::max<std::int64_t>(1, min_rows - limits.left_rows);
        last = n_known - std::max<std::int64_t>(1, min_rows - limits.right_rows);
        takes_all = limits.may_take_all && limits.right_rows >= min_rows && first <= n_known;
    }
    bool has(std::int64_t n) const {
        return (n >= first && n <= last) || (takes_all && n == n_known);
    }
    // Whether a cut may lie strictly between.
    bool reaches_into(std::int64_t begin, std::int64_t end) const {
        return std::max(begin + 1, first) <= std::min(end - 1, last);
    }

    std::int64_t n_known, first, last;
    bool takes_all;
};

// Whether scores that differ by a tolerance differ by much more than rounding: if not, what the
// scan of sorted rows takes for the best cut depends on every cut before it.
inline bool bins_can_decide(const Context& context, const NodeView& node) {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    const double n = node.score_weight;
    const double terms = 2.0 * static_cast<double>(node.stats.size()) + 2.0;
    const double size = context.settings.measure == Measure::entropy
                            ? terms * context.n_log2_n[static_cast<std::size_t>(n)]
                            : 8.0 * n;
    return node.tolerance() >= 8 * epsilon * size;
}

// The best cut by bins. It is that of the scan of sorted rows, which takes a cut only if it beats
// the best one before by more than the tolerance: the first one of the highest score, unless
// scores lie just below it. Then found() says no, and the rows must be sorted.
template <class Tally>
class BinScan {
public:
    // Scores below `floor` do not matter.
    BinScan(Tally& tally, const CornerBound& bound, const CutLimits& limits, const CutRange& range,
            std::span<const double> all, double floor)
        : tally_(tally),
          bound_(bound),
          range_(range),
          all_(all),
          rest_(all.size()),
          tolerance_(limits.tolerance),
          floor_(floor) {}

    // `left`: classes on the left of the cut after n rows that know the value.
    void offer(std::int64_t n, const std::vector<double>& left) {
        if (!range_.has(n)) return;
        for (std::size_t c = 0; c < rest_.size(); ++c) rest_[c] = all_[c] - left[c];
        tally_.start(left.data(), rest_.data(), 0.0);
        tally_.beats(-std::numeric_limits<double>::infinity());
        const double score = tally_.score();
        if (score < best_ - 4 * tolerance_) return;
        best_ = std::max(best_, score);
        high_.push_back({n, score});
    }

    bool may_hold_best(double bound) const {
        return bound >= std::max(best_, floor_) - 4 * tolerance_;
    }

    // The cuts among rows of one bin, `before` of them and `low` classes left of it.
    void look_into(std::span<BinnedRow> rows, std::int64_t before, const std::vector<double>& low,
                   int depth = 0) {
        constexpr std::size_t few = 32, rows_of_a_part = 8, most_parts = 256;
        constexpr int deepest = 3;
        const auto n = static_cast<std::int64_t>(rows.size());
        if (!range_.reaches_into(before, before + n)) return;
        const auto [least, most] = std::ranges::minmax(rows, {}, &BinnedRow::value);
        if (least.value == most.value) return;
        const std::size_t n_parts = std::min(rows.size() / rows_of_a_part, most_parts);
        const double first = least.value;
        const double scale = static_cast<double>(n_parts) / (most.value - first);
        if (rows.size() <= few || depth == deepest || !(scale > 0 && std::isfinite(scale))) {
            look_at_each(rows, before, low);
            return;
        }
        const auto part_of = [&](const BinnedRow& row) {
            return std::min(n_parts - 1, static_cast<std::size_t>((row.value - first) * scale));
        };
        const std::size_t k = low.size();
        std::vector<std::uint32_t> start(n_parts + 1, 0);
        std::vector<double> classes(n_parts * k, 0.0);
        for (const auto& row : rows) {
            const std::size_t part = part_of(row);
            ++start[part + 1];
            classes[part * k + row.cls] += 1.0;
        }
        for (std::size_t part = 0; part < n_parts; ++part) start[part + 1] += start[part];
        look_between(start, classes, before, low);
        std::vector<BinnedRow> apart;
        std::vector<double> left = low, right = low;
        for (std::size_t part = 0; part < n_parts; ++part) {
            for (std::size_t c = 0; c < k; ++c) right[c] = left[c] + classes[part * k + c];
            const std::size_t begin = start[part], size = start[part + 1] - begin;
            if (size > 1 && may_hold_best(bound_(left.data(), right.data()))) {
                if (apart.empty()) apart = set_apart(rows, start, part_of);
                look_into(std::span(apart).subspan(begin, size),
                          before + static_cast<std::int64_t>(begin), left, depth + 1);
            }
            left = right;
        }
    }

    // False if sorted rows must tell.
    bool found(BestCut& best) const {
        for (const auto& place : high_) {
            const double below = best_ - place.score;
            if (below <= 3 * tolerance_ && below > tolerance_ / 2) return false;
        }
        std::int64_t n = std::numeric_limits<std::int64_t>::max();
        for (const auto& place : high_) {
            if (best_ - place.score > tolerance_ / 2 || place.n >= n) continue;
            n = place.n;
            best.score = place.score;
            best.position = n - 1;
        }
        return true;
    }

private:
    struct Place {
        std::int64_t n;
        double score;
    };

    void look_between(const std::vector<std::uint32_t>& start, const std::vector<double>& classes,
                      std::int64_t before, const std::vector<double>& low) {
        const std::size_t k = low.size(), n_parts = start.size() - 1;
        std::vector<double> left = low;
        for (std::size_t part = 0; part + 1 < n_parts; ++part) {
            if (start[part + 1] == start[part]) continue;
            for (std::size_t c = 0; c < k; ++c) left[c] += classes[part * k + c];
            if (start[part + 1] < start.back()) offer(before + start[part + 1], left);
        }
    }

    template <class PartOf>
    static std::vector<BinnedRow> set_apart(std::span<const BinnedRow> rows,
                                            std::vector<std::uint32_t> next,
                                            const PartOf& part_of) {
        std::vector<BinnedRow> apart(rows.size());
        for (const auto& row : rows) apart[next[part_of(row)]++] = row;
        return apart;
    }

    void look_at_each(std::span<BinnedRow> rows, std::int64_t before,
                      const std::vector<double>& low) {
        std::ranges::sort(rows, {}, &BinnedRow::value);
        std::vector<double> left = low;
        for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
            left[rows[i].cls] += 1.0;
            if (rows[i].value == rows[i + 1].value) continue;
            offer(before + static_cast<std::int64_t>(i) + 1, left);
        }
    }

    Tally& tally_;
    const CornerBound& bound_;
    const CutRange& range_;
    std::span<const double> all_;
    std::vector<double> rest_;
    const double tolerance_, floor_;
    double best_ = -std::numeric_limits<double>::infinity();
    std::vector<Place> high_;
};

// The rows of the bins of one column of one node that are looked into. Shares of the node's rows
// are read side by side.
struct RowsInBins {
    std::array<std::uint8_t, 256> is_wanted{};
    std::vector<std::vector<BinnedRow>> of_share;
};

template <class Index>
BinnedRow binned_row(const Workspace<Index>& workspace, const WorkColumn<Index>& column, Index row,
                     std::uint16_t bin) {
    const double value = std::max(column.binned->number(workspace.origin[row]),
                                  std::numeric_limits<double>::lowest());
    return {value, row, workspace.targets.classes[row], bin};
}

// Columns of one block of words (see class_tables.hpp) whose bins are looked into.
struct ReadBlock {
    std::size_t block = 0;
    std::size_t n = 0;
    std::array<std::uint32_t, 8> place{};
    std::array<int, 8> shift{};
    std::array<RowsInBins*, 8> rows{};
};

// Asks for the values of some rows before any is read, so that none has to be waited for.
template <class Number, class Index>
void read_values(const Workspace<Index>& workspace, const ColumnView& view, const Index* rows,
                 const std::uint8_t* bins, std::span<BinnedRow> out) {
    const auto* const origin = workspace.origin.data();
    const auto* const classes = workspace.targets.classes.data();
    for (std::size_t i = 0; i < out.size(); ++i) __builtin_prefetch(view.at(origin[rows[i]]));
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double value = *reinterpret_cast<const Number*>(view.at(origin[rows[i]]));
        out[i] = {std::max(value, std::numeric_limits<double>::lowest()), rows[i],
                  classes[rows[i]], bins[i]};
    }
}

// One pass over the rows for all columns of a block: nodes far down have few rows in each line of
// the cache. Rows are chosen first, a few hundred at a time and without a branch to guess, and
// their values read afterwards: a tree of eight levels on 1,000,000 x 28 takes a third less time.
template <class Index>
void read_bins(const Workspace<Index>& workspace, const ReadBlock& columns,
               std::span<const Index> rows, std::size_t share) {
    constexpr std::size_t at_once = 512;
    const auto* const words = workspace.blocks.words[columns.block].data();
    std::array<std::uint64_t, at_once> word;
    std::array<Index, at_once> chosen;
    std::array<std::uint8_t, at_once> bin;
    for (std::size_t begin = 0; begin < rows.size(); begin += at_once) {
        const auto some = rows.subspan(begin, std::min(at_once, rows.size() - begin));
        for (std::size_t i = 0; i < some.size(); ++i) word[i] = words[some[i]];
        for (std::size_t j = 0; j < columns.n; ++j) {
            const auto* const is_wanted = columns.rows[j]->is_wanted.data();
            const int shift = columns.shift[j];
            std::size_t n = 0;
            for (std::size_t i = 0; i < some.size(); ++i) {
                const auto code = static_cast<std::uint8_t>(word[i] >> shift);
                chosen[n] = some[i];
                bin[n] = code;
                n += is_wanted[code];
            }
            const auto& column = workspace.columns[columns.place[j]];
            auto& out = columns.rows[j]->of_share[share];
            const std::size_t first = out.size();
            out.resize(first + n);
            const auto to = std::span(out).subspan(first);
            if (column.binned->type == ValueType::float32) {
                read_values<float>(workspace, *column.binned, chosen.data(), bin.data(), to);
            } else {
                read_values<double>(workspace, *column.binned, chosen.data(), bin.data(), to);
            }
        }
    }
}

// A cut source (see cut_source.hpp) whose places are rows in an order that is known by bin alone.
template <class Index>
class BinSource {
public:
    // `groups` are the bins that occur.
    BinSource(const Workspace<Index>& workspace, const WorkColumn<Index>& column,
              const NodeView& node, const Groups& groups, RowsInBins& known)
        : workspace_(workspace), column_(column), node_(node), groups_(groups) {
        start_.push_back(0);
        for (const auto n : groups.rows) start_.push_back(start_.back() + n);
        std::array<std::size_t, 256> at{};
        std::array<std::size_t, 256> group_of{};
        rows_.resize(groups.size());
        for (std::size_t g = 0; g < groups.size(); ++g) {
            group_of[groups.codes[g]] = g;
            if (known.is_wanted[groups.codes[g]]) {
                rows_[g].resize(static_cast<std::size_t>(groups.rows[g]));
            }
        }
        for (const auto& share : known.of_share) {
            for (const auto& row : share) rows_[group_of[row.bin]][at[row.bin]++] = row;
        }
    }

    std::size_t size() const { return static_cast<std::size_t>(start_.back()); }
    std::uint32_t code(std::size_t i) const { return column_.codes[row(i)]; }
    double weight(std::size_t) const { return 1.0; }

    // A row of the i-th lowest value.
    std::size_t row(std::size_t i) const {
        const auto above = std::ranges::upper_bound(start_, static_cast<std::int64_t>(i));
        const auto g = static_cast<std::size_t>(above - start_.begin()) - 1;
        auto& rows = rows_of(g);
        const auto at = rows.begin() + (static_cast<std::int64_t>(i) - start_[g]);
        std::ranges::nth_element(rows, at, {}, &BinnedRow::value);
        return at->row;
    }

    void add_stats(double* stats) const {
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            for (std::size_t s = 0; s < groups_.n_stats; ++s) stats[s] += groups_.of(g)[s];
        }
    }

    bool all_equal() const {
        const auto& rows = rows_of(0);
        const auto [least, most] = std::ranges::minmax(rows, {}, &BinnedRow::value);
        return groups_.size() == 1 && least.value == most.value;
    }

    // False if sorted rows must tell.
    template <class Tally>
    bool scan(Tally& tally, const Context& context, const std::vector<double>& left,
              const std::vector<double>& right, const CutLimits& limits, double floor,
              BestCut& best) const {
        std::vector<double> all = left;
        for (std::size_t c = 0; c < all.size(); ++c) all[c] += right[c];
        const CornerBound bound(context, all);
        const CutRange range(limits, start_.back());
        BinScan<Tally> bins(tally, bound, limits, range, all, floor);
        std::vector<double> low = left, high = left;
        std::vector<std::pair<double, std::size_t>> order;
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            for (std::size_t c = 0; c < low.size(); ++c) high[c] = low[c] + groups_.of(g)[c];
            bins.offer(start_[g + 1], high);
            if (range.reaches_into(start_[g], start_[g + 1])) {
                order.push_back({bound(low.data(), high.data()), g});
            }
            low = high;
        }
        // The most promising bins first, so that few are left to look into.
        std::ranges::sort(order, [](const auto& a, const auto& b) {
            return a.first != b.first ? a.first > b.first : a.second < b.second;
        });
        for (const auto& [of_bin, g] : order) {
            if (!bins.may_hold_best(of_bin)) break;
            low = left;
            for (std::size_t before = 0; before < g; ++before) {
                for (std::size_t c = 0; c < low.size(); ++c) low[c] += groups_.of(before)[c];
            }
            bins.look_into(rows_of(g), start_[g], low);
        }
        return bins.found(best);
    }

    // Raises the best score of a cut between two bins, and the highest that a cut inside of each
    // bin might have.
    void outline(const Context& context, const std::vector<double>& left,
                 const std::vector<double>& right, const CutLimits& limits,
                 BinOutline& out) const {
        std::vector<double> all = left;
        for (std::size_t c = 0; c < all.size(); ++c) all[c] += right[c];
        const CornerBound bound(context, all);
        const CutRange range(limits, start_.back());
        std::vector<double> low = left, high = left;
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            for (std::size_t c = 0; c < low.size(); ++c) high[c] = low[c] + groups_.of(g)[c];
            if (range.has(start_[g + 1])) {
                const double score = bound(high.data(), high.data());
                if (score > out.least) out.best_group = g;
                out.least = std::max(out.least, score);
            }
            if (range.reaches_into(start_[g], start_[g + 1])) {
                out.most_in_bin[g] = std::max(out.most_in_bin[g], bound(low.data(), high.data()));
            }
            low = high;
        }
    }

private:
    std::vector<BinnedRow>& rows_of(std::size_t g) const {
        if (rows_[g].empty()) {
            for (std::size_t i = node_.begin; i < node_.end; ++i) {
                const auto row = workspace_.rows[i];
                const auto bin = column_.codes[row];
                if (bin != groups_.codes[g]) continue;
                rows_[g].push_back(binned_row(workspace_, column_, row, bin));
            }
        }
        return rows_[g];
    }

    const Workspace<Index>& workspace_;
    const WorkColumn<Index>& column_;
    const NodeView& node_;
    const Groups& groups_;
    std::vector<std::int64_t> start_;
    mutable std::vector<std::vector<BinnedRow>> rows_;  // by group; empty: not read yet
};

}  // namespace treewright
