#include <nanobind/nanobind.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/borrowed_training.hpp"
#include "bindings/grown_arrays.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/lists.hpp"
#include "bindings/owned_array.hpp"
#include "core/grow/subtree_table.hpp"

namespace treewright::bindings {
namespace {

using namespace nb::literals;

nb::dict as_dict(HandedNode&& node) {
    nb::dict out;
    out["depth"] = node.depth;
    out["path"] = node.path;
    out["rows"] = owned_array(std::move(node.rows));
    out["columns"] = owned_array(std::move(node.columns));
    out["weight"] = owned_array(std::move(node.weight));
    out["score_weight"] = owned_array(std::move(node.score_weight));
    out["codes"] = owned_array(std::move(node.codes));
    out["n_codes"] = owned_array(std::move(node.n_codes));
    return out;
}

template <class T>
std::vector<T> values_of(const nb::dict& node, const char* name) {
    const Buffer buffer(node[name], name);
    const auto values = buffer.elements<T>();
    return {values.begin(), values.end()};
}

HandedNode node_of(const nb::dict& given, std::size_t n_rows, std::size_t n_columns) {
    HandedNode node;
    node.depth = nb::cast<std::int64_t>(given["depth"]);
    node.path = nb::cast<std::uint64_t>(given["path"]);
    node.rows = values_of<std::uint32_t>(given, "rows");
    node.columns = values_of<std::int32_t>(given, "columns");
    node.weight = values_of<double>(given, "weight");
    node.score_weight = values_of<double>(given, "score_weight");
    node.codes = values_of<std::uint8_t>(given, "codes");
    node.n_codes = values_of<std::int32_t>(given, "n_codes");

    const auto is_empty_or = [](std::size_t size, std::size_t wanted) {
        return size == 0 || size == wanted;
    };
    require(!node.rows.empty() && node.rows.back() < n_rows &&
                std::ranges::adjacent_find(node.rows, std::greater_equal{}) == node.rows.end(),
            "rows: of the table, at least one, each once, in rising order");
    for (const auto column : node.columns) {
        require(column >= 0 && static_cast<std::size_t>(column) < n_columns,
                "columns: one that the table does not have");
    }
    require(is_empty_or(node.weight.size(), node.rows.size()), "weight: one for each row");
    require(is_empty_or(node.score_weight.size(), node.weight.size()),
            "score_weight: one for each weight");
    require(is_empty_or(node.n_codes.size(), node.columns.size()), "n_codes: one for each column");
    std::size_t n_codes = 0;
    for (const auto n : node.n_codes) {
        require(n >= 0, "n_codes: below 0");
        n_codes += static_cast<std::size_t>(n);
    }
    require(n_codes == node.codes.size(), "codes: as many as n_codes says");
    return node;
}

nb::tuple top_of_tree(const nb::list& columns, nb::handle target, nb::handle weight,
                      std::size_t n_classes, const Settings& settings, std::size_t most_rows,
                      std::size_t least_rows, int n_threads, nb::handle folder) {
    const BorrowedTraining training(columns, target, weight, n_classes, folder);
    check_settings(settings, n_classes);
    cancel_if_unwanted();
    GrownTop top;
    try {
        const Unlocked unlocked;
        top = grow_top(training.data, settings, {most_rows, least_rows}, n_threads,
                       python_interrupted);
    } catch (const Interrupted&) {
        throw nb::python_error();
    }
    nb::list nodes;
    for (auto& node : top.nodes) nodes.append(as_dict(std::move(node)));
    return nb::make_tuple(tree_arrays(std::move(top.tree)), nodes);
}

// The core's table, with the arrays that it reads: they stay borrowed as long as it lives.
class Subtrees {
public:
    Subtrees(const nb::list& columns, nb::handle target, nb::handle weight, std::size_t n_classes,
             const Settings& settings, int n_threads, nb::handle folder)
        : training_(columns, target, weight, n_classes, folder) {
        check_settings(settings, n_classes);
        table_ = interruptible([&](const Check& check) {
            return std::make_unique<SubtreeTable>(training_.data, settings, n_threads, check);
        });
    }

    nb::dict grow(const nb::dict& given, int n_threads) {
        const auto node = node_of(given, training_.data.n_rows, training_.data.columns.size());
        return tree_arrays(interruptible([&](const Check& check) {
            const std::scoped_lock alone(mutex_);
            return table_->grow(node, n_threads, check);
        }));
    }

private:
    BorrowedTraining training_;
    std::unique_ptr<SubtreeTable> table_;
    std::mutex mutex_;
};

}  // namespace

void bind_subtree_table(nb::module_& module) {
    module.def("grow_top", &top_of_tree, "columns"_a, "target"_a, "weight"_a.none(), "n_classes"_a,
               "settings"_a, "most_rows"_a, "least_rows"_a, "n_threads"_a,
               "folder"_a.none() = nb::none(),
               "The arrays of the top of a tree, and its open nodes of `least_rows` to `most_rows` rows.");
    nb::class_<Subtrees>(module, "SubtreeTable", "A table that grows open nodes of `grow_top`.")
        .def(nb::init<const nb::list&, nb::handle, nb::handle, std::size_t, const Settings&, int,
                      nb::handle>(),
             "columns"_a, "target"_a, "weight"_a.none(), "n_classes"_a, "settings"_a,
             "n_threads"_a, "folder"_a.none() = nb::none())
        .def("grow", &Subtrees::grow, "node"_a, "n_threads"_a, "The arrays of a node's subtree.");
}

}  // namespace treewright::bindings
