#include "core/neighbors/neighbor_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/parallel/thread_pool.hpp"
#include "core/short_cuts.hpp"

namespace treewright::neighbors {
namespace {

constexpr std::size_t queries_at_once = 32;
constexpr std::size_t shelf_size = 64;    // boxes, at most
constexpr std::size_t rows_compared = 4;  // at a time, if there are several
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t no_row = -1;

}  // namespace

// A row whose neighbors are looked for.
struct NeighborSearch::Query {
    const double* values;
    std::int64_t itself;  // among the rows
    bool is_finite;
    BoxEnds::Interval ends;
    QuickQuery quick;
    NearestFound found;
    float reach = infinity;     // a quick sum above this cannot count
    std::size_t first_box = 0;  // the one that is looked into before all others

    Query(const double* values, std::int64_t itself, std::size_t n_columns, const Wanted& wanted)
        : values(values),
          itself(itself),
          is_finite(std::all_of(values, values + n_columns,
                                [](double value) { return std::isfinite(value); })),
          found(wanted) {}

    void take(const Neighbor& neighbor, const QuickSums& sums) {
        if (neighbor.row == itself) return;
        if (found.take(neighbor) && takes(ShortCut::quick_distances)) {
            reach = sums.bound(found.reach());
        }
    }
};

NeighborSearch::NeighborSearch(const MixedRows& rows, Measure measure, const Check& check)
    : rows_(rows), measure_(measure), order_(rows.n_rows), survey_(rows, measure, check) {
    std::iota(order_.begin(), order_.end(), 0U);
    make_boxes(check);
}

// Halves the widest column of numbers until a box is small. All boxes of a shelf come from the same
// half: so shelves do not overlap, but for ties, and few are near a query. With a million rows of
// three columns, a query looks into 3 boxes; with shelves of 64 boxes in turn it was 30.
void NeighborSearch::make_boxes(const Check& check) {
    struct Half {
        Box box;
        bool is_on_shelf;  // which has begun
    };
    std::vector<Half> open{{{0, rows_.n_rows}, false}};
    while (!open.empty()) {
        check();
        auto [box, is_on_shelf] = open.back();
        open.pop_back();
        const std::size_t n_boxes = (box.n_rows + box_size - 1) / box_size;
        if (!is_on_shelf && n_boxes <= shelf_size) {
            shelves_.push_back(boxes_.size());
            is_on_shelf = true;
        }
        if (box.n_rows <= box_size) {
            boxes_.push_back(box);
            continue;
        }
        // Boxes are full but for the last: half of them on each side.
        const std::size_t half = n_boxes / 2 * box_size;
        halve(box, half, widest_column(box));
        open.push_back({{box.first + half, box.n_rows - half}, is_on_shelf});
        open.push_back({{box.first, half}, is_on_shelf});
    }
    of_boxes_ = BoxEnds(rows_.n_columns(), boxes_.size());
    quick_ = QuickSums(rows_, measure_, survey_, boxes_.size());
    for (std::size_t at = 0; at < boxes_.size(); ++at) {
        if (at % shelf_size == 0) check();
        fill_box(at);
    }
    put_on_shelves();
}

// The number of columns if all numbers looked at are the same.
std::size_t NeighborSearch::widest_column(const Box& box) const {
    std::size_t widest = rows_.n_columns();
    double width = 0;
    for (std::size_t c = 0; c < rows_.n_columns(); ++c) {
        if (rows_.is_level[c]) continue;
        const double spread = spread_of(rows_, rows_of(box), c);
        if (spread > width) {
            width = spread;
            widest = c;
        }
    }
    return widest;
}

void NeighborSearch::halve(const Box& box, std::size_t half, std::size_t column) {
    if (column == rows_.n_columns()) return;
    // Side by side, since rows lie anywhere: that takes a third of the time.
    struct Item {
        double value;
        std::uint32_t row;
    };
    std::vector<Item> items;
    items.reserve(box.n_rows);
    for (const std::uint32_t row : rows_of(box)) items.push_back({rows_.row(row)[column], row});
    std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(half), items.end(),
                     [](const Item& a, const Item& b) {
                         if (a.value < b.value || b.value < a.value) return a.value < b.value;
                         const bool a_known = !std::isnan(a.value), b_known = !std::isnan(b.value);
                         return a_known != b_known ? a_known : a.row < b.row;
                     });
    for (std::size_t i = 0; i < items.size(); ++i) order_[box.first + i] = items[i].row;
}

std::span<const std::uint32_t> NeighborSearch::rows_of(const Box& box) const {
    return {order_.data() + box.first, box.n_rows};
}

void NeighborSearch::fill_box(std::size_t at) {
    const Box& box = boxes_[at];
    const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(box.first);
    std::sort(begin, begin + static_cast<std::ptrdiff_t>(box.n_rows));
    quick_.fill(at, rows_, rows_of(box));
    of_boxes_.put(at, rows_, rows_of(box), survey_);
}

void NeighborSearch::put_on_shelves() {
    of_shelves_ = BoxEnds(rows_.n_columns(), shelves_.size());
    for (std::size_t shelf = 0; shelf < shelves_.size(); ++shelf) {
        for (std::size_t box = shelves_[shelf]; box < end_of_shelf(shelf); ++box) {
            of_shelves_.add(shelf, of_boxes_, box);
        }
    }
}

std::size_t NeighborSearch::end_of_shelf(std::size_t shelf) const {
    return shelf + 1 < shelves_.size() ? shelves_[shelf + 1] : boxes_.size();
}

