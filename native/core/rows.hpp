// The rows to predict, where they lie: a matrix of any strides, or one array per column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <variant>

#include "core/tree_view.hpp"

namespace treewright {

// Strides are in bytes and may be negative or odd, so elements are copied out, not pointed at.
template <typename T>
T load(const std::byte* address) {
    T element;
    std::memcpy(&element, address, sizeof(T));
    return element;
}

// All columns numeric, of one type.
template <typename T>
struct Matrix {
    const std::byte* data;
    std::ptrdiff_t row_stride;
    std::ptrdiff_t column_stride;
    std::size_t n_rows;

    double number(std::size_t row, std::size_t column) const {
        return load<T>(data + static_cast<std::ptrdiff_t>(row) * row_stride +
                       static_cast<std::ptrdiff_t>(column) * column_stride);
    }
    std::int32_t code(std::size_t, std::size_t) const { return missing_code; }
};

enum class ElementType : std::uint8_t { float32, float64, int32 };

struct ColumnView {
    const std::byte* data;
    std::ptrdiff_t stride;
    ElementType type;
};

// Numeric columns hold floats, nominal and ordered ones int32 codes; the binding has checked.
struct Columns {
    std::span<const ColumnView> columns;
    std::size_t n_rows;

    double number(std::size_t row, std::size_t column) const {
        const ColumnView& view = columns[column];
        const std::byte* address = view.data + static_cast<std::ptrdiff_t>(row) * view.stride;
        if (view.type == ElementType::float32) return load<float>(address);
        return load<double>(address);
    }
    std::int32_t code(std::size_t row, std::size_t column) const {
        const ColumnView& view = columns[column];
        return load<std::int32_t>(view.data + static_cast<std::ptrdiff_t>(row) * view.stride);
    }
};

using Rows = std::variant<Matrix<float>, Matrix<double>, Columns>;

}  // namespace treewright
