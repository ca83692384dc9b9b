#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "bindings/borrowed_columns.hpp"
#include "bindings/histogram_table.hpp"
#include "bindings/interrupt.hpp"
#include "core/histogram/packed/packed_ensemble.hpp"
#include "core/histogram/threshold_neighbors.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using histogram::BinnedColumn;
using histogram::BinnedTable;
using histogram::PackedEnsemble;
using histogram::ThresholdNeighbors;

namespace {

// Columns of another table may be cut as those that trees were grown on.
void require_same_kinds(const std::vector<ColumnView>& views,
                        const std::vector<BinnedColumn>& columns) {
    require(views.size() == columns.size(), "like: trees of a table with other columns");
    for (std::size_t c = 0; c < views.size(); ++c) {
        const bool coded = views[c].kind != ColumnKind::numeric;
        require(coded == columns[c].coded && views[c].is_nominal() == columns[c].nominal,
                "like: a column of another kind");
        require(!columns[c].nominal || views[c].n_levels <= columns[c].n_bins,
                "like: a column with more levels");
    }
}

void require_size(std::size_t n_rows, std::size_t n_columns) {
    require(n_rows > 0 && n_rows < (std::size_t{1} << 30), "rows: at least one, below 2^30");
    require(n_columns <= histogram::max_columns, "columns: too many");
}

void make_table(BinnedTable* self, const nb::list& columns, std::size_t n_rows, nb::handle weight,
                int n_bins, int n_threads, const PackedEnsemble* like) {
    require_size(n_rows, columns.size());
    require(n_bins >= 2 && n_bins <= histogram::max_bins, "n_bins: from 2 to 255");
    const BorrowedColumns borrowed(columns, n_rows);
    const BorrowedWeights weights(weight, n_rows);
    if (like != nullptr) require_same_kinds(borrowed.views, like->columns);
    new (self) BinnedTable(interruptible([&](const auto& check) {
        auto plan = like != nullptr
                        ? like->columns
                        : histogram::plan_columns(borrowed.views, n_rows, weights.values, n_bins,
                                                  n_threads, check);
        return histogram::bin_table(borrowed.views, n_rows, std::move(plan), n_threads, check);
    }));
}

// How rows that come in blocks become bytes.
struct BlockPlan {
    histogram::ColumnPlan plan;
    std::vector<ColumnView> kinds;  // of the sample, which is gone
    std::size_t n_rows;             // of all blocks
    double largest_weight;
    int n_threads;
};

void require_same_columns(const std::vector<ColumnView>& views,
                          const std::vector<ColumnView>& kinds) {
    require(std::ranges::equal(views, kinds,
                               [](const ColumnView& a, const ColumnView& b) {
                                   return a.kind == b.kind && a.type == b.type &&
                                          a.n_levels == b.n_levels;
                               }),
            "columns: other kinds, types or levels than those of the sample");
}

void make_plan(BlockPlan* self, const nb::list& sample, std::size_t n_sampled, std::size_t n_rows,
               double largest_weight, int n_bins, int n_threads, std::size_t most_values) {
    require_size(n_rows, sample.size());
    require(n_bins >= 2 && n_bins <= histogram::max_bins, "n_bins: from 2 to 255");
    require(largest_weight > 0 && largest_weight < std::numeric_limits<double>::infinity(),
            "largest_weight: a number above 0");
    n_threads = std::max(n_threads, 1);
    const BorrowedColumns borrowed(sample, n_sampled);
    auto plan = interruptible([&](const auto& check) {
        return histogram::ColumnPlan(borrowed.views, n_sampled,
                                     {n_rows, n_bins, n_threads, most_values}, check);
    });
    new (self) BlockPlan{std::move(plan), borrowed.views, n_rows, largest_weight, n_threads};
}

void read_block(BlockPlan& self, const nb::list& columns, std::size_t n_rows, nb::handle weight) {
    const BorrowedColumns borrowed(columns, n_rows);
    const BorrowedWeights weights(weight, n_rows);
    require_same_columns(borrowed.views, self.kinds);
    interruptible([&](const auto& check) {
        self.plan.read(borrowed.views, n_rows,
                       histogram::RowWeights(weights.values, self.largest_weight), check);
    });
}

bool end_pass(BlockPlan& self) {
    return interruptible([&](const auto& check) { return self.plan.end_pass(check); });
}

// What a plan read in this pass, of each column that it still asks about: values and weights.
nb::list take_out(BlockPlan& self) {
    nb::list all;
    for (const histogram::Collection& one : self.plan.take_out()) {
        all.append(nb::make_tuple(
            nb::bytes(one.values.data(), one.values.size() * sizeof one.values[0]),
            nb::bytes(one.weights.data(), one.weights.size() * sizeof one.weights[0])));
    }
    return all;
}

template <class Number>
std::vector<Number> numbers_in(nb::handle given) {
    const auto bytes = nb::cast<nb::bytes>(given);
    require(bytes.size() % sizeof(Number) == 0, "others: a part of a number");
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.c_str(), bytes.size());
    return numbers;
}

