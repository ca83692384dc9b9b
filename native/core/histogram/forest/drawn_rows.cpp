#include "core/histogram/forest/drawn_rows.hpp"

#include <algorithm>

#include "core/arithmetic/random.hpp"

namespace treewright::histogram {
namespace {

// Draws until `n` draws counted; a row counts at most `limit` times.
void draw_up_to(std::uint8_t limit, std::size_t n, Random& random,
                std::vector<std::uint8_t>& drawn) {
    const auto n_rows = static_cast<std::uint32_t>(drawn.size());
    while (n > 0) {
        std::uint8_t& times = drawn[random.below(n_rows)];
        const bool counts = times < limit;
        times = static_cast<std::uint8_t>(times + counts);
        n -= counts;
    }
}

// Selection sampling: each row with the share of rows still to be drawn as its chance.
void choose(std::size_t wanted, Random& random, std::vector<std::uint8_t>& drawn) {
    for (std::size_t row = 0; row < drawn.size(); ++row) {
        const auto left = static_cast<std::uint32_t>(drawn.size() - row);
        if (random.below(left) >= wanted) continue;
        drawn[row] = 1;
        --wanted;
    }
}

}  // namespace

std::vector<std::uint8_t> draw_rows(const RowDrawing& drawing, std::size_t tree,
                                    std::size_t n_rows) {
    if (drawing.drawing == Drawing::all_rows) return std::vector<std::uint8_t>(n_rows, 1);
    Random random = Random::stream(drawing.seed, 2 * tree);
    std::vector<std::uint8_t> drawn(n_rows, 0);
    const std::size_t n = std::min(drawing.n_drawn, n_rows);
    const bool again = drawing.drawing == Drawing::with_replacement;
    if (again || n < n_rows / 8) {
        draw_up_to(again ? most_often : 1, n, random, drawn);
    } else {
        choose(n, random, drawn);
    }
    return drawn;
}

}  // namespace treewright::histogram
