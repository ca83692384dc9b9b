// Training columns that Python gives, as the growers read them.
#pragma once

#include <cstdint>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/grow/columns.hpp"

namespace treewright::bindings {

// Columns arrive as (kind, array, number of levels); the arrays stay borrowed during the call.
struct BorrowedColumns {
    std::vector<Buffer> buffers;
    std::vector<ColumnView> views;

    BorrowedColumns(const nb::list& columns, std::size_t n_rows) {
        buffers.reserve(columns.size());
        views.reserve(columns.size());
        for (const nb::handle item : columns) {
            const auto column = nb::cast<nb::tuple>(item);
            buffers.emplace_back(column[1], "column");
            const Buffer& buffer = buffers.back();
            require(buffer.n_axes() == 1 && buffer.length(0) == n_rows,
                    "column: one value per row");
            const int kind = nb::cast<int>(column[0]);
            ColumnView view;
            view.kind = static_cast<ColumnKind>(kind);
            view.n_levels = nb::cast<std::int32_t>(column[2]);
            require(
                kind >= 0 && kind <= static_cast<int>(ColumnKind::ordered) && view.n_levels >= 0,
                "column: of no known kind");
            view.data = reinterpret_cast<const char*>(buffer.data());
            view.stride = buffer.stride(0);
            view.type = type_of(buffer);
            require((view.kind == ColumnKind::numeric) == (view.type != ValueType::int32),
                    "column: numbers as floats, levels as 32-bit codes");
            check_codes(view, n_rows);
            views.push_back(view);
        }
    }

    static ValueType type_of(const Buffer& buffer) {
        if (buffer.holds<double>()) return ValueType::float64;
        if (buffer.holds<float>()) return ValueType::float32;
        require(buffer.holds<std::int32_t>(), "column: float64, float32 or int32");
        return ValueType::int32;
    }

    static void check_codes(const ColumnView& view, std::size_t n_rows) {
        if (view.kind == ColumnKind::numeric) return;
        for (std::size_t row = 0; row < n_rows; ++row) {
            require(view.code(row) < view.n_levels, "column: a code without a level");
        }
    }
};

}  // namespace treewright::bindings
