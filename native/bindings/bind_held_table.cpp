#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/borrowed_training.hpp"
#include "bindings/call_back.hpp"
#include "bindings/grown_arrays.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/lists.hpp"
#include "bindings/owned_array.hpp"
#include "core/grow/held_table.hpp"

namespace treewright::bindings {
namespace {

using namespace nb::literals;

// The core's table, with the arrays that it reads: they stay borrowed as long as it lives.
class Held {
    struct Node {
        Buffer rows;
        BorrowedWeights weight;
        HeldNode held;

        Node(const Held& of, nb::handle given_rows, nb::handle given_weight,
             std::vector<std::uint32_t> path, std::vector<int> used)
            : rows(given_rows, "rows"), weight(given_weight, rows.length(0)) {
            held.rows = rows.elements<std::int64_t>();
            held.weight = weight.values;
            held.path = std::move(path);
            held.used = std::move(used);
            require(!held.rows.empty(), "rows: at least one");
            for (const auto row : held.rows) {
                require(row >= 0 && static_cast<std::size_t>(row) < of.training_.data.n_rows,
                        "rows: one that the table does not have");
            }
        }
    };

    void check_given(const GivenSplit& given) const {
        const auto& columns = training_.data.columns;
        require(given.column >= 0 && static_cast<std::size_t>(given.column) < columns.size(),
                "split: no such column");
        const auto kind = columns[static_cast<std::size_t>(given.column)].kind;
        const bool by_level =
            given.kind == SplitKind::branches || given.kind == SplitKind::subset;
        require(given.kind != SplitKind::leaf && by_level == (kind == ColumnKind::nominal),
                "split: of another kind than the column");
    }

    // One call at a time, whichever thread it comes from.
    template <class Work>
    auto run(Work work) {
        return interruptible([&](const Check& check) {
            const std::scoped_lock alone(mutex_);
            return work(check);
        });
    }

public:
    Held(const nb::list& columns, nb::handle target, nb::handle weight, std::size_t n_classes,
         const Settings& given, const nb::object& custom, int n_threads)
        : training_(columns, target, weight, n_classes, nb::none()) {
        Settings settings = given;
        if (!custom.is_none()) settings.custom = call_back(custom);
        table_ = interruptible([&](const Check& check) {
            return std::make_unique<HeldTable>(training_.data, settings, n_threads, check);
        });
    }

    nb::list best_splits(nb::handle rows, nb::handle weight, int n_threads) {
        const Node node(*this, rows, weight, {}, {});
        auto found = run([&](const Check& check) {
            return table_->best_splits(node.held, n_threads, check);
        });
        nb::list out;
        for (auto& best : found) out.append(as_dict(best));
        return out;
    }

    nb::dict measure(nb::handle rows, nb::handle weight, const GivenSplit& given) {
        check_given(given);
        const Node node(*this, rows, weight, {}, {});
        auto best = run(
            [&](const Check& check) { return table_->measure(node.held, given, check); });
        return as_dict(best);
    }

    nb::dict leaf(nb::handle rows, nb::handle weight, std::vector<std::uint32_t> path,
                  std::vector<int> used, int n_threads) {
        const Node node(*this, rows, weight, std::move(path), std::move(used));
        return tree_arrays(run(
            [&](const Check& check) { return table_->leaf(node.held, n_threads, check); }));
    }

    nb::dict grow(nb::handle rows, nb::handle weight, std::vector<std::uint32_t> path,
                  std::vector<int> used, std::int64_t n_levels, int n_threads) {
        const Node node(*this, rows, weight, std::move(path), std::move(used));
        return tree_arrays(run([&](const Check& check) {
            return table_->grow(node.held, n_levels, n_threads, check);
        }));
    }

    nb::dict split(nb::handle rows, nb::handle weight, std::vector<std::uint32_t> path,
                   std::vector<int> used, const GivenSplit& given, int n_threads) {
        check_given(given);
        const Node node(*this, rows, weight, std::move(path), std::move(used));
        return tree_arrays(run([&](const Check& check) {
            return table_->split(node.held, given, n_threads, check);
        }));
    }

private:
    static nb::object sums_of(const SideSums& sums) {
        if (!sums.of_class.empty()) {
            std::vector<double> line{static_cast<double>(sums.n_rows)};
            line.insert(line.end(), sums.of_class.begin(), sums.of_class.end());
            return owned_array(std::move(line));
        }
        return owned_array(std::vector<double>{static_cast<double>(sums.n_rows), sums.weight,
                                               sums.mean, sums.squares});
    }

