// A small table of fuzzed columns, as growth and prediction see it.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "core/grow/columns.hpp"
#include "core/predict/rows.hpp"
#include "fuzzed_input.hpp"

namespace treewright::fuzzing {

inline std::size_t as_index(auto number) { return static_cast<std::size_t>(number); }

struct FuzzedTable {
    std::size_t n_rows;
    std::vector<ColumnView> views;
    std::vector<std::int32_t> n_levels;  // -1 for a numeric column
    std::vector<GivenColumn> given;

    explicit FuzzedTable(FuzzedInput& input) : n_rows(input.from_to(1, 40)) {
        const std::size_t n_columns = input.from_to(1, 5);
        for (std::size_t at = 0; at < n_columns; ++at) add_column(input);
    }

    FuzzedTable(const FuzzedTable&) = delete;
    FuzzedTable& operator=(const FuzzedTable&) = delete;

    Rows rows() const { return Columns{given, n_rows, 0}; }

private:
    void add_column(FuzzedInput& input) {
        switch (input.from_to(0, 3)) {
            case 0: return add_numbers(input, doubles_.emplace_back(n_rows), ValueType::float64);
            case 1: return add_numbers(input, floats_.emplace_back(n_rows), ValueType::float32);
            case 2: return add_levels(input, ColumnKind::nominal);
            default: return add_levels(input, ColumnKind::ordered);
        }
    }

    template <typename T>
    void add_numbers(FuzzedInput& input, std::vector<T>& numbers, ValueType type) {
        for (T& number : numbers) {
            const double drawn = input.number();
            const bool fits = std::abs(drawn) <= std::numeric_limits<T>::max();
            number = fits || std::isinf(drawn) ? static_cast<T>(drawn)
                                               : std::numeric_limits<T>::quiet_NaN();
        }
        add(ColumnKind::numeric, type, numbers.data(), sizeof(T), 0);
    }

    void add_levels(FuzzedInput& input, ColumnKind kind) {
        const std::size_t n = input.coin() ? input.from_to(1, 5) : input.from_to(1, 400);
        auto& codes = codes_.emplace_back(n_rows);
        for (auto& code : codes) {
            code = static_cast<std::int32_t>(input.from_to(0, n)) - 1;
        }
        add(kind, ValueType::int32, codes.data(), sizeof(std::int32_t), n);
    }

    void add(ColumnKind kind, ValueType type, const void* data, std::size_t stride, std::size_t n) {
        const auto step = static_cast<std::ptrdiff_t>(stride);
        const auto levels = static_cast<std::int32_t>(n);
        views.push_back({kind, type, static_cast<const char*>(data), step, levels});
        n_levels.push_back(kind == ColumnKind::numeric ? -1 : levels);
        const ElementType element = type == ValueType::int32     ? ElementType::int32
                                    : type == ValueType::float32 ? ElementType::float32
                                                                 : ElementType::float64;
        given.push_back({static_cast<const std::byte*>(data), step, element});
    }

    std::deque<std::vector<double>> doubles_;
    std::deque<std::vector<float>> floats_;
    std::deque<std::vector<std::int32_t>> codes_;
};

}  // namespace treewright::fuzzing
