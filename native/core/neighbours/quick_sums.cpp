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
constexpr std::size_t n_sums = 8;
constexpr std::size_t rows_at_once = n_sums * sizeof(Floats) / sizeof(float);
constexpr std::size_t n_parts = box_size / sizeof(Bytes);
static_assert(box_size % rows_at_once == 0 && box_size % sizeof(Bytes) == 0);

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

Bytes load_bytes(const std::uint8_t* from, std::size_t part) {
    Bytes out;
    std::memcpy(&out, from + part * sizeof(out), sizeof(out));
    return out;
}

Floats as_floats(const std::uint8_t* counts) {
    Quarter few;
    std::memcpy(&few, counts, sizeof(few));
    return __builtin_convertvector(few, Floats);
}

Floats size_of(Floats value) { return (Floats)((Flags)value & 0x7FFFFFFF); }  // without its sign

const Floats one = Floats{} + 1.0F;

}  // namespace

// Of each row of a box: columns where it has the level of the query, and where it has one at all.
struct LevelCounts {
    std::uint8_t equal[box_size];
    std::uint8_t known[box_size];  // only where this counts
};

struct LaneSums {
    Floats sum[n_sums];
    Floats known[n_sums];  // columns that both rows know, where this counts
};

namespace {

void add_squares(const float* values, const QuickQuery::Number& number, LaneSums& sums) {
    const Floats otherwise = Floats{} + number.if_missing;
    for (std::size_t i = 0; i < n_sums; ++i) {
        const Floats difference = load(values + 4 * i) - number.value;
        sums.sum[i] += difference == difference ? difference * difference : otherwise;
    }
}

void add_sizes(const float* values, const QuickQuery::Number& number, LaneSums& sums) {
    const Floats otherwise = Floats{} + number.if_missing;
    for (std::size_t i = 0; i < n_sums; ++i) {
        const Floats difference = load(values + 4 * i) - number.value;
        sums.sum[i] += difference == difference ? size_of(difference) : otherwise;
        sums.known[i] += difference == difference ? one : Floats{};
    }
}

// For a query without a value: how far the rows can be from it.
void add_farthest(const float* values, float centre, bool squares, LaneSums& sums) {
    for (std::size_t i = 0; i < n_sums; ++i) {
        const Floats value = load(values + 4 * i) + centre;
        const Floats far = value < 0.5F ? 1 - value : value;
        sums.sum[i] += value == value ? (squares ? far * far : far) : one;
    }
}

void add_many_levels(const float* values, const QuickQuery::Number& number, LaneSums& sums) {
    const Floats otherwise = Floats{} + number.if_missing;
    for (std::size_t i = 0; i < n_sums; ++i) {
        const Floats code = load(values + 4 * i);
        const Floats differ = code == number.value ? Floats{} : one;
        sums.sum[i] += code == code ? differ : otherwise;
        sums.known[i] += code == code ? one : Floats{};
    }
}

}  // namespace

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

float QuickSums::centred(const double* row, std::size_t column) const {
    return static_cast<float>(row[column] - centre_[column]);
}

bool QuickSums::is_odd(const double* row) const {
    const auto is_far = [&](std::size_t c) { return std::abs(row[c]) > out_of_reach; };
    return std::ranges::any_of(plain_, is_far) || std::ranges::any_of(holed_, is_far);
}

void QuickSums::put(std::size_t box, std::size_t place, const double* row) {
    for (std::size_t i = 0; i < level_.size(); ++i) {
        const double code = row[level_[i]];
        bytes(box, i)[place] =
            std::isnan(code) ? missing_here : static_cast<std::uint8_t>(code);
    }
    if (is_odd(row)) {
        floats(box, 0)[place] = not_a_number;
        return;
    }
    float square = 0;
    std::size_t line = 1;
    for (const std::size_t c : plain_) {
        square += centred(row, c) * centred(row, c);
        floats(box, line++)[place] = centred(row, c);
    }
    for (const std::size_t c : holed_) floats(box, line++)[place] = centred(row, c);
    for (const std::size_t c : many_) floats(box, line++)[place] = centred(row, c);
    floats(box, 0)[place] = measure_.squares ? square : 0;
}

