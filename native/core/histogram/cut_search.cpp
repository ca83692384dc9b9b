#include "core/histogram/cut_search.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "core/arithmetic/as_index.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/short_cuts.hpp"

namespace treewright::histogram {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Sorting all values of a column is as fast as the search for about so many rows.
constexpr std::size_t few_rows = 50'000;

// Eight sampled rows stand for a range. Half as many borders collect twice as many values, twice as
// many no longer fit the first cache with the counts.
constexpr std::size_t rows_of_range = 8;
constexpr std::size_t sample_size = rows_of_range * (RangeGuide::most_ranges / 2 - 2);

// A task: so many rows of so many columns, which are neighbors in memory if the table is a matrix.
constexpr std::size_t columns_of_task = 16;
constexpr std::size_t rows_of_task = 32 * 1024;

// The tables of so many columns are in memory at a time.
constexpr std::size_t columns_at_once = 64;

// Rows in even steps, each at a place in its step that looks random but is always the same.
std::size_t sampled_row(std::size_t i, std::size_t n_rows) {
    const std::size_t first = i * n_rows / sample_size, end = (i + 1) * n_rows / sample_size;
    const std::uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15ULL;
    return first + (mixed >> 32) % (end - first);
}

std::vector<double> sampled_values(const ColumnView& column, std::size_t n_rows) {
    std::vector<double> values;
    values.reserve(sample_size);
    for (std::size_t i = 0; i < sample_size; ++i) {
        const double value = column.number(sampled_row(i, n_rows));
        const bool is_known = column.kind == ColumnKind::numeric ? value == value : value >= 0;
        if (is_known) values.push_back(value);
    }
    return values;
}

// One column on the way to its cuts.
struct Search {
    std::vector<double> borders;
    std::unique_ptr<const RangeGuide> guide;
    std::vector<WeightSum> sums;
    std::vector<Piece> pieces;
    std::unique_ptr<const WantedGuide> wanted_guide;
    Narrowed found;
    Collection collected;
    std::mutex joining;  // of sums and collections of different rows
};

// Calls work(c, first, end, result) for the columns and all blocks of rows, and join(c, result) now
// and then. A few rows of neighboring columns at a time: they share cache lines.
template <class Result, class Work, class Join>
void over_rows(std::span<const std::size_t> columns, std::size_t n_rows, int n_threads,
               const std::function<void()>& check, const Work& work, const Join& join) {
    const std::size_t n_groups = (columns.size() + columns_of_task - 1) / columns_of_task;
    const std::size_t n_blocks = (n_rows + rows_of_task - 1) / rows_of_task;
    run_tasks(
        n_groups * n_blocks, n_threads,
        [&](std::size_t task, int) {
            check();
            const std::size_t start = task % n_groups * columns_of_task;
            const std::size_t first = task / n_groups * rows_of_task;
            const std::size_t end = std::min(n_rows, first + rows_of_task);
            const auto group =
                columns.subspan(start, std::min(columns_of_task, columns.size() - start));
            std::vector<Result> results(group.size());
            for (std::size_t row = first; row < end; row += RangeGuide::rows_at_once) {
                const std::size_t stop = std::min(end, row + RangeGuide::rows_at_once);
                for (std::size_t c = 0; c < group.size(); ++c) {
                    work(group[c], row, stop, results[c]);
                }
            }
            for (std::size_t c = 0; c < group.size(); ++c) join(group[c], results[c]);
        },
        check);
}

}  // namespace

std::vector<double> borders_of(std::vector<double> sample) {
    const std::vector<WeightedValue> values = weighted_values(std::move(sample), {});
    const bool one_each = 2 * values.size() < RangeGuide::most_ranges - 1;
    std::vector<double> borders;
    std::size_t n_below = 0;
    for (const WeightedValue& value : values) {
        const bool is_frequent = one_each || value.weight >= rows_of_range;
        const double below = std::nextafter(value.value, -infinity);
        if (is_frequent && (borders.empty() || borders.back() < below) && below > -infinity) {
            borders.push_back(below);
        }
        n_below += static_cast<std::size_t>(value.weight);
        if (is_frequent || n_below >= rows_of_range) {
            borders.push_back(value.value);
            n_below = 0;
        }
    }
    return borders;
}

