#include "core/neighbours/quick_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace treewright::neighbours {
namespace {

// Several numbers that the machine adds at once.
using Floats [[gnu::vector_size(16)]] = float;
using Flags [[gnu::vector_size(16)]] = std::int32_t;
using Bytes [[gnu::vector_size(16)]] = std::uint8_t;
using Quarter [[gnu::vector_size(4)]] = std::uint8_t;
constexpr std::size_t n_sums = 8, n_halves = 2;
constexpr std::size_t rows_at_once = n_sums * sizeof(Floats) / sizeof(float);
static_assert(box_size % rows_at_once == 0 && rows_at_once == n_halves * sizeof(Bytes));

constexpr double most_levels = 254;
constexpr std::uint8_t missing_here = 255, missing_there = 254;  // differ from each other
constexpr std::size_t most_bytes = 255;  // columns: counts of equal levels are bytes
constexpr double out_of_reach = 1e15;    // squares of larger numbers are not for single precision
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

Floats load(const float* from) {
    Floats out;
    std::memcpy(&out, from, sizeof(out));
    return out;
}

Floats size_of(Floats value) { return value < 0 ? -value : value; }

Floats as_floats(const Bytes* counts, std::size_t at) {
    Quarter few;
    std::memcpy(&few, reinterpret_cast<const std::uint8_t*>(counts) + 4 * at, 4);
    return __builtin_convertvector(few, Floats);
}

}  // namespace

struct LaneSums {
    Floats sum[n_sums];
    Floats known[n_sums];  // columns that both rows know, where this counts
};

QuickSums::QuickSums(const MixedRows& rows, Measure measure, std::size_t n_boxes)
    : measure_(measure), centre_(rows.n_columns(), 0.0) {
    sort_columns(rows);
    n_lines_ = 1 + plain_.size() + holed_.size() + many_.size();
    floats_.assign(n_boxes * n_lines_ * box_size, 0.0F);
    bytes_.assign(n_boxes * level_.size() * box_size, missing_here);
}

void QuickSums::sort_columns(const MixedRows& rows) {
    for (std::size_t c = 0; c < rows.n_columns(); ++c) {
        bool has_holes = false;
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (std::size_t row = 0; row < rows.n_rows; ++row) {
            const double value = rows.row(row)[c];
            has_holes = has_holes || std::isnan(value);
            if (!std::isfinite(value) || std::abs(value) > out_of_reach) continue;
            low = std::min(low, value);
            high = std::max(high, value);
        }
        if (rows.is_level[c]) {
            const bool is_small = high < most_levels && level_.size() < most_bytes;
            (is_small ? level_ : many_).push_back(c);
            continue;
        }
        (has_holes ? holed_ : plain_).push_back(c);
        if (low > high) continue;  // no number at all
        centre_[c] = low + (high - low) / 2;
        largest_ = std::max(largest_, high - centre_[c]);
    }
}

float QuickSums::small(const double* row, std::size_t column) const {
    return static_cast<float>(row[column] - centre_[column]);
}

bool QuickSums::is_odd(const double* row) const {
    const auto is_far = [&](std::size_t c) { return std::abs(row[c]) > out_of_reach; };
    return std::ranges::any_of(plain_, is_far) || std::ranges::any_of(holed_, is_far);
}

void QuickSums::put(std::size_t box, std::size_t place, const double* row) {
    for (std::size_t i = 0; i < level_.size(); ++i) {
        const double code = row[level_[i]];
        bytes_[(box * level_.size() + i) * box_size + place] =
            std::isnan(code) ? missing_here : static_cast<std::uint8_t>(code);
    }
    if (is_odd(row)) {
        floats(box, 0)[place] = not_a_number;
        return;
    }
    float square = 0;
    std::size_t line = 1;
    for (const std::size_t c : plain_) {
        square += small(row, c) * small(row, c);
        floats(box, line++)[place] = small(row, c);
    }
    for (const std::size_t c : holed_) floats(box, line++)[place] = small(row, c);
    for (const std::size_t c : many_) floats(box, line++)[place] = small(row, c);
    floats(box, 0)[place] = measure_.squares ? square : 0;
}

QuickQuery QuickSums::prepare(const double* row) const {
    QuickQuery query;
    const bool leaves_out = measure_.missing == Missing::left_out;
    const bool goes_far = measure_.missing == Missing::farthest;
    const auto is_known = [&](std::size_t c) { return !std::isnan(row[c]); };
    query.by_products = measure_.squares && std::ranges::all_of(plain_, is_known);
    std::size_t line = 1;
    const auto add_number = [&](std::size_t c, bool by_product) {
        const float value = small(row, c);
        if (by_product) {
            query.start += value * value;
            query.products.push_back({line, -2 * value, 0});
        } else if (is_known(c)) {
            auto far = static_cast<float>(goes_far ? farthest_from(row[c]) : !leaves_out);
            query.differences.push_back({line, value, measure_.squares ? far * far : far});
        } else if (goes_far) {
            query.unknown.push_back(line);
        } else if (!leaves_out) {
            query.start += 1;
        }
        ++line;
    };
    for (const std::size_t c : plain_) {
        add_number(c, query.by_products);
        query.n_known += is_known(c);
    }
    for (const std::size_t c : holed_) add_number(c, false);
    for (const std::size_t c : many_) {
        if (is_known(c) || !leaves_out) query.many_levels.push_back({line, small(row, c), 1});
        ++line;
    }
    for (std::size_t i = 0; i < level_.size(); ++i) {
        const double code = row[level_[i]];
        if (std::isnan(code) && leaves_out) continue;
        const bool can_be_equal = code >= 0 && code < most_levels;
        query.levels.push_back({i, can_be_equal ? static_cast<std::uint8_t>(code) : missing_there});
    }
    if (!leaves_out) query.start += static_cast<float>(query.levels.size());
    return query;
}

