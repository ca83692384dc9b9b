#include <nanobind/nanobind.h>

#include <optional>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/owned_array.hpp"
#include "core/neighbors/distance_sums.hpp"
#include "core/neighbors/neighbor_search.hpp"
#include "core/neighbors/votes.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using neighbors::Measure;
using neighbors::Missing;
using neighbors::MixedRows;
using neighbors::NeighborSearch;
using neighbors::Voting;
using neighbors::Wanted;

namespace {

// Rows of Python; the buffers keep the memory while it is read.
struct BorrowedMixedRows {
    Buffer values, is_level;
    MixedRows rows;

    BorrowedMixedRows(nb::handle given, nb::handle kinds)
        : values(given, "rows"), is_level(kinds, "is_level") {
        rows = {values.length(0), values.elements<double>(), is_level.elements<std::uint8_t>()};
        require(values.n_axes() == 2 && values.length(1) == rows.n_columns(),
                "rows: one column for each of is_level");
        require(rows.n_rows < UINT32_MAX, "rows: fewer than 2^32");
    }
};

struct BorrowedSearch {
    BorrowedMixedRows borrowed;
    std::optional<NeighborSearch> search;

    BorrowedSearch(nb::handle values, nb::handle is_level, const Measure& measure)
        : borrowed(values, is_level) {
        require(borrowed.rows.n_rows > 0, "rows: at least one");
        interruptible([&](const auto& check) { search.emplace(borrowed.rows, measure, check); });
    }

    MixedRows queries(const Buffer& given) const {
        require(given.n_axes() == 2 && given.length(1) == borrowed.rows.n_columns(),
                "queries: one column for each of the rows");
        return {given.length(0), given.elements<double>(), borrowed.rows.is_level};
    }
};

// How the neighbors of Python's queries vote; weights are borrowed.
struct BorrowedVoting {
    BorrowedWeights weights;
    Voting voting;

    BorrowedVoting(const BorrowedSearch& self, double n_neighbors, nb::handle weight, bool all_ties,
                   bool rounds, bool by_distance)
        : weights(weight, self.borrowed.rows.n_rows),
          voting{Wanted{n_neighbors, all_ties, rounds, weights.values}, by_distance} {
        require(n_neighbors > 0, "n_neighbors: above 0");
    }
    BorrowedVoting(const BorrowedVoting&) = delete;
};

void find_nearest(const BorrowedSearch& self, nb::handle queries, int n_threads,
                  nb::handle rows_out, nb::handle distances_out) {
    const Buffer rows_buffer(rows_out, "rows", true);
    const Buffer distances_buffer(distances_out, "distances", true);
    const auto rows = rows_buffer.writable_elements<std::int64_t>();
    const auto distances = distances_buffer.writable_elements<double>();
    std::optional<Buffer> given;
    std::optional<MixedRows> asked;
    if (!queries.is_none()) asked = self.queries(given.emplace(queries, "queries"));
    const std::size_t n_rows = self.borrowed.rows.n_rows;
    const std::size_t n_queries = asked ? asked->n_rows : n_rows;
    const std::size_t k = rows_buffer.length(1);
    require(rows.size() == n_queries * k && distances.size() == rows.size(),
            "rows, distances: as many lines as queries");
    require(k > 0 && k <= n_rows - (asked ? 0 : 1),
            "rows: as many columns as there can be neighbors");
    const Wanted wanted{static_cast<double>(k)};
    interruptible([&](const auto& check) {
        const auto write = [&](std::size_t query, std::span<const neighbors::Neighbor> found) {
            for (std::size_t i = 0; i < k; ++i) {
                rows[query * k + i] = found[i].row;
                distances[query * k + i] =
                    neighbors::distance_of(found[i].apart, self.search->measure());
            }
        };
        self.search->visit_nearest(asked, wanted, n_threads, write, check);
    });
}

nb::tuple neighbors_of(const BorrowedSearch& self, nb::handle query, const BorrowedVoting& voting) {
    const Buffer given(query, "query");
    const MixedRows asked = self.queries(given);
    require(asked.n_rows == 1, "query: one row");
    std::vector<std::int64_t> rows;
    std::vector<double> distances, counts;
    interruptible([&](const auto& check) {
        const Measure& measure = self.search->measure();
        const auto keep = [&](std::size_t, std::span<const neighbors::Neighbor> found) {
            for (const auto& one : found) {
                rows.push_back(one.row);
                distances.push_back(neighbors::distance_of(one.apart, measure));
            }
            counts = neighbors::counts_of(found, voting.voting, measure);
        };
        self.search->visit_nearest(asked, voting.voting.wanted, 1, keep, check);
    });
    return nb::make_tuple(owned_array(std::move(rows)), owned_array(std::move(distances)),
                          owned_array(std::move(counts)));
}

void class_votes(const BorrowedSearch& self, nb::handle queries, const BorrowedVoting& voting,
                 nb::handle codes, int n_threads, nb::handle out) {
    const Buffer given(queries, "queries"), codes_buffer(codes, "codes"),
        out_buffer(out, "out", true);
    const MixedRows asked = self.queries(given);
    const auto classes = codes_buffer.elements<std::int32_t>();
    const auto votes = out_buffer.writable_elements<double>();
    const std::size_t n_classes = out_buffer.length(1);
    require(classes.size() == self.borrowed.rows.n_rows, "codes: one for each row");
    require(votes.size() == asked.n_rows * n_classes, "out: one line for each query");
    for (const std::int32_t code : classes) {
        require(code >= 0 && static_cast<std::size_t>(code) < n_classes, "codes: below n_classes");
    }
    interruptible([&](const auto& check) {
        neighbors::class_votes(*self.search, asked, voting.voting, classes, n_classes, n_threads,
                               votes, check);
    });
}

void mean_targets(const BorrowedSearch& self, nb::handle queries, const BorrowedVoting& voting,
                  nb::handle targets, int n_threads, nb::handle out) {
    const Buffer given(queries, "queries"), targets_buffer(targets, "targets"),
        out_buffer(out, "out", true);
    const MixedRows asked = self.queries(given);
    const auto of_rows = targets_buffer.elements<double>();
    const auto means = out_buffer.writable_elements<double>();
    require(of_rows.size() == self.borrowed.rows.n_rows, "targets: one for each row");
    require(means.size() == asked.n_rows, "out: one for each query");
    interruptible([&](const auto& check) {
        neighbors::mean_targets(*self.search, asked, voting.voting, of_rows, n_threads, means,
                                check);
    });
}

void distance_sums(nb::handle values, nb::handle is_level, const Measure& measure,
                   nb::handle groups, int n_threads, nb::handle out) {
    const BorrowedMixedRows borrowed(values, is_level);
    const Buffer groups_buffer(groups, "groups"), out_buffer(out, "out", true);
    const auto group = groups_buffer.elements<std::int32_t>();
    const auto sums = out_buffer.writable_elements<double>();
    const std::size_t n_groups = out_buffer.length(1);
    require(group.size() == borrowed.rows.n_rows, "groups: one for each row");
    require(sums.size() == borrowed.rows.n_rows * n_groups, "out: one line for each row");
    for (const std::int32_t code : group) {
        require(code >= 0 && static_cast<std::size_t>(code) < n_groups, "groups: below n_groups");
    }
    interruptible([&](const auto& check) {
        neighbors::distance_sums(borrowed.rows, measure, group, n_groups, n_threads, sums, check);
    });
}

}  // namespace

