// Blocks of rows that several threads share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace treewright {

// Equal parts of n rows, each of them one task.
struct RowShares {
    std::size_t n_rows = 0;
    std::size_t n_blocks = 1;

    std::size_t size() const { return n_blocks; }
    std::size_t begin(std::size_t block) const { return n_rows * block / n_blocks; }
    std::size_t end(std::size_t block) const { return begin(block + 1); }
    std::size_t rows_of_block() const { return (n_rows + n_blocks - 1) / n_blocks; }  // at most
};

// A few blocks for each thread, so that all finish at about the same time. One block of less than
// `least_rows` is not worth a task. One thread gets one block.
inline RowShares share_rows(std::size_t n_rows, int n_threads, std::size_t least_rows) {
    constexpr std::size_t blocks_of_a_thread = 4;
    if (n_threads <= 1) return {n_rows, 1};
    const std::size_t most = blocks_of_a_thread * static_cast<std::size_t>(n_threads);
    return {n_rows, std::clamp<std::size_t>(n_rows / least_rows, 1, most)};
}

// A few counts for each block, far enough apart that threads do not wait for each other's writes.
class ShareCounts {
public:
    ShareCounts(std::size_t n_blocks, std::size_t n_counts)
        : stride_(n_blocks == 1 ? n_counts : n_counts + cache_line / sizeof(std::size_t)),
          counts_(n_blocks * stride_, 0) {}

    std::size_t* of(std::size_t block) { return counts_.data() + block * stride_; }

private:
    static constexpr std::size_t cache_line = 64;
    std::size_t stride_;
    std::vector<std::size_t> counts_;
};

}  // namespace treewright
