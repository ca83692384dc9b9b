// The nearest rows met so far by one query.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace treewright::neighbours {

struct Neighbour {
    double apart;
    std::int64_t row;

    bool operator<(const Neighbour& other) const {
        return apart != other.apart ? apart < other.apart : row < other.row;
    }
};

// How many neighbours a query wants: the nearest whose weights come to `weight`.
struct Wanted {
    double weight = 1;
    bool all_ties = false;  // whether all rows count that are as far as the last one
    std::span<const double> weights = {};  // of the rows; each 1 if empty

    double of_row(std::int64_t row) const {
        return weights.empty() ? 1.0 : weights[static_cast<std::size_t>(row)];
    }
};

class NearestFound {
public:
    explicit NearestFound(const Wanted& wanted) : wanted_(wanted) {}

    // A row farther away than this cannot count any more.
    double reach() const {
        return is_full() ? heap_.front().apart : std::numeric_limits<double>::infinity();
    }

    // A row with a larger number cannot count any more: no row is nearer than at no distance.
    std::int64_t last_row() const {
        const bool all_equal = is_full() && heap_.front().apart == 0 && !wanted_.all_ties;
        return all_equal ? heap_.front().row : std::numeric_limits<std::int64_t>::max();
    }

    // Whether the reach may have changed.
    bool take(const Neighbour& neighbour) {
        if (is_full() && heap_.front() < neighbour) {
            const bool is_tie = neighbour.apart == heap_.front().apart;
            if (is_tie && wanted_.all_ties) ties_.push_back(neighbour);
            return false;
        }
        heap_.push_back(neighbour);
        std::push_heap(heap_.begin(), heap_.end());
        total_ += wanted_.of_row(neighbour.row);
        while (heap_.size() > 1 && total_ - wanted_.of_row(heap_.front().row) >= enough()) {
            drop_farthest();
        }
        return true;
    }

    // The neighbours that count, the nearest first, and of those as near the smaller row numbers.
    std::span<const Neighbour> in_order() {
        std::vector<Neighbour>& all = heap_;
        all.insert(all.end(), ties_.begin(), ties_.end());
        ties_.clear();
        std::sort(all.begin(), all.end());
        double weight = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            weight += wanted_.of_row(all[i].row);
            if (weight < wanted_.weight * (1 - slack)) continue;
            std::size_t end = i + 1;
            while (wanted_.all_ties && end < all.size() && all[end].apart == all[i].apart) ++end;
            return {all.data(), end};
        }
        return all;
    }

private:
    // Sums of weights are rounded; what is kept too much is dropped in the end, in order.
    static constexpr double slack = 1e-12;

    double enough() const { return wanted_.weights.empty() ? wanted_.weight
                                                           : wanted_.weight * (1 + slack); }
    bool is_full() const { return !heap_.empty() && total_ >= enough(); }

    void drop_farthest() {
        const Neighbour farthest = heap_.front();
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.pop_back();
        total_ -= wanted_.of_row(farthest.row);
        if (heap_.front().apart != farthest.apart) {
            ties_.clear();
        } else if (wanted_.all_ties) {
            ties_.push_back(farthest);
        }
    }

    Wanted wanted_;
    std::vector<Neighbour> heap_;  // the farthest on top
    std::vector<Neighbour> ties_;  // as far as the farthest, and not needed for the weight
    double total_ = 0;             // weight of the heap
};

}  // namespace treewright::neighbours
