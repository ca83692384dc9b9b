#include <cstdint>
#include <string_view>

#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/owned_array.hpp"
#include "core/io/level_index.hpp"

namespace treewright::bindings {

using namespace nb::literals;

namespace {

constexpr std::size_t cells_between_checks = 4096;

// Codes of cells of equal width in order of first appearance, and the first row of each.
nb::tuple group_cells(nb::object cells) {
    const Buffer buffer(cells, "cells");
    require(buffer.n_axes() == 2, "cells: one line of bytes for each row");
    const std::size_t width = buffer.length(1);
    const auto bytes = buffer.elements<std::uint8_t>();
    std::vector<std::int32_t> codes(buffer.length(0));
    std::vector<std::int64_t> first_rows;
    LevelIndex index;
    interruptible([&](const Check& check) {
        for (std::size_t row = 0; row < codes.size(); ++row) {
            if (row % cells_between_checks == 0) check();
            const auto* cell = reinterpret_cast<const char*>(bytes.data() + row * width);
            codes[row] = index.code_of({cell, width});
            if (index.levels().size() > first_rows.size()) {
                first_rows.push_back(static_cast<std::int64_t>(row));
            }
        }
    });
    return nb::make_tuple(owned_array(std::move(codes)), owned_array(std::move(first_rows)));
}

}  // namespace

void bind_levels(nb::module_& module) {
    module.def("group_cells", &group_cells, "cells"_a,
               "Codes of the rows of a byte matrix in order of first appearance, and the first row "
               "of each code.");
}

}  // namespace treewright::bindings
