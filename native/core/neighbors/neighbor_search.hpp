// The nearest of many rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/neighbors/box_ends.hpp"
#include "core/neighbors/column_survey.hpp"
#include "core/neighbors/mixed_rows.hpp"
#include "core/neighbors/nearest_found.hpp"
#include "core/neighbors/quick_sums.hpp"

namespace treewright::neighbors {

// Rows in boxes of neighbors, and boxes in shelves. A shelf or box that is farther away than the
// neighbors found so far is passed over; in the others all rows are looked at, several at a time
// in single precision; distances that could count are computed again in double precision.
class NeighborSearch {
public:
    using Check = std::function<void()>;  // may throw to cancel
    using Visit = std::function<void(std::size_t query, std::span<const Neighbor> found)>;

    // The rows must outlive this.
    NeighborSearch(const MixedRows& rows, Measure measure, const Check& check);

    // Calls `visit` once for each query with its neighbors, from several threads. Without queries,
    // those are the rows themselves, and no row is its own neighbor.
    void visit_nearest(const std::optional<MixedRows>& queries, const Wanted& wanted, int n_threads,
                       const Visit& visit, const Check& check) const;

    const MixedRows& rows() const { return rows_; }
    const Measure& measure() const { return measure_; }

private:
    struct Box {
        std::size_t first = 0, n_rows = 0;
    };
    struct Query;

    void make_boxes(const Check& check);
    std::size_t widest_column(const Box& box) const;
    void halve(const Box& box, std::size_t half, std::size_t column);
    void fill_box(std::size_t at);
    void put_on_shelves();
    std::size_t end_of_shelf(std::size_t shelf) const;
    std::span<const std::uint32_t> rows_of(const Box& box) const;
    void compare(std::span<const std::uint32_t> rows, Query& query) const;
    void compare_nearest(const Box& box, const float* sums, Query& query) const;
    void look_into(std::size_t box, std::span<Query* const> queries) const;
    std::size_t look_nearby(Query& query, std::span<const float> of_shelves) const;
    bool may_hold_neighbor(std::size_t box, const Query& query) const;
    void look_on_shelf(std::size_t shelf, std::span<Query* const> concerned) const;
    void find_neighbors(std::span<Query> group, const Check& check) const;

    MixedRows rows_;
    Measure measure_;
    std::vector<std::uint32_t> order_;  // rows, box by box
    std::vector<Box> boxes_;
    std::vector<std::size_t> shelves_;  // the first box of each
    ColumnSurvey survey_;
    BoxEnds of_boxes_, of_shelves_;
    QuickSums quick_;
};

}  // namespace treewright::neighbors