void add_others(BlockPlan& self, const nb::list& others) {
    std::vector<histogram::Collection> all;
    for (const nb::handle one : others) {
        require(nb::len(one) == 2, "others: values and weights of each column");
        all.push_back({numbers_in<double>(one[0]), numbers_in<histogram::WeightSum>(one[1])});
    }
    self.plan.add(std::move(all));
}

nb::list asked_of(const BlockPlan& self) {
    nb::list all;
    for (const histogram::CutSearch::Asked& one : self.plan.asked()) {
        all.append(nb::make_tuple(one.column,
                                  nb::bytes(one.is_wanted.data(), one.is_wanted.size())));
    }
    return all;
}

void ask(BlockPlan& self, const nb::list& asked) {
    std::vector<histogram::CutSearch::Asked> all;
    for (const nb::handle one : asked) {
        require(nb::len(one) == 2, "asked: a column and its ranges");
        all.push_back({nb::cast<std::size_t>(one[0]), numbers_in<std::uint8_t>(one[1])});
    }
    self.plan.ask(std::move(all));
}

// A table that is being filled block by block.
struct BlockTable {
    std::vector<Buffer> room;  // of a mapped file; empty: memory
    BinnedTable table;
    int n_threads;
};

void start_table(BlockTable* self, nb::handle plan, std::size_t n_rows, int n_threads,
                 const nb::list& room) {
    const std::vector<BinnedColumn>& columns =
        nb::isinstance<BlockPlan>(plan) ? nb::cast<const BlockPlan&>(plan).plan.columns()
                                        : nb::cast<const PackedEnsemble&>(plan).columns;
    require_size(n_rows, columns.size());
    const auto n_bytes = histogram::bytes_of_table(n_rows, columns.size());
    std::vector<Buffer> buffers;
    std::vector<histogram::TableBytes> bytes;
    require(room.size() == 0 || room.size() == 2, "room: bytes by row and by column, or nothing");
    for (std::size_t i = 0; i < 2; ++i) {
        if (room.size() == 0) {
            bytes.emplace_back(n_bytes[i]);
            continue;
        }
        const auto given =
            buffers.emplace_back(room[i], "room", true).writable_elements<std::uint8_t>();
        require(given.size() == n_bytes[i], "room: another number of bytes");
        expect_use(given.data(), given.size(), FileUse::scattered);  // a bit of every column at a time
        bytes.emplace_back(given);
    }
    new (self) BlockTable{
        std::move(buffers),
        histogram::start_table(n_rows, columns, std::move(bytes[0]), std::move(bytes[1])),
        std::max(n_threads, 1)};
}

void bin_block(BlockTable& self, const nb::list& columns, std::size_t n_rows, std::size_t first) {
    const BorrowedColumns borrowed(columns, n_rows);
    require_same_kinds(borrowed.views, self.table.columns);
    require(first <= self.table.n_rows && n_rows <= self.table.n_rows - first,
            "rows: more than the table has");
    interruptible([&](const auto& check) {
        histogram::bin_rows(borrowed.views, n_rows, self.table, first, self.n_threads, check);
    });
}

BinnedTable finished(BlockTable& self) {
    require(self.table.n_columns > 0 || self.table.n_rows > 0, "the table was taken already");
    for (const Buffer& one : self.room) {
        const auto given = one.writable_elements<std::uint8_t>();
        expect_use(given.data(), given.size(), FileUse::in_order);
    }
    return interruptible([&](const auto&) {
        histogram::finish_table(self.table, self.n_threads);
        return std::exchange(self.table, {});
    });
}

nb::tuple bytes_of_table(std::size_t n_rows, std::size_t n_columns) {
    const auto [by_row, by_column] = histogram::bytes_of_table(n_rows, n_columns);
    return nb::make_tuple(by_row, by_column);
}

nb::list cuts_of(const BinnedTable& table, std::size_t column) {
    require(column < table.n_columns, "column: not in the table");
    nb::list cuts;
    for (const double cut : table.columns[column].cuts) cuts.append(cut);
    return cuts;
}

nb::list has_missing(const BinnedTable& table) {
    nb::list known;
    for (const BinnedColumn& column : table.columns) known.append(column.has_missing);
    return known;
}

std::uint64_t digest(const BinnedTable& table, std::size_t first_row) {
    return interruptible([&](const auto& check) {
        return histogram::digest_of_cells(table, first_row, check);
    });
}

PackedEnsemble no_trees(const BinnedTable& table) { return {{}, table.columns, 1, false}; }

PackedEnsemble no_trees_of_plan(const BlockPlan& self) {
    return {{}, self.plan.columns(), 1, false};
}

nb::bytes bins_of(const BinnedTable& table, std::size_t column) {
    require(column < table.n_columns, "column: not in the table");
    if (table.columns[column].is_wide()) {
        const auto& codes = table.wide[column];
        return nb::bytes(codes.data(), codes.size() * sizeof(std::uint32_t));
    }
    return nb::bytes(table.column(column), table.n_rows);
}

