// Rows in the order of some number, sorted again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace treewright::oblique {

class RowOrder {
public:
    void clear() { entries_.clear(); }

    // Rows are added in rising order; -0 counts as 0.
    void add(double number, std::size_t row) {
        entries_.emplace_back(number + 0.0, static_cast<std::uint32_t>(row));
    }

    // By number; of equal numbers the row that was added first.
    void sort();

    std::size_t size() const { return entries_.size(); }
    double number(std::size_t at) const { return entries_[at].first; }
    std::size_t row(std::size_t at) const { return entries_[at].second; }

private:
    std::vector<std::pair<double, std::uint32_t>> entries_, spare_;
};

}  // namespace treewright::oblique
