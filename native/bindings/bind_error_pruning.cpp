#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/borrowed_rows.hpp"
#include "bindings/folder.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/owned_array.hpp"
#include "bindings/tree_arrays.hpp"
#include "core/grow/stopping.hpp"
#include "core/parallel/cancellation.hpp"
#include "core/prune/error_pruning.hpp"

namespace treewright::bindings {

using namespace nb::literals;

namespace {

nb::dict arrays_of(PrunedTree&& tree) {
    nb::dict arrays;
    arrays["origin"] = owned_array(std::move(tree.origin));
    arrays["question"] = owned_array(std::move(tree.question));
    arrays["first_child"] = owned_array(std::move(tree.first_child));
    arrays["n_children"] = owned_array(std::move(tree.n_children));
    arrays["missing_child"] = owned_array(std::move(tree.missing_child));
    arrays["value"] = owned_array(std::move(tree.value));
    arrays["weight"] = owned_array(std::move(tree.weight));
    arrays["n_rows"] = owned_array(std::move(tree.n_rows));
    arrays["level_start"] = owned_array(std::move(tree.level_start));
    arrays["level_code"] = owned_array(std::move(tree.level_code));
    arrays["level_child"] = owned_array(std::move(tree.level_child));
    arrays["became"] = owned_array(std::move(tree.became));
    arrays["as_leaf"] = owned_array(std::move(tree.as_leaf));
    arrays["as_subtree"] = owned_array(std::move(tree.as_subtree));
    arrays["as_branch"] = owned_array(std::move(tree.as_branch));
    arrays["decided_weight"] = owned_array(std::move(tree.decided_weight));
    arrays["decided_errors"] = owned_array(std::move(tree.decided_errors));
    return arrays;
}

template <typename T>
std::span<const T> elements_or_none(const std::vector<Buffer>& buffer) {
    return buffer.empty() ? std::span<const T>{} : buffer[0].elements<T>();
}

std::vector<Buffer> buffer_or_none(nb::handle object, const char* name) {
    std::vector<Buffer> buffer;
    if (!object.is_none()) buffer.emplace_back(object, name);
    return buffer;
}

nb::dict prune(nb::object tree, nb::object n_levels, nb::object X, nb::object codes,
               nb::object weights, nb::object unit, nb::object price, double confidence, double z,
               bool unseen_to_majority, int n_threads, nb::handle folder) {
    const BorrowedTree borrowed(tree, n_levels, unseen_to_majority);
    const BorrowedRows rows = borrow_rows(X, borrowed.view().n_levels);
    const Buffer code_buffer(codes, "codes"), unit_buffer(unit, "unit");
    const auto weight_buffer = buffer_or_none(weights, "weights");
    const auto price_buffer = buffer_or_none(price, "price");
    const TrainingTargets targets{code_buffer.elements<std::int32_t>(),
                                  elements_or_none<double>(weight_buffer), folder_of(folder)};
    const ErrorSettings settings{confidence, z, unit_buffer.elements<double>(),
                                 elements_or_none<double>(price_buffer)};
    require(targets.codes.size() == n_rows_of(rows.rows), "codes: one class per row");
    require(targets.weights.empty() || targets.weights.size() == targets.codes.size(),
            "weights: one weight per row");
    for (const std::int32_t code : targets.codes) {
        require(code >= 0 && static_cast<std::size_t>(code) < settings.unit.size(),
                "codes: not a class");
    }
    PrunedTree pruned;
    try {
        const Unlocked unlocked;
        pruned = prune_by_errors(borrowed.view(), rows.rows, targets, settings, n_threads,
                                 python_interrupted);
    } catch (const Interrupted&) {
        throw nb::python_error();
    }
    return arrays_of(std::move(pruned));
}

void fill_pessimistic_errors(nb::object weights, nb::object errors, nb::object out,
                             double confidence, double z) {
    const Buffer weight_buffer(weights, "weights"), error_buffer(errors, "errors");
    const Buffer target(out, "out", true);
    const auto n = weight_buffer.elements<double>();
    const auto e = error_buffer.elements<double>();
    const auto estimates = target.writable_elements<double>();
    require(n.size() == e.size() && n.size() == estimates.size(), "arrays of equal length");
    for (std::size_t i = 0; i < n.size(); ++i) {
        estimates[i] = pessimistic_errors(n[i], e[i], confidence, z);
    }
}

}  // namespace

void bind_error_pruning(nb::module_& module) {
    module.def("prune_by_errors", &prune, "tree"_a, "n_levels"_a, "X"_a, "codes"_a,
               "weights"_a.none(), "unit"_a, "price"_a.none(), "confidence"_a, "z"_a,
               "unseen_to_majority"_a, "n_threads"_a, "folder"_a.none() = nb::none(), InStandardArithmetic(),
               "Arrays of the tree pruned by C4.5's estimate of errors, with subtree raising.");
    module.def("pessimistic_errors", &fill_pessimistic_errors, "weights"_a, "errors"_a, "out"_a,
               "confidence"_a, "z"_a, InStandardArithmetic(),
               "Fill `out` with the errors expected at leaves of these weights and errors.");
}

}  // namespace treewright::bindings
