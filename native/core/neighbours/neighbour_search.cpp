#include "core/neighbours/neighbour_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/parallel.hpp"

namespace treewright::neighbours {
namespace {

constexpr std::size_t queries_at_once = 32;
constexpr std::size_t shelf_size = 64;  // boxes
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t nobody = -1;

}  // namespace

// A row whose neighbours are looked for.
struct NeighbourSearch::Query {
    const double* values;
    std::int64_t itself;           // among the rows
    std::vector<float> centred;
    QuickQuery quick;
    double error;                  // of a sum in single precision
    NearestFound found;
    float reach = infinity;        // a quick sum above this cannot count
    std::size_t first_box = 0;     // the one that is looked into before all others

    Query(const double* values, std::int64_t itself, std::size_t n_columns, const QuickSums& sums,
          const Wanted& wanted)
        : values(values), itself(itself), quick(sums.prepare(values)),
          error(sums.error(values)), found(wanted) {
        for (std::size_t c = 0; c < n_columns; ++c) centred.push_back(sums.centred(values, c));
    }

    void take(const Neighbour& neighbour) {
        if (neighbour.row == itself) return;
        found.take(neighbour);
        reach = static_cast<float>((found.reach() + error) * (1 + 1e-6));
    }
};

NeighbourSearch::NeighbourSearch(const MixedRows& rows, Measure measure, const Check& check)
    : rows_(rows), measure_(measure), order_(rows.n_rows) {
    std::iota(order_.begin(), order_.end(), 0U);
    make_boxes(check);
}

// Halves the widest column of numbers until a box is small.
void NeighbourSearch::make_boxes(const Check& check) {
    std::vector<Box> open{{0, rows_.n_rows}};
    while (!open.empty()) {
        check();
        const Box box = open.back();
        open.pop_back();
        if (box.n_rows <= box_size) {
            boxes_.push_back(box);
            continue;
        }
        // Boxes are full but for the last: half of them on each side.
        const std::size_t n_boxes = (box.n_rows + box_size - 1) / box_size;
        const std::size_t half = n_boxes / 2 * box_size;
        halve(box, half, widest_column(box));
        open.push_back({box.first + half, box.n_rows - half});
        open.push_back({box.first, half});
    }
    const std::size_t n = boxes_.size() * rows_.n_columns();
    of_boxes_ = {std::vector<float>(n, -infinity), std::vector<float>(n, infinity)};
    quick_ = QuickSums(rows_, measure_, boxes_.size());
    for (std::size_t at = 0; at < boxes_.size(); ++at) {
        if (at % shelf_size == 0) check();
        fill_box(at);
    }
    put_on_shelves();
}

// The number of columns if all numbers are the same.
std::size_t NeighbourSearch::widest_column(const Box& box) const {
    std::size_t widest = rows_.n_columns();
    double width = 0;
    for (std::size_t c = 0; c < rows_.n_columns(); ++c) {
        if (rows_.is_level[c]) continue;
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (std::size_t i = box.first; i < box.first + box.n_rows; ++i) {
            const double value = rows_.row(order_[i])[c];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        if (high - low > width) {
            width = high - low;
            widest = c;
        }
    }
    return widest;
}

void NeighbourSearch::halve(const Box& box, std::size_t half, std::size_t column) {
    if (column == rows_.n_columns()) return;
    const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(box.first);
    std::nth_element(begin, begin + static_cast<std::ptrdiff_t>(half),
                     begin + static_cast<std::ptrdiff_t>(box.n_rows),
                     [&](std::uint32_t a, std::uint32_t b) {
                         const double x = rows_.row(a)[column], y = rows_.row(b)[column];
                         const bool x_known = !std::isnan(x), y_known = !std::isnan(y);
                         if (x_known != y_known) return x_known;
                         return x_known && x != y ? x < y : a < b;
                     });
}

void NeighbourSearch::fill_box(std::size_t at) {
    const Box& box = boxes_[at];
    const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(box.first);
    std::sort(begin, begin + static_cast<std::ptrdiff_t>(box.n_rows));
    for (std::size_t i = 0; i < box.n_rows; ++i) quick_.put(at, i, rows_.row(begin[i]));
    for (std::size_t c = 0; c < rows_.n_columns(); ++c) {
        float low = infinity, high = -infinity;
        bool whole = !rows_.is_level[c];
        for (std::size_t i = 0; i < box.n_rows; ++i) {
            const float value = quick_.centred(rows_.row(begin[i]), c);
            whole = whole && !std::isnan(value);
            low = std::min(low, value);
            high = std::max(high, value);
        }
        if (!whole) continue;
        of_boxes_.low[at * rows_.n_columns() + c] = low;
        of_boxes_.high[at * rows_.n_columns() + c] = high;
    }
}

// Boxes that follow each other lie close together: they come from the same halves.
void NeighbourSearch::put_on_shelves() {
    const std::size_t n_columns = rows_.n_columns();
    const std::size_t n_shelves = (boxes_.size() + shelf_size - 1) / shelf_size;
    of_shelves_.low.assign(n_shelves * n_columns, infinity);
    of_shelves_.high.assign(n_shelves * n_columns, -infinity);
    for (std::size_t box = 0; box < boxes_.size(); ++box) {
        for (std::size_t c = 0; c < n_columns; ++c) {
            float& low = of_shelves_.low[box / shelf_size * n_columns + c];
            float& high = of_shelves_.high[box / shelf_size * n_columns + c];
            low = std::min(low, of_boxes_.low[box * n_columns + c]);
            high = std::max(high, of_boxes_.high[box * n_columns + c]);
        }
    }
}

std::size_t NeighbourSearch::end_of_shelf(std::size_t shelf) const {
    return std::min(boxes_.size(), (shelf + 1) * shelf_size);
}

// At least so far is every row between these ends, but for rounding, of which some is taken off.
float NeighbourSearch::away(const Query& query, const Ends& ends, std::size_t place) const {
    const float* low = ends.low.data() + place * rows_.n_columns();
    const float* high = ends.high.data() + place * rows_.n_columns();
    float sum = 0;
    for (std::size_t c = 0; c < rows_.n_columns(); ++c) {
        const float value = query.centred[c];
        const float beyond = std::max(low[c] - value, value - high[c]);
        const float outside = beyond > 0 ? beyond : 0;  // 0 for what is missing, too
        sum += measure_.squares ? outside * outside : outside;
    }
    const bool is_mean = measure_.missing == Missing::left_out;
    const float least = is_mean ? sum / static_cast<float>(rows_.n_columns()) : sum;
    return least * (1 - 1e-5F);
}

void NeighbourSearch::look_into(std::size_t at, Query& query) const {
    const Box& box = boxes_[at];
    float sums[box_size];
    if (!quick_.add_up(at, query.quick, query.reach, sums)) return;
    for (std::size_t i = 0; i < box.n_rows; ++i) {
        if (sums[i] > query.reach) continue;
        const auto row = order_[box.first + i];
        query.take({apart(query.values, rows_.row(row), rows_.is_level, measure_), row});
    }
}

// Looks into the nearest box of the nearest shelf, so that most others can be passed over.
std::size_t NeighbourSearch::look_nearby(Query& query, std::span<const float> of_shelves) const {
    const auto nearest = std::ranges::min_element(of_shelves) - of_shelves.begin();
    const auto shelf = static_cast<std::size_t>(nearest);
    std::size_t best = shelf * shelf_size;
    float least = infinity;
    for (std::size_t box = best; box < end_of_shelf(shelf); ++box) {
        const float distance = away(query, of_boxes_, box);
        if (distance >= least) continue;
        least = distance;
        best = box;
    }
    look_into(best, query);
    return best;
}

// Boxes in turn, and in each box the queries that it could concern: its rows stay in the cache.
void NeighbourSearch::look_on_shelf(std::size_t shelf, std::span<Query> group,
                                    std::span<const std::size_t> concerned) const {
    for (std::size_t box = shelf * shelf_size; box < end_of_shelf(shelf); ++box) {
        for (const std::size_t q : concerned) {
            Query& query = group[q];
            const bool is_near = away(query, of_boxes_, box) <= query.reach;
            if (is_near && box != query.first_box) look_into(box, query);
        }
    }
}

void NeighbourSearch::answer(std::span<Query> group, const Check& check) const {
    const std::size_t n_shelves = (boxes_.size() + shelf_size - 1) / shelf_size;
    std::vector<float> of_shelves(group.size() * n_shelves);
    for (std::size_t q = 0; q < group.size(); ++q) {
        const std::span of_query(of_shelves.data() + q * n_shelves, n_shelves);
        for (std::size_t shelf = 0; shelf < n_shelves; ++shelf) {
            of_query[shelf] = away(group[q], of_shelves_, shelf);
        }
        group[q].first_box = look_nearby(group[q], of_query);
    }
    std::vector<std::size_t> concerned;
    for (std::size_t shelf = 0; shelf < n_shelves; ++shelf) {
        check();
        concerned.clear();
        for (std::size_t q = 0; q < group.size(); ++q) {
            if (of_shelves[q * n_shelves + shelf] <= group[q].reach) concerned.push_back(q);
        }
        look_on_shelf(shelf, group, concerned);
    }
}

void NeighbourSearch::visit_nearest(const std::optional<MixedRows>& queries, const Wanted& wanted,
                                    int n_threads, const Visit& visit, const Check& check) const {
    const MixedRows& asked = queries ? *queries : rows_;
    const std::size_t n_groups = (asked.n_rows + queries_at_once - 1) / queries_at_once;
    run_tasks(
        n_groups, n_threads,
        [&](std::size_t number, int) {
            const std::size_t first = number * queries_at_once;
            const std::size_t end = std::min(asked.n_rows, first + queries_at_once);
            std::vector<Query> group;
            group.reserve(end - first);
            for (std::size_t q = first; q < end; ++q) {
                const std::int64_t itself = queries ? nobody : static_cast<std::int64_t>(q);
                group.emplace_back(asked.row(q), itself, rows_.n_columns(), quick_, wanted);
            }
            answer(group, check);
            for (std::size_t q = first; q < end; ++q) visit(q, group[q - first].found.in_order());
        },
        check);
}

}  // namespace treewright::neighbours
