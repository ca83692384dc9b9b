// Signed numbers as indices.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>

namespace treewright {

// The index of a node, column, level or offset. These are signed so that -1 can mean "none", which
// must never be looked up; builds for tests stop there.
constexpr std::size_t as_index(std::signed_integral auto number) {
    assert(number >= 0);
    return static_cast<std::size_t>(number);
}

}  // namespace treewright
