// An ensemble as flat arrays: what files hold.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/histogram/packed/packed_ensemble.hpp"
#include "core/parallel/cancellation.hpp"

namespace treewright::histogram {

// Entries start[i] to start[i + 1] belong to tree i, or to column i.
template <template <class> class Array>
struct EnsembleArrays {
    Array<std::int64_t> slot_start;
    Array<std::uint32_t> question, child;  // by slot, as PackedNode says
    Array<float> gain;
    Array<std::int64_t> leaf_start;
    Array<double> value;  // n_values for each leaf
    Array<double> weight;
    Array<std::uint32_t> n_rows;
    Array<std::int64_t> set_start;
    Array<std::uint64_t> set_words;

    Array<std::uint8_t> column_kind;  // as ColumnKind says
    Array<std::uint8_t> has_missing;
    Array<std::int64_t> cut_start;
    Array<double> cuts;
    Array<std::int64_t> level_start;
    Array<std::int32_t> levels;
};
template <class T>
using Owned = std::vector<T>;
template <class T>
using Borrowed = std::span<const T>;

EnsembleArrays<Owned> arrays_of(const PackedEnsemble& ensemble, const Check& check = never_stop);

// What arrays do not say by themselves.
struct EnsembleShape {
    std::size_t n_values = 1;
    bool values_are_sums = false;
    std::span<const std::int32_t> n_levels;  // of each column; -1 for a numeric one
};

// Throws std::invalid_argument unless the arrays are trees that can be walked without a further
// check: they may come from an untrusted file.
PackedEnsemble ensemble_from(const EnsembleArrays<Borrowed>& arrays, const EnsembleShape& shape,
                             const Check& check = never_stop);

}  // namespace treewright::histogram
