// Which cuts of a node may still lead to a better tree.
//
// Along a line of cuts the left side only grows and the right side only shrinks, and a side costs
// at least as much as any part of it, and at most the weight of the difference less than any side
// that holds it. So what is known at two cuts bounds the cost of all between:
//
//      known          cut          known
//     ---|-------------|-------------|---      left(cut)  >= left(before), left(after) - between
//      before                      after       right(cut) >= right(after), right(before) - between
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/optimal/cut_lines.hpp"
#include "core/optimal/found.hpp"

namespace treewright::optimal {

class Frontier {
public:
    struct End {
        Weight position = 0;  // weight left of it
        SideBounds bounds;
    };
    struct Interval {
        Weight least = 0;
        std::size_t line = 0, first = 0, end = 0;  // open cuts
        End before, after;
        bool is_new = false;
    };
    struct Pick {
        Interval from;
        std::size_t at = 0;
        SideBounds floor;  // what the two sides cost at least
        Weight reach = 0;  // weight between the cut and the farther end of the cuts still open
    };

    // `least_side` is what the tree of any side costs at least, `least` what both cost together,
    // `whole` the least cost of a side that has all rows. Earlier lines are tried first.
    Frontier(std::vector<CutLine> lines, Weight least_side, Weight least, Weight whole);

    // The next cut that may cost less than `limit`; false if there is none. It and the cuts around
    // it are out of the frontier until they are recorded.
    bool next(Weight limit, Pick& pick);

    // What a cut that `next` gave costs at least.
    void record(const Pick& pick, SideBounds bounds);

    // No cut that was not recorded costs less.
    Weight lowest() const;

    // The question of a cut that `next` gave.
    PlannedNode question(const Pick& pick) const {
        const CutLine& line = lines_[pick.from.line];
        return {line.feature, line.cut[pick.at]};
    }

private:
    static bool later(const Interval& a, const Interval& b);
    SideBounds bounds_at(const Interval& interval, std::size_t cut) const;
    Weight cost_at(const Interval& interval, std::size_t cut) const;
    void push(Interval interval);
    bool narrow(Interval& interval, Weight limit);

    std::vector<CutLine> lines_;
    Weight least_side_, least_;
    Weight dropped_ = no_limit;
    std::vector<Interval> heap_;
};

}  // namespace treewright::optimal
