// How many rows of each class two questions send left together, for all pairs of questions. From
// these counts follows the best tree of depth two (Demirović et al. 2022).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/optimal/question_bits.hpp"

namespace treewright::optimal {

using Units = std::int32_t;

// Pairs are counted for i < j; the entries beyond are undefined.
struct PairCounts {
    std::size_t n_questions = 0;
    std::size_t width = 0;  // of a line: the number of questions and some more, which are zero
    std::uint32_t n_classes = 0;
    std::vector<Units> total;   // (classes)
    std::vector<Units> single;  // (classes, width)
    std::vector<Units> pair;    // (classes, questions, width)

    const Units* singles(std::uint32_t label) const { return single.data() + label * width; }
    const Units* pairs(std::uint32_t label, std::size_t question) const {
        return pair.data() + (label * n_questions + question) * width;
    }
};

// Counts the rows of a node.
class PairCounter {
public:
    explicit PairCounter(const QuestionBits& table) : table_(table) {}

    // `rows` are some of the table, rising.
    void count_singles(std::span<const std::uint32_t> rows, PairCounts& out);
    // After `count_singles`, of the same rows; false if it was stopped.
    bool count_pairs(const Stops& stops, PairCounts& out);

private:
    using Block [[gnu::vector_size(16)]] = std::uint8_t;
    struct Stretch {  // blocks of the rows of a segment
        std::uint32_t label;
        Units units;
        std::size_t first, end;
    };

    void turn(std::span<const std::uint32_t> rows);
    const Block* column(std::size_t question) const {
        return blocks_.data() + question * n_blocks_;
    }

    const QuestionBits& table_;
    std::vector<Stretch> stretches_;
    std::size_t n_blocks_ = 0;   // of a column
    std::vector<Block> blocks_;  // (questions, blocks)
};

// The counts of some rows, or of all but these.
class CountsView {
public:
    explicit CountsView(const PairCounts& all) : all_(&all) {}
    CountsView(const PairCounts& all, const PairCounts& without) : all_(&all), without_(&without) {}

    std::size_t n_questions() const { return all_->n_questions; }
    std::size_t width() const { return all_->width; }
    std::uint32_t n_classes() const { return all_->n_classes; }
    Units total(std::uint32_t label) const {
        return all_->total[label] - (without_ ? without_->total[label] : 0);
    }
    Units single(std::uint32_t label, std::size_t question) const {
        return all_->singles(label)[question] - (without_ ? without_->singles(label)[question] : 0);
    }
    Units pair(std::uint32_t label, std::size_t i, std::size_t j) const {
        const auto [first, second] = std::minmax(i, j);
        return all_->pairs(label, first)[second] -
               (without_ ? without_->pairs(label, first)[second] : 0);
    }
    // A line of counts, in `buffer` if it must be subtracted first.
    const Units* singles(std::uint32_t label, Units* buffer) const;
    const Units* pairs(std::uint32_t label, std::size_t question, std::size_t first,
                       Units* buffer) const;
    void copy_to(PairCounts& out) const;

private:
    const PairCounts* all_;
    const PairCounts* without_ = nullptr;
};

// The most units that one more question gets right on a side of each question; -1 if none does.
struct StumpHits {
    std::vector<Units> left, right;            // both leaves are large enough
    std::vector<Units> free_left, free_right;  // whatever the size of leaves
};

void best_stumps(const CountsView& counts, Units least_leaf, StumpHits& out);

}  // namespace treewright::optimal