void bind_neighbors(nb::module_& module) {
    nb::enum_<Missing>(module, "MissingInDistance")
        .value("as_one", Missing::as_one)
        .value("farthest", Missing::farthest)
        .value("left_out", Missing::left_out);
    nb::class_<Measure>(module, "DistanceMeasure")
        .def(
            "__init__",
            [](Measure* self, bool squares, Missing missing) {
                new (self) Measure{squares, missing};
            },
            "squares"_a, "missing"_a);
    nb::class_<BorrowedVoting>(module, "NeighborVoting")
        .def(nb::init<const BorrowedSearch&, double, nb::handle, bool, bool, bool>(), "search"_a,
             "n_neighbors"_a, "weight"_a.none(), "all_ties"_a, "rounds"_a, "by_distance"_a);
    nb::class_<BorrowedSearch>(module, "NeighborSearch")
        .def(nb::init<nb::handle, nb::handle, const Measure&>(), "rows"_a, "is_level"_a,
             "measure"_a)
        .def("find_nearest", &find_nearest, "queries"_a.none(), "n_threads"_a, "rows"_a,
             "distances"_a, "Write the nearest rows of each query; without queries of each row.")
        .def("neighbors_of", &neighbors_of, "query"_a, "voting"_a,
             "The neighbors of one row that count: rows, distances, how much each counts.")
        .def("class_votes", &class_votes, "queries"_a, "voting"_a, "codes"_a, "n_threads"_a,
             "out"_a, "Write how much the neighbors of each class count.")
        .def("mean_targets", &mean_targets, "queries"_a, "voting"_a, "targets"_a, "n_threads"_a,
             "out"_a, "Write the mean target of the neighbors.");
    module.def("distance_sums", &distance_sums, "rows"_a, "is_level"_a, "measure"_a, "groups"_a,
               "n_threads"_a, "out"_a, "Write how far each row is from all rows of each group.");
}

}  // namespace treewright::bindings