QuickQuery QuickSums::prepare(const double* row) const {
    QuickQuery query;
    const bool leaves_out = measure_.missing == Missing::left_out;
    const bool goes_far = measure_.missing == Missing::farthest;
    const auto is_known = [&](std::size_t c) { return !std::isnan(row[c]); };
    query.squares_by_products = measure_.squares && std::ranges::all_of(plain_, is_known);
    std::size_t line = 1;
    const auto add_number = [&](std::size_t c, bool is_plain) {
        const float value = centred(row, c);
        if (is_plain && query.squares_by_products) {
            query.start += value * value;
            query.products.push_back({line, -2 * value, 0});
        } else if (is_plain && is_known(c) && !measure_.squares) {
            query.sizes.push_back({line, value, 0});
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
        add_number(c, true);
        query.n_known += is_known(c);
    }
    for (const std::size_t c : holed_) add_number(c, false);
    for (const std::size_t c : many_) {
        const float if_missing = leaves_out ? 0 : 1;
        if (is_known(c) || !leaves_out) {
            query.many_levels.push_back({line, centred(row, c), if_missing});
        }
        ++line;
    }
    for (std::size_t i = 0; i < level_.size(); ++i) {
        const double code = row[level_[i]];
        if (std::isnan(code) && leaves_out) continue;
        const bool can_be_equal = code >= 0 && code < most_levels;
        query.levels.push_back({i, can_be_equal ? static_cast<std::uint8_t>(code) : missing_there});
    }
    if (!leaves_out) query.start += static_cast<float>(query.levels.size());
    query.has_others =
        !query.differences.empty() || !query.unknown.empty() || !query.many_levels.empty();
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

// Columns that not every row knows, or that are no squares.
void QuickSums::add_others(std::size_t box, std::size_t begin, const QuickQuery& query,
                           LaneSums& sums) const {
    for (const auto& number : query.differences) {
        const float* values = floats(box, number.line) + begin;
        if (measure_.squares) {
            add_squares(values, number, sums);
        } else {
            add_sizes(values, number, sums);
        }
    }
    for (const std::size_t line : query.unknown) {
        const std::size_t at = line - 1;
        const double centre = centre_[at < plain_.size() ? plain_[at] : holed_[at - plain_.size()]];
        add_farthest(floats(box, line) + begin, static_cast<float>(centre), measure_.squares, sums);
    }
    for (const auto& number : query.many_levels) {
        add_many_levels(floats(box, number.line) + begin, number, sums);
    }
}

// All rows of the box at once: columns one after the other, counts in registers.
LevelCounts QuickSums::count_levels(std::size_t box, const QuickQuery& query) const {
    Bytes equal[n_parts] = {};
    for (const auto& [place, value] : query.levels) {
        const std::uint8_t* codes = bytes(box, place);
        for (std::size_t part = 0; part < n_parts; ++part) {
            equal[part] -= static_cast<Bytes>(load_bytes(codes, part) == value);
        }
    }
    Bytes known[n_parts] = {};
    if (measure_.missing == Missing::left_out) {
        for (const auto& [place, _] : query.levels) {
            const std::uint8_t* codes = bytes(box, place);
            for (std::size_t part = 0; part < n_parts; ++part) {
                known[part] -= static_cast<Bytes>(load_bytes(codes, part) != missing_here);
            }
        }
    }
    LevelCounts counts;
    std::memcpy(counts.equal, equal, sizeof(equal));
    std::memcpy(counts.known, known, sizeof(known));
    return counts;
}

void QuickSums::add_levels(const LevelCounts& counts, std::size_t begin, LaneSums& sums) const {
    for (std::size_t i = 0; i < n_sums; ++i) {
        sums.sum[i] -= as_floats(counts.equal + begin + 4 * i);
    }
    if (measure_.missing != Missing::left_out) return;
    for (std::size_t i = 0; i < n_sums; ++i) {
        const Floats known = as_floats(counts.known + begin + 4 * i);
        sums.sum[i] += known;
        sums.known[i] += known;
    }
}

// What needs a second look at the rows: holes, levels that are counted as known, no squares.
void QuickSums::add_rest(std::size_t box, std::size_t begin, const QuickQuery& query,
                         const LevelCounts& counts, float* sums) const {
    LaneSums lanes;
    for (std::size_t i = 0; i < n_sums; ++i) {
        lanes.sum[i] = load(sums + 4 * i);
        lanes.known[i] = Floats{} + query.n_known;
    }
    add_others(box, begin, query, lanes);
    if (!query.levels.empty()) add_levels(counts, begin, lanes);
    for (std::size_t i = 0; i < n_sums; ++i) {
        const Floats sum = lanes.sum[i], known = lanes.known[i];
        const bool is_mean = measure_.missing == Missing::left_out;
        const Floats result = is_mean ? (known > 0 ? sum / known : sum + 1) : sum;
        std::memcpy(sums + 4 * i, &result, sizeof(result));
    }
}

bool QuickSums::add_up(std::size_t box, const QuickQuery& query, float most, float* out) const {
    const bool has_rest = query.has_others || measure_.missing == Missing::left_out;
    const bool has_levels = !query.levels.empty();
    const float factor = query.squares_by_products ? 1.0F : 0.0F;  // odd rows are NaN in any case
    LevelCounts counts;
    if (has_levels) counts = count_levels(box, query);
    Flags within = {};
    for (std::size_t begin = 0; begin < box_size; begin += rows_at_once) {
        Floats sums[n_sums];  // in registers, unless there is a rest
        const float* squares = floats(box, 0) + begin;
        for (std::size_t i = 0; i < n_sums; ++i) {
            sums[i] = load(squares + 4 * i) * factor + query.start;
        }
        for (const auto& [line, value, _] : query.products) {
            const float* values = floats(box, line) + begin;
            for (std::size_t i = 0; i < n_sums; ++i) sums[i] += load(values + 4 * i) * value;
        }
        for (const auto& [line, value, _] : query.sizes) {
            const float* values = floats(box, line) + begin;
            for (std::size_t i = 0; i < n_sums; ++i) {
                sums[i] += size_of(load(values + 4 * i) - value);
            }
        }
        if (has_rest) {
            std::memcpy(out + begin, sums, sizeof(sums));
            add_rest(box, begin, query, counts, out + begin);
            std::memcpy(sums, out + begin, sizeof(sums));
        } else if (has_levels) {
            for (std::size_t i = 0; i < n_sums; ++i) {
                sums[i] -= as_floats(counts.equal + begin + 4 * i);
            }
        }
        for (std::size_t i = 0; i < n_sums; ++i) {
            within |= ~static_cast<Flags>(sums[i] > most);
            std::memcpy(out + begin + 4 * i, &sums[i], sizeof(sums[i]));
        }
    }
    return (within[0] | within[1] | within[2] | within[3]) != 0;
}

}  // namespace treewright::neighbours
