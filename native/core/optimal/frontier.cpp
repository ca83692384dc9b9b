#include "core/optimal/frontier.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/short_cuts.hpp"

namespace treewright::optimal {

Frontier::Frontier(std::vector<CutLine> lines, Weight least_side, Weight least, Weight whole)
    : lines_(std::move(lines)), least_side_(least_side), least_(least) {
    for (std::size_t line = 0; line < lines_.size(); ++line) {
        Interval all;
        all.line = line;
        all.end = lines_[line].cut.size();
        all.before = {0, {least_side, whole}};
        all.after = {lines_[line].weight, {whole, least_side}};
        all.is_new = true;
        push(all);
    }
}

// Least cost first; on ties the one that comes first.
bool Frontier::later(const Interval& a, const Interval& b) {
    return std::tie(a.least, a.line, a.first) > std::tie(b.least, b.line, b.first);
}

SideBounds Frontier::bounds_at(const Interval& interval, std::size_t cut) const {
    if (!takes(ShortCut::cut_bounds)) return {least_side_, least_side_};
    const Weight here = lines_[interval.line].left_weight[cut];
    const auto& [before, after] = std::tie(interval.before, interval.after);
    return {
        std::max({least_side_, before.bounds.left, after.bounds.left - (after.position - here)}),
        std::max(
            {least_side_, after.bounds.right, before.bounds.right - (here - before.position)})};
}

Weight Frontier::cost_at(const Interval& interval, std::size_t cut) const {
    const SideBounds bounds = bounds_at(interval, cut);
    return std::max(least_, bounds.left + bounds.right);
}

void Frontier::push(Interval interval) {
    if (interval.first >= interval.end) return;
    interval.least = std::max(least_, 2 * least_side_);
    if (takes(ShortCut::cut_bounds)) {
        const Weight outer = interval.before.bounds.left + interval.after.bounds.right;
        interval.least = std::max(interval.least, outer);
    }
    heap_.push_back(interval);
    std::ranges::push_heap(heap_, later);
}

// Drops cuts at both ends that cost too much; false if none is left.
bool Frontier::narrow(Interval& interval, Weight limit) {
    while (interval.first < interval.end) {
        const Weight cost = cost_at(interval, interval.first);
        if (cost < limit) break;
        dropped_ = std::min(dropped_, cost);
        ++interval.first;
    }
    while (interval.first < interval.end) {
        const Weight cost = cost_at(interval, interval.end - 1);
        if (cost < limit) break;
        dropped_ = std::min(dropped_, cost);
        --interval.end;
    }
    return interval.first < interval.end;
}

bool Frontier::next(Weight limit, Pick& pick) {
    while (!heap_.empty() && heap_.front().least < limit) {
        std::ranges::pop_heap(heap_, later);
        pick.from = heap_.back();
        heap_.pop_back();
        const Interval& from = pick.from;
        if (!narrow(pick.from, limit)) continue;
        const CutLine& line = lines_[from.line];
        const bool at_best = from.is_new && line.best >= from.first && line.best < from.end;
        pick.at = at_best ? line.best : from.first + (from.end - from.first) / 2;
        pick.floor = bounds_at(from, pick.at);
        const Weight here = line.left_weight[pick.at];
        pick.reach =
            std::max(here - line.left_weight[from.first], line.left_weight[from.end - 1] - here);
        return true;
    }
    return false;
}

void Frontier::record(const Pick& pick, SideBounds bounds) {
    const End here{
        lines_[pick.from.line].left_weight[pick.at],
        {std::max(bounds.left, pick.floor.left), std::max(bounds.right, pick.floor.right)}};
    Interval left = pick.from, right = pick.from;
    left.end = pick.at;
    left.after = here;
    right.first = pick.at + 1;
    right.before = here;
    left.is_new = right.is_new = false;
    push(left);
    push(right);
}

Weight Frontier::lowest() const {
    return heap_.empty() ? dropped_ : std::min(dropped_, heap_.front().least);
}

}  // namespace treewright::optimal