void NeighborSearch::compare(std::span<const std::uint32_t> rows, Query& query) const {
    std::size_t at = 0;
    if (survey_.all_finite && query.is_finite && takes(ShortCut::quick_distances)) {
        for (; at + rows_compared <= rows.size(); at += rows_compared) {
            std::array<const double*, rows_compared> values;
            for (std::size_t i = 0; i < rows_compared; ++i) values[i] = rows_.row(rows[at + i]);
            const auto sums = apart_if_finite(query.values, values, rows_.is_level, measure_);
            for (std::size_t i = 0; i < rows_compared; ++i) {
                query.take({sums[i], rows[at + i]}, quick_);
            }
        }
    }
    for (; at < rows.size(); ++at) {
        const double* values = rows_.row(rows[at]);
        query.take({apart(query.values, values, rows_.is_level, measure_), rows[at]}, quick_);
    }
}

// Several queries at a time: the rows of a box are loaded once for all of them.
void NeighborSearch::look_into(std::size_t box, std::span<Query* const> queries) const {
    std::array<QuickQuery*, queries_at_once> quick;
    std::array<float, queries_at_once * box_size> sums;
    for (std::size_t q = 0; q < queries.size(); ++q) quick[q] = &queries[q]->quick;
    quick_.begin(box, {quick.data(), queries.size()}, sums.data());
    for (std::size_t q = 0; q < queries.size(); ++q) {
        float* of_query = sums.data() + q * box_size;
        const bool any = quick_.finish(box, *quick[q], queries[q]->reach, of_query);
        if (any) compare_nearest(boxes_[box], of_query, *queries[q]);
    }
}

void NeighborSearch::compare_nearest(const Box& box, const float* sums, Query& query) const {
    std::array<std::uint32_t, rows_compared> could_count;
    std::size_t n = 0;
    for (std::size_t i = 0; i < box.n_rows; ++i) {
        if (sums[i] > query.reach) continue;
        could_count[n++] = order_[box.first + i];
        if (n < rows_compared) continue;
        const bool rest_is_late = could_count[0] > query.found.last_row();
        if (rest_is_late && takes(ShortCut::box_bounds)) return;
        compare(could_count, query);
        n = 0;
    }
    compare({could_count.data(), n}, query);
}

// Looks into the nearest box of the nearest shelf, so that most others can be passed over.
std::size_t NeighborSearch::look_nearby(Query& query, std::span<const float> of_shelves) const {
    const auto nearest = std::ranges::min_element(of_shelves) - of_shelves.begin();
    const auto shelf = static_cast<std::size_t>(nearest);
    std::size_t best = shelves_[shelf];
    float least = infinity;
    for (std::size_t box = best; box < end_of_shelf(shelf); ++box) {
        const float distance = of_boxes_.away(query.ends, box, measure_);
        if (distance >= least) continue;
        least = distance;
        best = box;
    }
    Query* const alone = &query;
    look_into(best, {&alone, 1});
    return best;
}

bool NeighborSearch::may_hold_neighbor(std::size_t box, const Query& query) const {
    if (order_[boxes_[box].first] > query.found.last_row()) return false;
    return of_boxes_.away(query.ends, box, measure_) <= query.reach;
}

// Boxes in turn, and in each box the queries that it could concern: its rows stay in the cache.
void NeighborSearch::look_on_shelf(std::size_t shelf, std::span<Query* const> concerned) const {
    for (std::size_t box = shelves_[shelf]; box < end_of_shelf(shelf); ++box) {
        std::array<Query*, queries_at_once> near;
        std::size_t n = 0;
        for (Query* query : concerned) {
            if (box == query->first_box) continue;
            if (!takes(ShortCut::box_bounds) || may_hold_neighbor(box, *query)) {
                near[n++] = query;
            }
        }
        if (n > 0) look_into(box, {near.data(), n});
    }
}

void NeighborSearch::find_neighbors(std::span<Query> group, const Check& check) const {
    const std::size_t n_shelves = shelves_.size();
    std::vector<float> of_shelves(group.size() * n_shelves);
    for (std::size_t q = 0; q < group.size(); ++q) {
        const std::span of_query(of_shelves.data() + q * n_shelves, n_shelves);
        for (std::size_t shelf = 0; shelf < n_shelves; ++shelf) {
            of_query[shelf] = of_shelves_.away(group[q].ends, shelf, measure_);
        }
        group[q].first_box = look_nearby(group[q], of_query);
    }
    std::vector<Query*> concerned;
    for (std::size_t shelf = 0; shelf < n_shelves; ++shelf) {
        check();
        concerned.clear();
        for (std::size_t q = 0; q < group.size(); ++q) {
            const bool may_be_near = of_shelves[q * n_shelves + shelf] <= group[q].reach;
            if (may_be_near || !takes(ShortCut::box_bounds)) concerned.push_back(&group[q]);
        }
        look_on_shelf(shelf, concerned);
    }
}

void NeighborSearch::visit_nearest(const std::optional<MixedRows>& queries, const Wanted& wanted,
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
                const std::int64_t itself = queries ? no_row : static_cast<std::int64_t>(q);
                Query& query = group.emplace_back(asked.row(q), itself, rows_.n_columns(), wanted);
                query.quick = quick_.prepare(query.values);
                query.ends = of_boxes_.of_query(query.values, survey_);
                query.found.allow_for({query.values, rows_.is_level, measure_});
            }
            find_neighbors(group, check);
            for (std::size_t q = first; q < end; ++q) visit(q, group[q - first].found.in_order());
        },
        check);
}

}  // namespace treewright::neighbors
