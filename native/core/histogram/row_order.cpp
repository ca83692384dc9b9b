#include "core/histogram/row_order.hpp"

#include <algorithm>

namespace treewright::histogram {
namespace {

std::size_t side_of(std::uint8_t bin, std::size_t) { return bin; }
std::size_t side_of(std::uint32_t code, std::size_t n_sides) {
    return std::min<std::size_t>(code, n_sides - 1);
}

template <class Bin>
std::size_t mark_rows(const Traveler* rows, std::size_t n, const Bin* column,
                 std::span<const std::uint8_t> goes_left, std::uint8_t* is_left) {
    std::size_t n_left = 0;
    for (std::size_t i = 0; i < n; ++i) {
        __builtin_prefetch(column + row_of(rows[std::min(i + 2 * rows_ahead, n - 1)]));
        is_left[i] = goes_left[side_of(column[row_of(rows[i])], goes_left.size())];
        n_left += is_left[i];
    }
    return n_left;
}

void send_rows(const Traveler* rows, const std::uint8_t* is_left, std::size_t n, Traveler* left,
          Traveler* right) {
    for (std::size_t i = 0; i < n; ++i) {
        *(is_left[i] ? left : right) = rows[i];
        left += is_left[i];
        right += 1 - is_left[i];
    }
}

}  // namespace

Traveler* RowOrder::start(std::size_t n_rows, int n_copies) {
    n_rows_ = n_rows;
    n_copies_ = n_copies;
    for (int copy = 0; copy < n_copies; ++copy) {
        LargeVector<Traveler>& rows = rows_[copy];
        if (rows.size() == n_rows) continue;
        rows.resize(n_rows);
        if (rows.get_allocator().is_in_file(rows.capacity())) {
            expect_use(rows.data(), n_rows * sizeof(Traveler), FileUse::in_order);
        }
    }
    is_left_.resize(n_rows);
    return rows_[0].data();
}

std::size_t RowOrder::mark(const Range& part, const std::uint8_t* column,
                           std::span<const std::uint8_t> goes_left) {
    return mark_rows(rows(part).data(), part.size(), column, goes_left,
                     is_left_.data() + part.begin);
}

std::size_t RowOrder::mark(const Range& part, const std::uint32_t* codes,
                           std::span<const std::uint8_t> goes_left) {
    return mark_rows(rows(part).data(), part.size(), codes, goes_left,
                     is_left_.data() + part.begin);
}

void RowOrder::send(const Range& part, std::size_t left, std::size_t right) {
    Traveler* const to = rows_[after(part.copy)].data();
    send_rows(rows(part).data(), is_left_.data() + part.begin, part.size(), to + left, to + right);
}

}  // namespace treewright::histogram
