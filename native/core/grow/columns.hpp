// Training columns as the grower wants them: integers whose order is the order of the values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/large_vector.hpp"
#include "core/parallel/cancellation.hpp"

namespace treewright {

enum class ColumnKind : std::uint8_t { numeric, nominal, ordered };
enum class ValueType : std::uint8_t { float32, float64, int32 };

// A column as it came: one value every `stride` bytes. NaN, or a negative code, is missing.
struct ColumnView {
    ColumnKind kind = ColumnKind::numeric;
    ValueType type = ValueType::float64;
    const char* data = nullptr;
    std::ptrdiff_t stride = 0;
    std::int32_t n_levels = 0;

    const char* at(std::size_t row) const {
        return data + static_cast<std::ptrdiff_t>(row) * stride;
    }
    double number(std::size_t row) const {
        switch (type) {
            case ValueType::float32: return *reinterpret_cast<const float*>(at(row));
            case ValueType::float64: return *reinterpret_cast<const double*>(at(row));
            default: return *reinterpret_cast<const std::int32_t*>(at(row));
        }
    }
    std::int32_t code(std::size_t row) const {
        return *reinterpret_cast<const std::int32_t*>(at(row));
    }
    bool is_nominal() const { return kind == ColumnKind::nominal; }
};

// One row in the sorted order of a column. Equal values have equal ranks; missing rows come last.
template <class Index>
struct Element {
    Index row;
    Index rank;
};

template <class Index>
inline constexpr Index missing_rank = std::numeric_limits<Index>::max();

// A column with at most 255 different values is stored as bytes and counted; all others as their
// rows in sorted order, which every split partitions and never sorts again.
inline constexpr std::size_t max_codes = 255;
inline constexpr std::uint8_t missing_code = 255;

template <class Index>
struct WorkColumn {
    int column = 0;  // its place in the table
    bool counted = false;
    LargeVector<Element<Index>> sorted;  // of the workspace's rows, node by node
    LargeVector<std::uint8_t> codes;     // counted: by row
    std::vector<std::int32_t> levels;    // counted, nominal: level of each code
    std::vector<double> values;          // counted, numeric: value of each code
    // Counted, and its codes are bins: ranges of values, in rising order. The values themselves
    // are here; the last one of each bin, or a larger one of the table, is in `values`.
    const ColumnView* binned = nullptr;
    // Counted, two codes, never missing: the bit of a bundle that is set for rows of `bit_code`.
    int bundle = -1;
    int bit = 0;
    std::uint8_t bit_code = 1;
    std::int32_t first_line = -1;  // counted: of the tables in class_tables.hpp
    std::size_t n_codes() const { return levels.empty() ? values.size() : levels.size(); }
    // The place of a row's code among counts: missing rows come right after the codes.
    std::size_t slot(std::size_t row) const { return std::min<std::size_t>(codes[row], n_codes()); }
};

// `check` is called for every few columns and may throw to cancel. What is as large as a column is
// put into the folder, if there is one.
std::vector<WorkColumn<std::uint32_t>> prepare_columns(std::span<const ColumnView> views,
                                                       std::size_t n_rows, int n_threads,
                                                       const Folder& folder, const Check& check);

// The same, but numbers of many different values as bins, which are much faster to make than an
// order. `views` must outlive the columns.
std::vector<WorkColumn<std::uint32_t>> bin_columns(std::span<const ColumnView> views,
                                                   std::size_t n_rows, int n_threads,
                                                   const Folder& folder, const Check& check);

// Some rows in order of each of some columns of numbers: elements are places in `rows`.
std::vector<LargeVector<Element<std::uint32_t>>> sort_some(std::span<const ColumnView> views,
                                                           std::span<const std::uint32_t> rows,
                                                           const Check& check);

// The different values of a numeric column in rising order.
LargeVector<double> distinct_values(const WorkColumn<std::uint32_t>& column,
                                    const ColumnView& view);

}  // namespace treewright
