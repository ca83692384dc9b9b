#include <nanobind/nanobind.h>

namespace treewright::bindings {
// One bind_* function for each file in this folder.
void bind_arrow(nanobind::module_& module);
void bind_binned_table(nanobind::module_& module);
void bind_clustering(nanobind::module_& module);
void bind_cost_complexity(nanobind::module_& module);
void bind_csv(nanobind::module_& module);
void bind_error_pruning(nanobind::module_& module);
void bind_forest(nanobind::module_& module);
void bind_gradient_trees(nanobind::module_& module);
void bind_grow(nanobind::module_& module);
void bind_held_table(nanobind::module_& module);
void bind_isolation(nanobind::module_& module);
void bind_levels(nanobind::module_& module);
void bind_linear(nanobind::module_& module);
void bind_model_tree(nanobind::module_& module);
void bind_oblique(nanobind::module_& module);
void bind_neighbors(nanobind::module_& module);
void bind_optimal(nanobind::module_& module);
void bind_packed_trees(nanobind::module_& module);
void bind_portable(nanobind::module_& module);
void bind_predict(nanobind::module_& module);
void bind_row_sets(nanobind::module_& module);
void bind_shap(nanobind::module_& module);
void bind_short_cuts(nanobind::module_& module);
void bind_standard_arithmetic(nanobind::module_& module);
void bind_stop_flag(nanobind::module_& module);
void bind_subtree_table(nanobind::module_& module);
void bind_tree_partitions(nanobind::module_& module);
}  // namespace treewright::bindings

NB_MODULE(_native, module) {
    // A model that lives until the interpreter ends (in a cache, say) is no leak to warn about.
    nanobind::set_leak_warnings(false);
    module.doc() = "Compiled kernels. Private: call them through treewright._kernels.";
    treewright::bindings::bind_arrow(module);
    treewright::bindings::bind_binned_table(module);
    treewright::bindings::bind_clustering(module);
    treewright::bindings::bind_cost_complexity(module);
    treewright::bindings::bind_csv(module);
    treewright::bindings::bind_error_pruning(module);
    treewright::bindings::bind_forest(module);
    treewright::bindings::bind_gradient_trees(module);
    treewright::bindings::bind_grow(module);
    treewright::bindings::bind_held_table(module);
    treewright::bindings::bind_isolation(module);
    treewright::bindings::bind_levels(module);
    treewright::bindings::bind_linear(module);
    treewright::bindings::bind_model_tree(module);
    treewright::bindings::bind_oblique(module);
    treewright::bindings::bind_neighbors(module);
    treewright::bindings::bind_optimal(module);
    treewright::bindings::bind_packed_trees(module);
    treewright::bindings::bind_portable(module);
    treewright::bindings::bind_predict(module);
    treewright::bindings::bind_row_sets(module);
    treewright::bindings::bind_shap(module);
    treewright::bindings::bind_short_cuts(module);
    treewright::bindings::bind_standard_arithmetic(module);
    treewright::bindings::bind_stop_flag(module);
    treewright::bindings::bind_subtree_table(module);
    treewright::bindings::bind_tree_partitions(module);
}