void fill_neighbors(const nb::list& columns, std::size_t n_rows, const nb::list& thresholds,
                    const nb::list& below, const nb::list& above, int n_threads) {
    const BorrowedColumns borrowed(columns, n_rows);
    const std::size_t n = borrowed.views.size();
    require(thresholds.size() == n && below.size() == n && above.size() == n,
            "thresholds, below, above: one of each for each column");
    std::vector<Buffer> buffers;
    buffers.reserve(3 * n);
    std::vector<ThresholdNeighbors> wanted;
    for (std::size_t c = 0; c < n; ++c) {
        const auto at = buffers.emplace_back(thresholds[c], "thresholds").elements<double>();
        const auto low = buffers.emplace_back(below[c], "below", true).writable_elements<double>();
        const auto high = buffers.emplace_back(above[c], "above", true).writable_elements<double>();
        require(borrowed.views[c].kind == ColumnKind::numeric, "columns: numbers only");
        require(at.size() <= ThresholdNeighbors::most_thresholds && std::ranges::is_sorted(at),
                "thresholds: not so many, ascending");
        require(low.size() == at.size() && high.size() == at.size(),
                "below, above: one for each threshold");
        wanted.push_back({borrowed.views[c], at, low, high});
    }
    interruptible([&](const auto& check) {
        histogram::find_neighbors(wanted, n_rows, n_threads, check);
    });
}

}  // namespace

void bind_binned_table(nb::module_& module) {
    nb::class_<BinnedTable>(module, "BinnedTable", "A table as bytes, for histogram growers.")
        .def("__init__", &make_table, "columns"_a, "n_rows"_a, "weight"_a.none(), "n_bins"_a,
             "n_threads"_a, "like"_a.none() = nb::none(),
             "Cut columns into bins, or cut them as the columns of trees were.")
        .def("cuts", &cuts_of, "column"_a, "Where a column is cut: bin b holds values <= cuts[b].")
        .def("bins", &bins_of, "column"_a, "The bin of each row as a byte; 255 is missing. Of more than 255 categories the codes, "
             "four bytes each.")
        .def("has_missing", &has_missing, "Whether each column has missing values.")
        .def("digest", &digest, "first_row"_a,
             "A number that depends on every cell and on the number of its row; those of parts of a "
             "table add up, modulo 2^64, to that of all.")
        .def("no_trees", &no_trees, "An ensemble in the bins of this table, without trees.")
        .def_ro("n_rows", &BinnedTable::n_rows)
        .def_ro("n_columns", &BinnedTable::n_columns)
        .def_prop_ro("nbytes", &BinnedTable::n_bytes);
    nb::class_<BlockPlan>(module, "BlockPlan", "How rows that come in blocks become bytes.")
        .def("__init__", &make_plan, "sample"_a, "n_sampled"_a, "n_rows"_a, "largest_weight"_a,
             "n_bins"_a, "n_threads"_a, "most_values"_a,
             "Begin with a sample of the rows, which decides how long the passes take.")
        .def("read", &read_block, "columns"_a, "n_rows"_a, "weight"_a.none(),
             "Read a block; in every pass each row is read once, in any order.")
        .def("take_out", &take_out,
             "What was read in this pass, for another plan of the same sample: pairs of bytes.")
        .def("add", &add_others, "others"_a, "Add what another plan read in the same pass.")
        .def("asked", &asked_of,
             "What this pass collects, for the `ask` of a plan that was not there in the passes "
             "that collected before; nothing in passes that count.")
        .def("ask", &ask, "asked"_a)
        .def("end_pass", &end_pass, "Whether the plan is complete, so that no pass must follow.")
        .def("no_trees", &no_trees_of_plan, "An ensemble in these bins, without trees.");
    nb::class_<BlockTable>(module, "BlockTable", "A binned table that is filled block by block.")
        .def("__init__", &start_table, "plan"_a, "n_rows"_a, "n_threads"_a, "room"_a = nb::list(),
             "Begin a table by a complete BlockPlan, or in the bins of PackedTrees. Its bytes may "
             "be in two arrays of the sizes that bytes_of_table says.")
        .def("read", &bin_block, "columns"_a, "n_rows"_a, "first"_a,
             "Put a block into the rows from `first` on.")
        .def("finished", &finished, nb::keep_alive<0, 1>(),
             "The table, once every row was read; it can be taken once.");
    module.def("bytes_of_table", &bytes_of_table, "n_rows"_a, "n_columns"_a,
               "How many bytes a binned table takes by row, and by column.");
    module.def("threshold_neighbors", &fill_neighbors, "columns"_a, "n_rows"_a, "thresholds"_a,
               "below"_a, "above"_a, "n_threads"_a,
               "Fill in the numbers of each column next to its thresholds on both sides.");
    module.attr("MOST_NEIGHBORED") = ThresholdNeighbors::most_thresholds;
}

}  // namespace treewright::bindings