    static nb::dict as_dict(ColumnBest& best) {
        nb::dict out;
        out["n_values"] = best.n_values;
        out["found"] = best.found;
        if (!best.found) return out;
        auto& split = best.split;
        out["kind"] = static_cast<int>(split.kind);
        out["threshold"] = split.threshold;
        out["level_code"] = nb::cast(std::move(split.level_of_code));
        out["level_child"] = nb::cast(std::move(split.child_of_code));
        out["cuts"] = nb::cast(std::move(split.cuts));
        out["n_children"] = split.n_children;
        out["n_cuts"] = best.n_cuts;
        out["missing_rows"] = split.missing_rows;
        out["missing_side"] = best.missing_side;
        nb::list sides;
        for (const auto& side : best.sides) sides.append(sums_of(side));
        out["sides"] = sides;
        out["counted"] = sums_of(best.counted);
        out["left_out"] = sums_of(best.left_out);
        out["missing"] = sums_of(best.missing);
        return out;
    }

    BorrowedTraining training_;
    std::unique_ptr<HeldTable> table_;
    std::mutex mutex_;
};

// (n_sides x 4): rows, weight, mean, and squared distances from it times weight.
nb::object bound_number_sides(nb::handle values, nb::handle weight, nb::handle side,
                              std::size_t n_sides) {
    const Buffer held_values(values, "values"), held_side(side, "side");
    const auto y = held_values.elements<double>();
    const auto of_row = held_side.elements<std::int32_t>();
    const BorrowedWeights weights(weight, y.size());
    require(of_row.size() == y.size(), "side: one for each row");
    for (const auto to : of_row) {
        require(to < 0 || static_cast<std::size_t>(to) < n_sides, "side: out of range");
    }
    std::vector<double> out;
    {
        const Unlocked unlocked;
        for (const auto& sums : number_sides(y, weights.values, of_row, n_sides)) {
            out.insert(out.end(),
                       {static_cast<double>(sums.n_rows), sums.weight, sums.mean, sums.squares});
        }
    }
    return owned_array(std::move(out));
}

}  // namespace

void bind_held_table(nb::module_& module) {
    nb::class_<GivenSplit>(module, "GivenSplit", "A split that a person asks for.")
        .def("__init__",
             [](GivenSplit* self, int column, int kind, double threshold,
                std::vector<std::int32_t> first_levels, std::vector<double> cuts) {
                 require(kind >= 0 && kind <= static_cast<int>(SplitKind::subset),
                         "kind: out of range");
                 new (self) GivenSplit{column, static_cast<SplitKind>(kind), threshold,
                                       std::move(first_levels), std::move(cuts)};
             },
             "column"_a, "kind"_a, "threshold"_a, "first_levels"_a, "cuts"_a);
    nb::class_<Held>(module, "HeldTable", "A table held while a tree is grown on it by hand.")
        .def(nb::init<const nb::list&, nb::handle, nb::handle, std::size_t, const Settings&,
                      const nb::object&, int>(),
             "columns"_a, "target"_a, "weight"_a.none(), "n_classes"_a, "settings"_a,
             "custom"_a.none(), "n_threads"_a)
        .def("best_splits", &Held::best_splits, "rows"_a, "weight"_a.none(), "n_threads"_a,
             "The best split of each column, and the sums of its sides.")
        .def("measure", &Held::measure, "rows"_a, "weight"_a.none(), "given"_a,
             "The same of a given split.")
        .def("leaf", &Held::leaf, "rows"_a, "weight"_a.none(), "path"_a, "used"_a, "n_threads"_a,
             "The arrays of a tree of this node alone.")
        .def("split", &Held::split, "rows"_a, "weight"_a.none(), "path"_a, "used"_a, "given"_a,
             "n_threads"_a, "The arrays of a tree of this node and its children.")
        .def("grow", &Held::grow, "rows"_a, "weight"_a.none(), "path"_a, "used"_a, "n_levels"_a,
             "n_threads"_a, "The arrays of the tree that the settings grow from this node.");
    module.def("number_sides", &bound_number_sides, "values"_a, "weight"_a.none(), "side"_a,
               "n_sides"_a,
               "For each side of some rows: number, weight, mean, squared distances x weight.");
}

}  // namespace treewright::bindings
