// Least absolute error: the one measure that needs the rows themselves, not their sums.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/grow/search/criterion.hpp"

namespace treewright {

// Rows by rank of y, with the weight and the sum of y of every range of ranks (a Fenwick tree), so
// that the absolute error around the median is known after every added row.
class MedianTree {
public:
    void reset(std::size_t n_ranks);
    void add(std::size_t rank, double weight, double y);
    double absolute_error(std::span<const double> y_of_rank) const;

private:
    std::size_t top_ = 1;  // largest power of two not above the number of ranks
    double weight_ = 0, sum_ = 0;
    std::vector<double> weights_, sums_;
};

// The ranks of y among some rows.
struct RankedTargets {
    std::vector<std::uint32_t> rank;  // by row of the workspace
    std::vector<double> y_of_rank;
};

void rank_targets(const Targets& targets, std::span<const std::uint32_t> rows, RankedTargets& out);

// The two middle rows by y: the same row twice unless the halves weigh the same.
std::pair<std::uint32_t, std::uint32_t> median_rows(const Targets& targets,
                                                    std::span<const std::uint32_t> rows);
double median_of(const Targets& targets, std::span<const std::uint32_t> rows);
double absolute_error_of(const Targets& targets, std::span<const std::uint32_t> rows);

// A tally (see scan.hpp) for a fixed sequence of rows.
class AbsoluteErrorTally {
public:
    // The error of the first i and of the last n - i rows of a sequence, for every i.
    // `fixed` rows stay on the left (or on the right) all the time.
    void prepare(const Targets& targets, const RankedTargets& ranked,
                 std::span<const std::uint32_t> sequence, std::span<const std::uint32_t> fixed,
                 bool fixed_left);

    void start(const double*, const double*, double left_weight) {
        at_ = 0;
        left_weight_ = left_weight;
    }
    void prefetch(std::size_t) const {}  // moving it takes longer than waiting for it
    void move(std::size_t row) {
        left_weight_ += targets_->weight_of(row);
        ++at_;
    }
    bool beats(double) const { return true; }
    double score() const { return -(prefix_[at_] + suffix_[at_]); }
    double left_weight() const { return left_weight_; }

private:
    const Targets* targets_ = nullptr;
    MedianTree tree_;
    std::vector<double> prefix_, suffix_;
    std::size_t at_ = 0;
    double left_weight_ = 0;
};

}  // namespace treewright
