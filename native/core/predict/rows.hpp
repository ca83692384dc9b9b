// The rows to predict, where they lie: a matrix of any strides, or one array per column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <variant>

#include "core/predict/tree_view.hpp"

namespace treewright {

// Strides are in bytes and may be negative or odd, so elements are copied out, not pointed at.
template <typename T>
T load(const std::byte* address) {
    T element;
    std::memcpy(&element, address, sizeof(T));
    return element;
}

// Numbers of one type, the columns of a row side by side.
template <typename T>
struct RowMajor {
    static constexpr bool is_row_major = true;
    const std::byte* data;
    std::ptrdiff_t row_stride;
    std::size_t n_rows;

    // The rows from `first` on, counted from 0.
    RowMajor from(std::size_t first) const { return {place(first), row_stride, n_rows - first}; }

    // Where a row lies: found once for a row, then used at every step of its walk.
    using Place = const std::byte*;
    Place place(std::size_t row) const {
        return data + static_cast<std::ptrdiff_t>(row) * row_stride;
    }
    double number_at(Place place, std::size_t column) const {
        return load<T>(place + column * sizeof(T));
    }
    double number(std::size_t row, std::size_t column) const {
        return number_at(place(row), column);
    }
    std::int32_t code(std::size_t, std::size_t) const { return no_level; }
};

// Numbers of one type, in any layout.
template <typename T>
struct Matrix {
    static constexpr bool is_row_major = false;
    const std::byte* data;
    std::ptrdiff_t row_stride;
    std::ptrdiff_t column_stride;
    std::size_t n_rows;

    Matrix from(std::size_t first) const {
        return {place(first), row_stride, column_stride, n_rows - first};
    }
    using Place = const std::byte*;
    Place place(std::size_t row) const {
        return data + static_cast<std::ptrdiff_t>(row) * row_stride;
    }
    double number_at(Place place, std::size_t column) const {
        return load<T>(place + static_cast<std::ptrdiff_t>(column) * column_stride);
    }
    double number(std::size_t row, std::size_t column) const {
        return number_at(place(row), column);
    }
    std::int32_t code(std::size_t, std::size_t) const { return no_level; }
};

enum class ElementType : std::uint8_t { float32, float64, int32 };

struct GivenColumn {
    const std::byte* data;
    std::ptrdiff_t stride;
    ElementType type;
};

// Numeric columns hold floats, nominal and ordered ones int32 codes; the binding has checked.
struct Columns {
    static constexpr bool is_row_major = false;
    std::span<const GivenColumn> columns;
    std::size_t n_rows;
    std::size_t first_row = 0;

    Columns from(std::size_t first) const { return {columns, n_rows - first, first_row + first}; }
    using Place = std::size_t;
    Place place(std::size_t row) const { return row; }
    double number_at(Place row, std::size_t column) const { return number(row, column); }
    double number(std::size_t row, std::size_t column) const {
        const GivenColumn& view = columns[column];
        const std::byte* address =
            view.data + static_cast<std::ptrdiff_t>(first_row + row) * view.stride;
        if (view.type == ElementType::float32) return load<float>(address);
        return load<double>(address);
    }
    std::int32_t code(std::size_t row, std::size_t column) const {
        const GivenColumn& view = columns[column];
        return load<std::int32_t>(view.data +
                                  static_cast<std::ptrdiff_t>(first_row + row) * view.stride);
    }
};

using Rows =
    std::variant<RowMajor<float>, RowMajor<double>, Matrix<float>, Matrix<double>, Columns>;

}  // namespace treewright
