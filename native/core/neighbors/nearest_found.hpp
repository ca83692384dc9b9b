// The nearest rows met so far by one query.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/neighbors/mixed_rows.hpp"

namespace treewright::neighbors {

struct Neighbor {
    double apart;
    std::int64_t row;

    bool operator<(const Neighbor& other) const {
        return apart != other.apart ? apart < other.apart : row < other.row;
    }
};

// How many neighbors a query needs: the nearest whose weights add up to `weight`.
struct Wanted {
    double weight = 1;
    bool all_ties = false;                 // whether all rows count that are as far as the last one
    bool rounds = false;                   // whether that allows for the rounding of distances
    std::span<const double> weights = {};  // of the rows; each 1 if empty

    double of_row(std::int64_t row) const {
        return weights.empty() ? 1.0 : weights[static_cast<std::size_t>(row)];
    }
};

// How far rows can seem to be that are as far as another one.
//
// Scaled numbers are rounded twice, so a column with the values q and x, d apart, is off by at most
// 2^-52 (|q| + |x|) + 2^-53 d, where |x| <= |q| + d; adding up n columns rounds by n 2^-53 of the
// distance. Two distances of the same length are no more apart than 2^-50 (sum of |q| + n d).
class TieRounding {
public:
    TieRounding() = default;
    TieRounding(const double* query, std::span<const std::uint8_t> is_level, Measure measure)
        : squares_(measure.squares), of_distance_(unit * static_cast<double>(is_level.size())) {
        for (std::size_t c = 0; c < is_level.size(); ++c) {
            if (!is_level[c] && std::isfinite(query[c])) of_query_ += unit * std::abs(query[c]);
        }
    }

    // Equal numbers stay equal when they are scaled: no distance at all is not rounded.
    double end_of_ties(double apart) const {
        if (apart == 0 || of_distance_ == 0) return apart;
        const double distance = squares_ ? std::sqrt(apart) : apart;
        const double end = distance + (of_query_ + of_distance_ * distance);
        return squares_ ? std::max(apart, end * end) : end;
    }

private:
    static constexpr double unit = 0x1p-50;

    bool squares_ = false;
    double of_query_ = 0;
    double of_distance_ = 0;
};

class NearestFound {
public:
    explicit NearestFound(const Wanted& wanted) : wanted_(wanted) {}

    // Before the first row: what is as far as another one, but for rounding, is a tie.
    void allow_for(const TieRounding& rounding) {
        if (wanted_.all_ties && wanted_.rounds) rounding_ = rounding;
    }

    // A row farther away than this cannot count any more.
    double reach() const {
        return is_full() ? rounding_.end_of_ties(heap_.front().apart)
                         : std::numeric_limits<double>::infinity();
    }

    // A row with a larger number cannot count any more: no row is nearer than at no distance.
    std::int64_t last_row() const {
        const bool all_equal = is_full() && heap_.front().apart == 0 && !wanted_.all_ties;
        return all_equal ? heap_.front().row : std::numeric_limits<std::int64_t>::max();
    }

    // Whether the reach may have changed.
    bool take(const Neighbor& neighbor) {
        if (is_full() && heap_.front() < neighbor) {
            if (wanted_.all_ties && neighbor.apart <= reach()) ties_.push_back(neighbor);
            return false;
        }
        heap_.push_back(neighbor);
        std::push_heap(heap_.begin(), heap_.end());
        total_ += wanted_.of_row(neighbor.row);
        while (heap_.size() > 1 && total_ - wanted_.of_row(heap_.front().row) >= enough()) {
            drop_farthest();
        }
        return true;
    }

    // The neighbors that count, the nearest first, and of those as near the smaller row numbers.
    std::span<const Neighbor> in_order() {
        std::vector<Neighbor>& all = heap_;
        all.insert(all.end(), ties_.begin(), ties_.end());
        ties_.clear();
        std::sort(all.begin(), all.end());
        double weight = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            weight += wanted_.of_row(all[i].row);
            if (weight < wanted_.weight * (1 - slack)) continue;
            const double last = rounding_.end_of_ties(all[i].apart);
            std::size_t end = i + 1;
            while (wanted_.all_ties && end < all.size() && all[end].apart <= last) ++end;
            return {all.data(), end};
        }
        return all;
    }

private:
    // Sums of weights are rounded; rows too many are dropped in the end, in order.
    static constexpr double slack = 1e-12;

    double enough() const {
        return wanted_.weights.empty() ? wanted_.weight : wanted_.weight * (1 + slack);
    }
    bool is_full() const { return !heap_.empty() && total_ >= enough(); }

    void drop_farthest() {
        const Neighbor farthest = heap_.front();
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.pop_back();
        total_ -= wanted_.of_row(farthest.row);
        if (!wanted_.all_ties) return;
        ties_.push_back(farthest);
        if (heap_.front().apart == farthest.apart) return;
        const double end = rounding_.end_of_ties(heap_.front().apart);
        std::erase_if(ties_, [end](const Neighbor& tie) { return tie.apart > end; });
    }

    Wanted wanted_;
    TieRounding rounding_;
    std::vector<Neighbor> heap_;  // the farthest on top
    std::vector<Neighbor> ties_;  // as far as the farthest, but not needed
    double total_ = 0;            // weight of the heap
};

}  // namespace treewright::neighbors
