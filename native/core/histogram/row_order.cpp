#include "core/histogram/row_order.hpp"

#include <algorithm>
#include <utility>

#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

constexpr std::size_t chunk_size = 16'384;

std::size_t side_of(std::uint8_t bin, std::size_t) { return bin; }
std::size_t side_of(std::uint32_t code, std::size_t n_sides) {
    return std::min<std::size_t>(code, n_sides - 1);
}

template <class Bin>
std::size_t mark(const Traveler* rows, std::size_t n, const Bin* column,
                 std::span<const std::uint8_t> goes_left, std::uint8_t* is_left) {
    std::size_t n_left = 0;
    for (std::size_t i = 0; i < n; ++i) {
        __builtin_prefetch(column + row_of(rows[i + 2 * rows_ahead]));
        is_left[i] = goes_left[side_of(column[row_of(rows[i])], goes_left.size())];
        n_left += is_left[i];
    }
    return n_left;
}

void send(const Traveler* rows, const std::uint8_t* is_left, std::size_t n, Traveler* left,
          Traveler* right) {
    for (std::size_t i = 0; i < n; ++i) {
        *(is_left[i] ? left : right) = rows[i];
        left += is_left[i];
        right += 1 - is_left[i];
    }
}

}  // namespace

Traveler* RowOrder::start(std::size_t n_rows) {
    n_rows_ = n_rows;
    for (auto& rows : rows_) rows.resize(n_rows + 2 * rows_ahead);
    is_left_.resize(n_rows);
    return rows_[0].data();
}

std::size_t RowOrder::split(const Range& range, const std::uint8_t* column,
                            std::span<const std::uint8_t> goes_left, int n_threads) {
    return split_by(range, column, goes_left, n_threads);
}

std::size_t RowOrder::split(const Range& range, const std::uint32_t* codes,
                            std::span<const std::uint8_t> goes_left, int n_threads) {
    return split_by(range, codes, goes_left, n_threads);
}

template <class Bin>
std::size_t RowOrder::split_by(const Range& range, const Bin* column,
                               std::span<const std::uint8_t> goes_left, int n_threads) {
    const std::size_t n_chunks = (range.size() + chunk_size - 1) / chunk_size;
    const auto begin_of = [&](std::size_t chunk) { return range.begin + chunk * chunk_size; };
    const auto size_of = [&](std::size_t chunk) {
        return std::min(chunk_size, range.end - begin_of(chunk));
    };
    const Traveler* from = rows_[range.copy].data();
    Traveler* to = rows_[1 - range.copy].data();
    n_left_.resize(n_chunks);
    run_tasks(n_chunks, n_threads, [&](std::size_t chunk, int) {
        const std::size_t begin = begin_of(chunk);
        n_left_[chunk] =
            mark(from + begin, size_of(chunk), column, goes_left, is_left_.data() + begin);
    });

    std::size_t total = 0;
    for (std::size_t& n_left : n_left_) total += std::exchange(n_left, total);
    run_tasks(n_chunks, n_threads, [&](std::size_t chunk, int) {
        const std::size_t begin = begin_of(chunk), n_left = n_left_[chunk];  // of earlier chunks
        send(from + begin, is_left_.data() + begin, size_of(chunk), to + range.begin + n_left,
             to + begin + total - n_left);
    });
    return total;
}

}  // namespace treewright::histogram