RangeGuide::RangeGuide(std::span<const double> borders, ValueType type) {
    if (type == ValueType::float32) {
        of_floats_ = std::make_unique<const BinGuide<float, Range>>(borders);
    } else {
        of_doubles_ = std::make_unique<const BinGuide<double, Range>>(borders);
    }
}

template <class Use>
void RangeGuide::find(const ColumnView& column, std::size_t first, std::size_t end,
                      const Use& use) const {
    std::array<Range, rows_at_once> ranges;
    const auto by = [&]<class T>(const BinGuide<T, Range>& guide) {
        std::array<T, rows_at_once> room;
        for (std::size_t row = first; row < end; row += rows_at_once) {
            const auto values =
                numbers_of<T>(column, row, std::min(end, row + rows_at_once), room);
            guide(values, ranges.data());
            use(row, values, ranges.data());
        }
    };
    if (of_floats_) return by(*of_floats_);
    by(*of_doubles_);
}

void RangeCounts::count(const ColumnView& column, std::size_t first, std::size_t end,
                        const RowWeights& weights, const RangeGuide& guide) {
    if (weights.are_counts()) {
        rows_.resize(RangeGuide::most_ranges);
        guide.find(column, first, end, [&](std::size_t, auto values, const auto* range) {
            for (std::size_t i = 0; i < values.size(); ++i) ++rows_[range[i]];
        });
    } else {
        weights_.resize(RangeGuide::most_ranges);
        guide.find(column, first, end, [&](std::size_t row, auto values, const auto* range) {
            for (std::size_t i = 0; i < values.size(); ++i) weights_[range[i]] += weights[row + i];
        });
    }
}

void RangeCounts::add_to(std::span<WeightSum> sums) const {
    for (std::size_t range = 0; range < rows_.size(); ++range) sums[range] += rows_[range];
    for (std::size_t range = 0; range < weights_.size(); ++range) sums[range] += weights_[range];
}

std::vector<Piece> pieces_of(std::span<const double> borders, std::span<const WeightSum> sums) {
    std::vector<Piece> pieces;
    for (std::size_t range = 0; range <= borders.size(); ++range) {
        if (sums[range] == 0) continue;
        Piece piece{sums[range], 0.0, static_cast<std::int32_t>(range)};
        if (range < borders.size()) {
            const double below = range == 0 ? -infinity : borders[range - 1];
            const bool is_one_value =
                range == 0 ? borders[range] == -infinity
                           : below == std::nextafter(borders[range], -infinity);
            if (is_one_value) piece = {sums[range], borders[range], -1};
        }
        pieces.push_back(piece);
    }
    return pieces;
}

