// Which rows the trees of a forest learn from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace treewright::histogram {

enum class Drawing : std::uint8_t { all_rows, with_replacement, without_replacement };

struct RowDrawing {
    Drawing drawing = Drawing::with_replacement;
    std::size_t n_drawn = 0;  // for each tree; at most the number of rows
    std::uint64_t seed = 0;
};

// No row is drawn more often. Among n rows one is in n draws with a chance below 1e-13 x n.
inline constexpr std::uint8_t most_often = 15;

// How often each row is drawn for a tree: the same whenever it is asked.
std::vector<std::uint8_t> draw_rows(const RowDrawing& drawing, std::size_t tree,
                                    std::size_t n_rows);

}  // namespace treewright::histogram
