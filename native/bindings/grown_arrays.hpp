// A grown tree as arrays by name.
#pragma once

#include "bindings/arrays.hpp"
#include "core/grow/grown_tree.hpp"

namespace treewright::bindings {

nb::dict tree_arrays(GrownTree&& tree);

}  // namespace treewright::bindings