Narrowed narrow(std::span<const Piece> pieces, int n_bins, WeightSum margin, WeightSum row) {
    Narrowed found;
    if (pieces.size() <= as_index(n_bins)) {  // perhaps every value has a bin of its own
        for (const Piece& piece : pieces) {
            if (piece.range >= 0) found.wanted.push_back(piece.range);
        }
        if (!found.wanted.empty()) return found;
        for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
            found.cuts.push_back(number_between(pieces[i].value, pieces[i + 1].value));
        }
        return found;
    }
    // The walk of `cuts_between`. In ranges it assumes that every row has a value of its own, so
    // from there on it only says where cuts are expected.
    std::vector<WeightSum> unsure;  // cuts of which a neighbor is not known, as weight below
    WeightSum rest = 0, in_bin = 0, below = 0;
    for (const Piece& piece : pieces) rest += piece.weight;
    int bins_left = n_bins;
    bool is_exact = true;
    double share = static_cast<double>(rest) / bins_left;
    const auto end_bin = [&] {
        rest -= in_bin;
        in_bin = 0;
        --bins_left;
        share = static_cast<double>(rest) / bins_left;
    };
    for (std::size_t i = 0; i < pieces.size() && bins_left > 1; ++i) {
        WeightSum left = pieces[i].weight;
        while (pieces[i].range >= 0 && bins_left > 1) {
            const WeightSum full = std::max(static_cast<WeightSum>(share + 0.5), in_bin + 1);
            if (static_cast<double>(in_bin + left) < share) break;  // no value in it ends the bin
            is_exact = false;
            unsure.push_back(below + std::min(left, full - in_bin));
            if (in_bin + left <= full) break;
            left -= full - in_bin;
            below += full - in_bin;
            in_bin = full;
            end_bin();
        }
        if (i + 1 == pieces.size() || bins_left == 1) break;
        in_bin += left;
        below += left;
        const Piece& next = pieces[i + 1];
        if (in_bin + next.weight < static_cast<WeightSum>(share)) continue;  // usual, and quick
        bool ends = ends_bin(in_bin, in_bin + next.weight, share);
        if (next.range >= 0 && ends != ends_bin(in_bin, in_bin + 1, share)) {
            is_exact = false;
            unsure.push_back(below);
            ends = ends_bin(in_bin, in_bin + row, share);
        }
        if (!ends) continue;
        if (is_exact && pieces[i].range < 0 && next.range < 0) {
            found.cuts.push_back(number_between(pieces[i].value, next.value));
        } else {
            unsure.push_back(below);
        }
        end_bin();
    }
    // Both are ascending.
    WeightSum start = 0;
    auto cut = unsure.begin();
    for (const Piece& piece : pieces) {
        const WeightSum end = start + piece.weight;
        while (cut != unsure.end() && *cut + margin <= start) ++cut;
        if (cut == unsure.end()) break;
        if (piece.range >= 0 && *cut < end + margin) found.wanted.push_back(piece.range);
        start = end;
    }
    return found;
}

void Collection::join(const Collection& other) {
    values.insert(values.end(), other.values.begin(), other.values.end());
    weights.insert(weights.end(), other.weights.begin(), other.weights.end());
}

namespace {

// The borders of wanted ranges alone.
std::vector<double> edges_of(std::span<const double> borders,
                             std::span<const std::int32_t> wanted) {
    std::vector<double> edges;
    for (const std::int32_t number : wanted) {
        const std::size_t range = as_index(number);
        if (range > 0 && (edges.empty() || edges.back() != borders[range - 1])) {
            edges.push_back(borders[range - 1]);
        }
        if (range < borders.size()) edges.push_back(borders[range]);
    }
    return edges;
}

}  // namespace

WantedGuide::WantedGuide(std::span<const double> borders, std::span<const std::int32_t> wanted,
                         ValueType type)
    : edges_(edges_of(borders, wanted)),
      is_wanted_(RangeGuide::most_ranges),
      guide_(edges_, type) {
    for (const std::int32_t number : wanted) {
        const bool is_last = as_index(number) == borders.size();
        const auto end = is_last ? edges_.end()
                                 : std::ranges::lower_bound(edges_, borders[as_index(number)]);
        is_wanted_[static_cast<std::size_t>(end - edges_.begin())] = 1;
    }
}

void WantedGuide::collect(const ColumnView& column, std::size_t first, std::size_t end,
                          const RowWeights& weights, Collection& found) const {
    guide_.find(column, first, end, [&](std::size_t row, auto values, const auto* range) {
        std::size_t n = found.values.size();
        found.values.resize(n + values.size());
        if (weights.are_counts()) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                found.values[n] = values[i];
                n += is_wanted_[range[i]];  // without a branch, which would be mispredicted
            }
        } else {
            found.weights.resize(found.values.size());
            for (std::size_t i = 0; i < values.size(); ++i) {
                found.values[n] = values[i];
                found.weights[n] = weights[row + i];
                n += is_wanted_[range[i]] && found.weights[n] > 0;
            }
            found.weights.resize(n);
        }
        found.values.resize(n);
    });
}

std::vector<Piece> refined(std::span<const Piece> pieces, std::span<const double> borders,
                           std::span<const std::int32_t> wanted, Collection found) {
    const std::vector<WeightedValue> values =
        weighted_values(std::move(found.values), found.weights);
    std::vector<Piece> finer;
    finer.reserve(pieces.size() + values.size());
    auto value = values.begin();
    auto next_wanted = wanted.begin();
    for (const Piece& piece : pieces) {
        if (next_wanted == wanted.end() || piece.range != *next_wanted) {
            finer.push_back(piece);
            continue;
        }
        ++next_wanted;
        const std::size_t range = as_index(piece.range);
        const double last = range < borders.size() ? borders[range] : infinity;
        for (; value != values.end() && value->value <= last; ++value) {
            finer.push_back({value->weight, value->value, -1});
        }
    }
    assert(value == values.end());
    return finer;
}

