#include "core/grow/counted_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/grow/column_order.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/short_cuts.hpp"

namespace treewright {
namespace {

// The different numbers of a column as they are met, as long as there are at most 255.
class FewValues {
public:
    // The code of `value`, or -1 once there are too many.
    int code(double value) {
        value = std::max(value, lowest_number);  // as sort_key() does
        const auto key = std::bit_cast<std::uint64_t>(value + 0.0);
        std::size_t slot = (key * 0x9e3779b97f4a7c15ULL) >> 54;
        while (codes_[slot] >= 0) {
            if (keys_[slot] == key) return codes_[slot];
            slot = (slot + 1) % keys_.size();
        }
        if (values_.size() == max_codes) return -1;
        keys_[slot] = key;
        codes_[slot] = static_cast<std::int16_t>(values_.size());
        values_.push_back(value + 0.0);
        return codes_[slot];
    }
    const std::vector<double>& values() const { return values_; }

private:
    std::array<std::uint64_t, 1024> keys_{};
    std::array<std::int16_t, 1024> codes_ = [] {
        std::array<std::int16_t, 1024> empty;
        empty.fill(-1);
        return empty;
    }();
    std::vector<double> values_;
};

template <class Number>
bool count_numbers(const ColumnView& view, std::size_t n_rows, WorkColumn<std::uint32_t>& out) {
    FewValues few;
    LargeVector<std::uint8_t> codes(n_rows, out.codes.get_allocator());
    for (std::size_t row = 0; row < n_rows; ++row) {
        const auto value = *reinterpret_cast<const Number*>(view.at(row));
        if (std::isnan(value)) {
            codes[row] = missing_code;
            continue;
        }
        const int code = few.code(value);
        if (code < 0) return false;
        codes[row] = static_cast<std::uint8_t>(code);
    }
    // Codes were given in order of appearance; give them again in order of value.
    const auto& values = few.values();
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
    std::array<std::uint8_t, 256> renumbered;
    renumbered[missing_code] = missing_code;
    for (std::size_t i = 0; i < order.size(); ++i) {
        renumbered[order[i]] = static_cast<std::uint8_t>(i);
        out.values.push_back(values[order[i]]);
    }
    for (auto& code : codes) code = renumbered[code];
    out.codes = std::move(codes);
    out.counted = true;
    return true;
}

void count_levels(const ColumnView& view, std::size_t n_rows, WorkColumn<std::uint32_t>& out) {
    out.counted = true;
    out.codes.resize(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
        const auto code = view.code(row);
        out.codes[row] = code < 0 ? missing_code : static_cast<std::uint8_t>(code);
    }
    for (std::int32_t level = 0; level < view.n_levels; ++level) {
        if (view.is_nominal()) {
            out.levels.push_back(level);
        } else {
            out.values.push_back(level);
        }
    }
}

}  // namespace

bool count_column(const ColumnView& view, std::size_t n_rows, WorkColumn<std::uint32_t>& out) {
    if (!takes(ShortCut::counted_columns)) return false;
    if (view.kind != ColumnKind::numeric) {
        if (static_cast<std::size_t>(view.n_levels) > max_codes) return false;
        count_levels(view, n_rows, out);
        return true;
    }
    return view.type == ValueType::float32 ? count_numbers<float>(view, n_rows, out)
                                           : count_numbers<double>(view, n_rows, out);
}

std::vector<WorkColumn<std::uint32_t>> numbered_columns(std::size_t n, const Folder& folder) {
    std::vector<WorkColumn<std::uint32_t>> columns(n);
    for (std::size_t c = 0; c < n; ++c) {
        columns[c].column = static_cast<int>(c);
        columns[c].sorted = vector_in<Element<std::uint32_t>>(folder);
        columns[c].codes = vector_in<std::uint8_t>(folder);
    }
    return columns;
}

std::vector<WorkColumn<std::uint32_t>> count_columns(std::span<const ColumnView> views,
                                                     std::size_t n_rows, int n_threads,
                                                     const Folder& folder, const Check& check) {
    auto out = numbered_columns(views.size(), folder);
    const auto count = [&](std::size_t c, int) {
        check();
        count_column(views[c], n_rows, out[c]);
    };
    run_tasks(views.size(), n_threads, count, check);
    return out;
}

}  // namespace treewright
