#include "core/histogram/cut_search.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/arithmetic/as_index.hpp"
#include "core/large_vector.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

// A task has so many rows.
constexpr std::size_t rows_of_task = 4 * GatheredRows::most_rows;

}  // namespace

void RangeCounts::count(const RowsOfColumn& rows, const RowWeights& weights,
                        const RangeGuide& guide) {
    if (!weights.are_counts()) {
        weights_.resize(RangeGuide::most_ranges);
        guide.find(rows.column, rows.n_rows, [&](auto values, const auto* range) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                weights_[range[i]] += weights[rows.first + i];
            }
        });
        return;
    }
    if (few_.empty() || n_few_ + rows.n_rows > UINT16_MAX) move_few();
    n_few_ += rows.n_rows;
    guide.find(rows.column, rows.n_rows, [&](auto values, const auto* range) {
        for (std::size_t i = 0; i < values.size(); ++i) ++few_[range[i]];
    });
}

void RangeCounts::move_few() {
    few_.resize(RangeGuide::most_ranges);
    rows_.resize(RangeGuide::most_ranges);
    for (std::size_t range = 0; range < few_.size(); ++range) {
        rows_[range] += few_[range];
        few_[range] = 0;
    }
    n_few_ = 0;
}

void RangeCounts::add(std::span<const WeightSum> weights) {
    weights_.resize(RangeGuide::most_ranges);
    for (std::size_t range = 0; range < weights_.size(); ++range) {
        weights_[range] += weights[range];
    }
}

void RangeCounts::merge(const RangeCounts& other) {
    if (!other.weights_.empty()) add(other.weights_);
    if (!other.few_.empty()) {
        if (few_.empty()) move_few();
        for (std::size_t range = 0; range < rows_.size(); ++range) {
            rows_[range] += other.rows_[range] + other.few_[range];
        }
    }
}

LargeVector<Piece> pieces_of(const RangeGuide& guide, const RangeCounts& counts) {
    LargeVector<Piece> pieces;
    for (std::size_t range = 0; range < RangeGuide::missing; ++range) {
        const WeightSum weight = counts[range];
        if (weight == 0) continue;
        const double value = guide.only_value(range);
        pieces.push_back({weight, value, value == value ? -1 : static_cast<int>(range)});
    }
    return pieces;
}