// Every term is rounded when it is made and with every addition; the numbers once before. The last
// term is for what is too small for single precision.
double QuickSums::error(const double* query) const {
    if (is_odd(query)) return HUGE_VAL;
    double largest = largest_;
    for (const auto* columns : {&plain_, &holed_}) {
        for (const std::size_t c : *columns) {
            if (!std::isnan(query[c])) largest = std::max(largest, std::abs(query[c] - centre_[c]));
        }
    }
    const auto n = static_cast<double>(centre_.size());
    const double of_column = measure_.squares ? 4 * largest * largest : 2 * largest;
    return 0x1p-23 * (n + 8) * n * (of_column + 1) + 1e-36;
}

void QuickSums::add_differences(std::size_t box, std::size_t begin, const QuickQuery& query,
                                LaneSums& sums) const {
    const bool squares = measure_.squares, counts = measure_.missing == Missing::left_out;
    const Floats one = Floats{} + 1.0F;
    for (const auto& [line, value, if_missing] : query.differences) {
        const float* values = floats(box, line) + begin;
        const Floats otherwise = Floats{} + if_missing;
        const bool is_plain = line <= plain_.size();
        for (std::size_t i = 0; i < n_sums; ++i) {
            const Floats difference = load(values + 4 * i) - value;
            const Floats size = squares ? difference * difference : size_of(difference);
            sums.sum[i] += size == size ? size : otherwise;
            if (counts && !is_plain) sums.known[i] += size == size ? one : Floats{};
        }
    }
    for (const std::size_t line : query.unknown) {
        const float* values = floats(box, line) + begin;
        const std::size_t at = line - 1;
        const auto centre = static_cast<float>(
            centre_[at < plain_.size() ? plain_[at] : holed_[at - plain_.size()]]);
        for (std::size_t i = 0; i < n_sums; ++i) {
            const Floats value = load(values + 4 * i) + centre;
            const Floats far = value < 0.5F ? 1 - value : value;
            sums.sum[i] += value == value ? (squares ? far * far : far) : one;
        }
    }
    for (const auto& [line, value, _] : query.many_levels) {  // NaN differs from everything
        const float* values = floats(box, line) + begin;
        for (std::size_t i = 0; i < n_sums; ++i) {
            const Floats code = load(values + 4 * i);
            const Floats apart = code == value ? Floats{} : one;
            if (counts) {
                sums.sum[i] += code == code ? apart : Floats{};
                sums.known[i] += code == code ? one : Floats{};
            } else {
                sums.sum[i] += apart;
            }
        }
    }
}

void QuickSums::add_levels(std::size_t box, std::size_t begin, const QuickQuery& query,
                           LaneSums& sums) const {
    const bool counts = measure_.missing == Missing::left_out;
    Bytes equal[n_halves] = {}, known[n_halves] = {};
    for (const auto& [place, value] : query.levels) {
        const std::uint8_t* codes =
            bytes_.data() + (box * level_.size() + place) * box_size + begin;
        for (std::size_t half = 0; half < n_halves; ++half) {
            Bytes given;
            std::memcpy(&given, codes + half * sizeof(Bytes), sizeof(Bytes));
            equal[half] -= static_cast<Bytes>(given == value);
            if (counts) known[half] -= static_cast<Bytes>(given != missing_here);
        }
    }
    for (std::size_t i = 0; i < n_sums; ++i) {
        sums.sum[i] -= as_floats(equal, i);
        if (!counts) continue;
        sums.sum[i] += as_floats(known, i);
        sums.known[i] += as_floats(known, i);
    }
}

bool QuickSums::add_up(std::size_t box, const QuickQuery& query, float most, float* out) const {
    Flags within = {};
    for (std::size_t begin = 0; begin < box_size; begin += rows_at_once) {
        LaneSums sums;
        const float* squares = floats(box, 0) + begin;
        const float factor = query.by_products ? 1.0F : 0.0F;  // odd rows are NaN in any case
        for (std::size_t i = 0; i < n_sums; ++i) {
            sums.sum[i] = load(squares + 4 * i) * factor + query.start;
            sums.known[i] = Floats{} + query.n_known;
        }
        for (const auto& [line, value, _] : query.products) {
            const float* values = floats(box, line) + begin;
            for (std::size_t i = 0; i < n_sums; ++i) sums.sum[i] += load(values + 4 * i) * value;
        }
        add_differences(box, begin, query, sums);
        if (!query.levels.empty()) add_levels(box, begin, query, sums);
        for (std::size_t i = 0; i < n_sums; ++i) {
            Floats sum = sums.sum[i];
            if (measure_.missing == Missing::left_out) {
                sum = sums.known[i] > 0 ? sum / sums.known[i] : sum + 1;
            }
            within |= ~static_cast<Flags>(sum > most);
            std::memcpy(out + begin + 4 * i, &sum, sizeof(sum));
        }
    }
    return (within[0] | within[1] | within[2] | within[3]) != 0;
}

}  // namespace treewright::neighbours