namespace {

void search(std::span<const ColumnView> columns, std::size_t n_rows, const RowWeights& weights,
            int n_bins, int n_threads, const std::function<void()>& check,
            std::span<std::vector<double>> cuts) {
    std::vector<Search> searches(columns.size());
    std::vector<std::size_t> open(columns.size());
    for (std::size_t c = 0; c < open.size(); ++c) open[c] = c;
    run_tasks(open.size(), n_threads, [&](std::size_t c, int) {
        check();
        searches[c].borders = borders_of(sampled_values(columns[c], n_rows));
        searches[c].guide =
            std::make_unique<const RangeGuide>(searches[c].borders, columns[c].type);
        searches[c].sums.resize(RangeGuide::most_ranges);
    });
    over_rows<RangeCounts>(
        open, n_rows, n_threads, check,
        [&](std::size_t c, std::size_t first, std::size_t end, RangeCounts& counts) {
            counts.count(columns[c], first, end, weights, *searches[c].guide);
        },
        [&](std::size_t c, const RangeCounts& counts) {
            const std::lock_guard lock(searches[c].joining);
            counts.add_to(searches[c].sums);
        });
    WeightSum margin = 16;  // rows; more whenever so many were not enough
    for (bool is_first = true; !open.empty(); is_first = false) {
        run_tasks(open.size(), n_threads, [&](std::size_t i, int) {
            check();
            Search& own = searches[open[i]];
            if (is_first) {
                own.guide.reset();
                own.pieces = pieces_of(own.borders, own.sums);
            } else {
                own.pieces = refined(own.pieces, own.borders, own.found.wanted,
                                     std::exchange(own.collected, {}));
            }
            WeightSum total = 0;
            for (const Piece& piece : own.pieces) total += piece.weight;
            const WeightSum row = std::max<WeightSum>(total / n_rows, 1);
            own.found = narrow(own.pieces, n_bins, margin * row, row);
            if (own.found.wanted.empty()) {
                cuts[open[i]] = std::move(own.found.cuts);
                own.pieces = {};
            } else {
                own.wanted_guide = std::make_unique<const WantedGuide>(
                    own.borders, own.found.wanted, columns[open[i]].type);
            }
        });
        margin = std::min<WeightSum>(8 * margin, 1 << 20);
        std::erase_if(open, [&](std::size_t c) { return searches[c].found.wanted.empty(); });
        over_rows<Collection>(
            open, n_rows, n_threads, check,
            [&](std::size_t c, std::size_t first, std::size_t end, Collection& found) {
                searches[c].wanted_guide->collect(columns[c], first, end, weights, found);
            },
            [&](std::size_t c, const Collection& found) {
                const std::lock_guard lock(searches[c].joining);
                searches[c].collected.join(found);
            });
    }
}

}  // namespace

std::vector<std::vector<double>> find_all_cuts(std::span<const ColumnView> columns,
                                               std::size_t n_rows, const RowWeights& weights,
                                               int n_bins, int n_threads,
                                               const std::function<void()>& check) {
    std::vector<std::vector<double>> cuts(columns.size());
    if (n_rows < few_rows || !takes(ShortCut::bin_guide)) {
        run_tasks(columns.size(), n_threads, [&](std::size_t c, int) {
            check();
            cuts[c] = find_cuts(columns[c], n_rows, weights, n_bins);
        });
        return cuts;
    }
    for (std::size_t c = 0; c < columns.size(); c += columns_at_once) {
        const std::size_t n = std::min(columns_at_once, columns.size() - c);
        search(columns.subspan(c, n), n_rows, weights, n_bins, n_threads, check,
               std::span(cuts).subspan(c, n));
    }
    return cuts;
}

}  // namespace treewright::histogram
