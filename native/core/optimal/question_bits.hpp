// A table of few questions: a bit for every row and question.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/optimal/node_rows.hpp"
#include "core/optimal/problem.hpp"

namespace treewright::optimal {

// A question, and its number; -1: a cut of the long column.
struct Split {
    PlannedNode question;
    std::int64_t number = -1;
};

// Rows are in segments of one class and one weight, so that weights are counts of bits: a row of
// weight 5 is a row of weight 1 and one of weight 4.
struct QuestionBits {
    struct Segment {
        std::uint32_t label = 0;  // class
        std::int32_t units = 1;   // weight of each row
        std::uint32_t first = 0, end = 0;
    };
    std::vector<PlannedNode> questions;  // each splits the table in another way
    std::size_t n_words = 0;             // of a row
    std::vector<std::uint64_t> words;    // (rows, words): bit i is set if question i sends it left
    std::vector<Segment> segments;
    std::vector<Weight> sure_loss;  // of each row
    Weight unit = 1;                // that weights are multiples of
    std::int32_t least_leaf = 0;    // units
    std::uint32_t n_classes = 0;
    // A numeric column of many values, whose cuts are not among the questions; -1: none.
    std::int32_t long_feature = -1;
    std::vector<std::uint32_t> long_codes;   // of each row
    std::vector<std::int32_t> signed_units;  // of each row: minus for the second of two classes

    std::size_t n_rows() const { return sure_loss.size(); }
    bool has_long_column() const { return long_feature >= 0; }
    bool goes_left(std::uint32_t row, std::size_t question) const {
        return words[row * n_words + question / 64] >> question % 64 & 1;
    }
    bool goes_left(std::uint32_t row, const Split& split) const {
        return split.number >= 0 ? goes_left(row, static_cast<std::size_t>(split.number))
                                 : long_codes[row] <= split.question.cut;
    }
    // The rows on one side of a question.
    void take_rows(const std::vector<std::uint32_t>& from, const Split& split, bool left,
                   std::vector<std::uint32_t>& out) const {
        out.clear();
        for (const std::uint32_t row : from) {
            if (goes_left(row, split) == left) out.push_back(row);
        }
    }
};

// Nothing if the table has too many questions, if weights are too different to be counted in bits,
// or if it was stopped.
std::optional<QuestionBits> question_bits(const Problem& problem, const LeafLimits& leaf,
                                          const Stops& stops);

}  // namespace treewright::optimal
