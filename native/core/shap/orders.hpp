// In how many orders of columns one of them comes last.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace treewright {

// (n - 1)! m! / (n + m)!: the part of the orders of n + m columns in which a given one of the n
// comes after all others of them and before all of the m.
inline double part_of_orders(std::size_t n, std::size_t m) {
    double part = 1.0 / static_cast<double>(n + m);
    const std::size_t fewer = std::min(n - 1, m), rest = n + m - 1;
    for (std::size_t i = 1; i <= fewer; ++i) {
        part *= static_cast<double>(i) / static_cast<double>(rest - fewer + i);
    }
    return part;
}

// The same, looked up where columns are few; 0 if n is 0.
class OrderTable {
public:
    OrderTable() {
        for (std::size_t n = 1; n < size; ++n) {
            for (std::size_t m = 0; m < size; ++m) part_[n][m] = part_of_orders(n, m);
        }
    }
    double operator()(std::size_t n, std::size_t m) const {
        if (n == 0) return 0.0;
        return n < size && m < size ? part_[n][m] : part_of_orders(n, m);
    }

private:
    static constexpr std::size_t size = 24;
    std::array<std::array<double, size>, size> part_{};
};

}  // namespace treewright
