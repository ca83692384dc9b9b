// The folder that large vectors are put into.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "core/large_vector.hpp"

namespace treewright::bindings {

// None: memory.
inline Folder folder_of(nanobind::handle given) {
    if (given.is_none()) return {};
    return std::make_shared<const std::string>(nanobind::cast<nanobind::str>(given).c_str());
}

}  // namespace treewright::bindings
