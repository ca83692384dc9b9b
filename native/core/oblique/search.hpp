// The search for sums of few columns that split the rows of a node well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/oblique/readable.hpp"

namespace treewright::oblique {

struct SearchSettings {
    std::size_t max_terms = 3;
    std::size_t max_columns = 32;  // looked at, those that split best alone
    std::size_t n_starts = 3;      // columns that combinations begin with
    int n_jumps = 10;              // random moves that each combination tries
    double max_loss = 0.01;        // of the gain, for coefficients of few digits
    std::uint64_t seed = 0;
};

// The best sum found of two columns, of three, ... in this order; fewer where nothing was found.
// `columns` hold means 0 and deviations 1. The same for any number of threads.
std::vector<ReadableSum> search_sums(const NodeColumns& columns, const NodeTarget& target,
                                     const SearchSettings& settings, int n_threads,
                                     const std::function<void()>& check);

}  // namespace treewright::oblique
