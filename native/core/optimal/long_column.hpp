// A numeric column of many values beside questions that are counted in pairs. Its rows are taken in
// order, and what lies left of the cut is known for all questions at every step.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/optimal/pair_counts.hpp"
#include "core/optimal/question_bits.hpp"

namespace treewright::optimal {

// A cut of the column, and what it comes to with leaves or one more question on its sides.
struct LongCut {
    std::uint32_t code = 0;  // of the last row on the left
    std::array<Units, 2> weight{}, leaf_hits{}, stump_hits{};
};

// Two classes only. Raises the hits of stumps below all questions by the cuts of the column, and
// calls `see` with each cut; `rows` are by rising code. False if it was stopped.
bool sweep_long_column(const QuestionBits& table, std::span<const std::uint32_t> rows,
                       const CountsView& counts, const Stops& stops, StumpHits& stumps,
                       const std::function<void(const LongCut&)>& see);

}  // namespace treewright::optimal
