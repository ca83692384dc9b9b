#include "bindings/borrowed_rows.hpp"

#include <algorithm>

namespace treewright::bindings {
namespace {

template <typename T>
Rows rows_of(const Buffer& buffer) {
    if (buffer.stride(1) == sizeof(T)) {
        return RowMajor<T>{buffer.data(), buffer.stride(0), buffer.length(0)};
    }
    return Matrix<T>{buffer.data(), buffer.stride(0), buffer.stride(1), buffer.length(0)};
}

BorrowedRows borrow_matrix(nb::handle X, std::span<const std::int32_t> n_levels) {
    BorrowedRows borrowed;
    const Buffer& buffer = borrowed.buffers.emplace_back(X, "X");
    require(buffer.n_axes() == 2, "X: two axes are expected");
    require(buffer.length(1) == n_levels.size(), "X: one column per column of the schema");
    require(std::ranges::all_of(n_levels, [](std::int32_t n) { return n < 0; }),
            "X: nominal columns need a list of columns");
    if (buffer.holds<float>()) {
        borrowed.rows = rows_of<float>(buffer);
    } else {
        require(buffer.holds<double>(), "X: float32 or float64 is expected");
        borrowed.rows = rows_of<double>(buffer);
    }
    return borrowed;
}

ElementType element_type(const Buffer& buffer, bool is_nominal) {
    if (is_nominal) {
        require(buffer.holds<std::int32_t>(), "X: a nominal column is expected as int32 codes");
        return ElementType::int32;
    }
    if (buffer.holds<float>()) return ElementType::float32;
    require(buffer.holds<double>(), "X: a numeric column is expected as float32 or float64");
    return ElementType::float64;
}

BorrowedRows borrow_columns(nb::sequence X, std::span<const std::int32_t> n_levels) {
    BorrowedRows borrowed;
    const std::size_t n_columns = nb::len(X);
    require(n_columns == n_levels.size(), "X: one column per column of the schema");
    borrowed.buffers.reserve(n_columns);
    borrowed.columns.reserve(n_columns);
    for (const nb::handle column : X) {
        const std::size_t i = borrowed.columns.size();
        const Buffer& buffer = borrowed.buffers.emplace_back(column, "X");
        require(buffer.n_axes() == 1, "X: each column has one axis");
        require(buffer.length(0) == borrowed.buffers[0].length(0), "X: columns of equal length");
        borrowed.columns.push_back(
            {buffer.data(), buffer.stride(0), element_type(buffer, n_levels[i] >= 0)});
    }
    borrowed.rows = Columns{borrowed.columns, n_columns ? borrowed.buffers[0].length(0) : 0, 0};
    return borrowed;
}

}  // namespace

BorrowedRows borrow_rows(nb::handle X, std::span<const std::int32_t> n_levels) {
    if (PyList_Check(X.ptr()) || PyTuple_Check(X.ptr())) {
        return borrow_columns(nb::borrow<nb::sequence>(X), n_levels);
    }
    return borrow_matrix(X, n_levels);
}

std::size_t n_rows_of(const Rows& rows) {
    return std::visit([](const auto& source) { return source.n_rows; }, rows);
}

}  // namespace treewright::bindings