Narrowed narrow(std::span<const Piece> pieces, int n_bins, WeightSum margin, WeightSum row) {
    Narrowed found;
    const auto want = [&](const Piece& piece) {
        found.is_wanted.resize(RangeGuide::most_ranges);
        found.is_wanted[as_index(piece.range)] = 1;
    };
    if (pieces.size() <= as_index(n_bins)) {  // perhaps every value has a bin of its own
        for (const Piece& piece : pieces) {
            if (piece.range >= 0) want(piece);
        }
        if (!found.is_wanted.empty()) return found;
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
    auto whole_share = static_cast<WeightSum>(share);
    const auto end_bin = [&] {
        rest -= in_bin;
        in_bin = 0;
        --bins_left;
        share = static_cast<double>(rest) / bins_left;
        whole_share = static_cast<WeightSum>(share);
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
        if (in_bin + next.weight < whole_share) continue;  // usual, and quick
        bool ends = ends_bin(in_bin, in_bin + next.weight, share);
        if (next.range >= 0 && ends != ends_bin(in_bin, in_bin + 1, share)) {
            is_exact = false;  // the range will say that it is needed
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
        if (piece.range >= 0 && *cut < end + margin) want(piece);
        start = end;
    }
    return found;
}

void Collection::collect(const RowsOfColumn& rows, const RowWeights& weights_of,
                         const RangeGuide& guide, std::span<const std::uint8_t> is_wanted) {
    guide.find(rows.column, rows.n_rows, [&](auto numbers, const auto* range) {
        std::size_t n = values.size();
        values.resize(n + numbers.size());
        if (weights_of.are_counts()) {
            for (std::size_t i = 0; i < numbers.size(); ++i) {
                values[n] = numbers[i];
                n += is_wanted[range[i]];  // without a branch, which would be mispredicted
            }
        } else {
            weights.resize(values.size());
            for (std::size_t i = 0; i < numbers.size(); ++i) {
                values[n] = numbers[i];
                weights[n] = weights_of[rows.first + i];
                n += is_wanted[range[i]] && weights[n] > 0;
            }
            weights.resize(n);
        }
        values.resize(n);
    });
}

void Collection::join(const Collection& other) {
    values.insert(values.end(), other.values.begin(), other.values.end());
    weights.insert(weights.end(), other.weights.begin(), other.weights.end());
}

void Collection::clear() {
    values.clear();
    weights.clear();
}

LargeVector<Piece> refined(std::span<const Piece> pieces, std::span<const std::uint8_t> is_wanted,
                           Collection found) {
    const std::vector<DistinctValue> values =
        distinct_values_of(std::move(found.values), found.weights);
    LargeVector<Piece> finer;
    finer.reserve(pieces.size() + values.size());
    auto value = values.begin();
    for (const Piece& piece : pieces) {
        if (piece.range < 0 || !is_wanted[as_index(piece.range)]) {
            finer.push_back(piece);
            continue;
        }
        // Both are ascending, so its values come next.
        for (WeightSum left = piece.weight; left > 0; ++value) {
            assert(value != values.end() && value->weight <= left);
            finer.push_back({value->weight, value->value, -1});
            left -= value->weight;
        }
    }
    assert(value == values.end());
    return finer;
}

CutSearch::CutSearch(std::vector<std::vector<double>> samples, std::span<const ValueType> types,
                     Size size, const std::function<void()>& check)
    : size_(size),
      columns_(samples.size()),
      open_(samples.size()),
      workers_(as_index(std::max(size.n_threads, 1))),
      cuts_(samples.size()) {
    std::iota(open_.begin(), open_.end(), std::size_t{0});
    run_tasks(open_.size(), size_.n_threads, [&](std::size_t c, int) {
        check();
        columns_[c].guide = std::make_shared<const RangeGuide>(std::move(samples[c]), types[c]);
    });
}

void CutSearch::read(std::span<const ColumnView> columns, std::size_t n_rows,
                     const RowWeights& weights, const std::function<void()>& check) {
    std::vector<ColumnView> views;
    for (const std::size_t c : open_) views.push_back(columns[c]);
    const bool has_more_blocks = n_rows < size_.n_rows;
    if (!is_counting_ && has_more_blocks) {
        run_tasks(open_.size(), size_.n_threads, [&](std::size_t i, int) {
            auto& found = columns_[open_[i]].collected.values;
            if (found.empty() && weights.are_counts()) {
                found.reserve(static_cast<std::size_t>(columns_[open_[i]].n_wanted));
            }
            join_blocks(i);
        });
    }
    run_tasks((n_rows + rows_of_task - 1) / rows_of_task, size_.n_threads,
              [&](std::size_t task, int number) {
        check();
        Worker& worker = workers_[as_index(number)];
        if (is_counting_) {
            worker.counts.resize(open_.size());
        } else {
            worker.collected.resize(open_.size());
        }
        const std::size_t first = task * rows_of_task;
        const std::size_t end = std::min(n_rows, first + rows_of_task);
        for (std::size_t row = first; row < end; row += GatheredRows::most_rows) {
            const std::size_t n = std::min(end - row, GatheredRows::most_rows);
            const auto gathered = worker.gathered(views, row, row + n);
            for (std::size_t i = 0; i < open_.size(); ++i) {
                const Column& own = columns_[open_[i]];
                const RowsOfColumn rows{gathered[i], row, n};
                if (is_counting_) {
                    worker.counts[i].count(rows, weights, *own.guide);
                } else {
                    worker.collected[i].collect(rows, weights, *own.guide, own.found.is_wanted);
                }
            }
        }
    });
}

// What workers have collected of a column so far. Vectors that grow take up to twice the space, and
// those of workers hold one block only.
void CutSearch::join_blocks(std::size_t i) {
    for (Worker& worker : workers_) {
        if (worker.collected.empty()) continue;
        columns_[open_[i]].collected.join(worker.collected[i]);
        worker.collected[i].clear();
    }
}

void CutSearch::join_workers(std::size_t i) {
    Column& own = columns_[open_[i]];
    for (Worker& worker : workers_) {
        if (!worker.counts.empty()) own.counts.merge(std::exchange(worker.counts[i], {}));
        if (worker.collected.empty()) continue;
        Collection some = std::exchange(worker.collected[i], {});
        if (own.collected.values.empty()) {
            own.collected = std::move(some);  // not twice in memory
        } else {
            own.collected.join(some);
        }
    }
}

std::vector<Collection> CutSearch::take_out() {
    std::vector<Collection> all(open_.size());
    for (std::size_t i = 0; i < open_.size(); ++i) {
        join_workers(i);
        Column& own = columns_[open_[i]];
        if (!is_counting_) {
            all[i] = std::exchange(own.collected, {});
            continue;
        }
        for (std::size_t range = 0; range < RangeGuide::most_ranges; ++range) {
            all[i].weights.push_back(own.counts[range]);
        }
        own.counts = {};
    }
    return all;
}

void CutSearch::add(std::vector<Collection> others) {
    if (others.size() != open_.size()) throw std::invalid_argument("others: one for each column");
    for (std::size_t i = 0; i < others.size(); ++i) {
        const Collection& other = others[i];
        const bool fits = is_counting_ ? other.values.empty() &&
                                               other.weights.size() == RangeGuide::most_ranges
                                         : other.weights.empty() ||
                                               other.weights.size() == other.values.size();
        if (!fits) throw std::invalid_argument("others: not of this pass");
    }
    for (std::size_t i = 0; i < others.size(); ++i) {
        Column& own = columns_[open_[i]];
        if (is_counting_) {
            own.counts.add(others[i].weights);
        } else if (own.collected.values.empty()) {
            own.collected = std::move(others[i]);
        } else {
            own.collected.join(others[i]);
        }
    }
}

std::vector<CutSearch::Asked> CutSearch::asked() const {
    std::vector<Asked> all;
    if (is_counting_) return all;
    for (const std::size_t c : open_) all.push_back({c, columns_[c].found.is_wanted});
    return all;
}

void CutSearch::ask(std::vector<Asked> all) {
    for (const Asked& one : all) {
        const bool fits = !is_counting_ && one.column < columns_.size() &&
                          columns_[one.column].guide != nullptr &&
                          one.is_wanted.size() == RangeGuide::most_ranges;
        if (!fits) throw std::invalid_argument("asked: not of this search");
    }
    open_.clear();
    for (Asked& one : all) {
        open_.push_back(one.column);
        columns_[one.column].found.is_wanted = std::move(one.is_wanted);
        columns_[one.column].n_wanted = 0;  // here, as far as is known
    }
}

bool CutSearch::end_pass(const std::function<void()>& check) {
    run_tasks(open_.size(), size_.n_threads, [&](std::size_t i, int) {
        check();
        join_workers(i);
        Column& own = columns_[open_[i]];
        own.pieces = is_counting_ ? pieces_of(*own.guide, std::exchange(own.counts, {}))
                                  : refined(own.pieces, own.found.is_wanted,
                                            std::exchange(own.collected, {}));
        WeightSum total = 0;
        for (const Piece& piece : own.pieces) total += piece.weight;
        const WeightSum row = std::max<WeightSum>(total / size_.n_rows, 1);
        own.found = narrow(own.pieces, size_.n_bins, margin_ * row, row);
        own.row_weight = row;
        own.n_wanted = 0;
        for (const Piece& piece : own.pieces) {
            const bool is_range = piece.range >= 0 && !own.found.is_wanted.empty();
            if (is_range && own.found.is_wanted[as_index(piece.range)]) own.n_wanted += piece.weight;
        }
        if (!own.found.is_wanted.empty()) return;
        cuts_[open_[i]] = std::move(own.found.cuts);
        own.pieces = LargeVector<Piece>();  // `{}` would only empty it
        own.guide.reset();
    });
    for (Worker& worker : workers_) {
        worker.counts.clear();
        worker.collected.clear();
    }
    std::erase_if(open_, [&](std::size_t c) { return columns_[c].found.is_wanted.empty(); });
    if (is_counting_ && narrow_ranges(check)) return false;
    is_counting_ = false;
    margin_ = std::min<WeightSum>(8 * margin_, 1 << 20);
    open_next();
    return open_.empty();
}

// How many values the next pass would collect of a column, about.
std::size_t CutSearch::n_values(std::size_t c) const {
    return static_cast<std::size_t>(columns_[c].n_wanted / columns_[c].row_weight);
}

// Whether ranges are narrowed to be counted again, once, as the wanted ones have too many values.
bool CutSearch::narrow_ranges(const std::function<void()>& check) {
    std::size_t n_all = 0;
    for (const std::size_t c : open_) n_all += n_values(c);
    if (has_narrowed_ || n_all <= size_.most_values) return false;
    has_narrowed_ = true;
    run_tasks(open_.size(), size_.n_threads, [&](std::size_t i, int) {
        check();
        Column& own = columns_[open_[i]];
        own.guide = std::make_shared<const RangeGuide>(own.guide->finer(own.found.is_wanted));
        own.pieces = LargeVector<Piece>();
    });
    return true;
}

// The columns whose values fit, and at least one.
void CutSearch::open_next() {
    later_.insert(later_.begin(), open_.begin(), open_.end());
    std::size_t n_all = 0;
    const auto end = std::ranges::find_if(later_, [&](std::size_t c) {
        n_all += n_values(c);
        return n_all > size_.most_values && c != later_.front();
    });
    open_.assign(later_.begin(), end);
    later_.erase(later_.begin(), end);
}

}  // namespace treewright::histogram
