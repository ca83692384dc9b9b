#include <string>

#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "core/prune/cost_complexity.hpp"

namespace treewright::bindings {

using namespace nb::literals;

namespace {

// The arrays of one tree, all of one length, and the prices to be written.
class RiskArrays {
public:
    RiskArrays(nb::handle first_child, nb::handle n_children, nb::handle as_leaf,
               nb::handle stopped, nb::handle prices)
        : first_child_(first_child, "first_child"),
          n_children_(n_children, "n_children"),
          as_leaf_(as_leaf, "as_leaf"),
          stopped_(stopped, "stopped"),
          prices_(prices, "prices", true) {
        const std::size_t n_nodes = first_child_.length(0);
        for (const Buffer* buffer : {&n_children_, &as_leaf_, &stopped_, &prices_}) {
            require(buffer->n_axes() == 1 && buffer->length(0) == n_nodes,
                    "every array must have one entry per node");
        }
    }

    SubtreeRisks tree() const {
        return {.first_child = first_child_.elements<std::int32_t>(),
                .n_children = n_children_.elements<std::int32_t>(),
                .as_leaf = as_leaf_.elements<double>(),
                .stopped = stopped_.elements<double>()};
    }
    std::span<double> prices() const { return prices_.writable_elements<double>(); }

private:
    Buffer first_child_, n_children_, as_leaf_, stopped_, prices_;
};

void bound_weakest_link_prices(nb::object first_child, nb::object n_children, nb::object as_leaf,
                               nb::object stopped, nb::object prices) {
    const RiskArrays arrays(first_child, n_children, as_leaf, stopped, prices);
    const SubtreeRisks tree = arrays.tree();
    const std::span<double> out = arrays.prices();
    const Unlocked unlocked;
    weakest_link_prices(tree, out);
}

void bound_saving_per_leaf_prices(nb::object first_child, nb::object n_children, nb::object as_leaf,
                                  nb::object stopped, double least, nb::object prices) {
    const RiskArrays arrays(first_child, n_children, as_leaf, stopped, prices);
    const SubtreeRisks tree = arrays.tree();
    const std::span<double> out = arrays.prices();
    const Unlocked unlocked;
    saving_per_leaf_prices(tree, least, out);
}

}  // namespace

void bind_cost_complexity(nb::module_& module) {
    module.def("weakest_link_prices", &bound_weakest_link_prices, "first_child"_a, "n_children"_a,
               "as_leaf"_a, "stopped"_a, "prices"_a,
               "Fill `prices` with the price of a leaf at which weakest-link pruning cuts a node.");
    module.def("saving_per_leaf_prices", &bound_saving_per_leaf_prices, "first_child"_a,
               "n_children"_a, "as_leaf"_a, "stopped"_a, "least"_a, "prices"_a,
               "Fill `prices` with the price of a leaf at which rpart's rule cuts a node.");
}

}  // namespace treewright::bindings
