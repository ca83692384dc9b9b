#include "core/neighbors/quick_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace treewright::neighbors {
namespace {

// Several numbers that the machine adds at once.
using Floats [[gnu::vector_size(16)]] = float;
using Flags [[gnu::vector_size(16)]] = std::int32_t;
using Bytes [[gnu::vector_size(16)]] = std::uint8_t;
using Quarter [[gnu::vector_size(4)]] = std::uint8_t;
constexpr std::size_t n_sums = 8;
constexpr std::size_t rows_at_once = n_sums * sizeof(Floats) / sizeof(float);
constexpr std::size_t lines_at_once = 64;  // stay in the nearest cache for several queries
constexpr std::size_t n_parts = box_size / sizeof(Bytes);
static_assert(box_size % rows_at_once == 0 && box_size % sizeof(Bytes) == 0);

constexpr double most_levels = 254;
constexpr std::uint8_t missing_here = 255, missing_there = 254;  // differ from each other
constexpr std::size_t most_bytes = 255;  // columns: counts of equal levels are bytes
constexpr float out_of_reach = 1e15F;    // squares of larger numbers are not for single precision
constexpr double largest_sum = 1e37;     // larger ones may have become infinite on the way
constexpr float rounding = 0x1p-22F;     // more than is lost by rounding a number several times
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

Floats load(const float* from) {
    Floats out;
    std::memcpy(&out, from, sizeof(out));
    return out;
}

void store(Floats values, float* to) { std::memcpy(to, &values, sizeof(values)); }

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

// A difference is rounded by less than `lost` and a share of itself.
void add_squares(const float* values, float value, float if_missing, LaneSums& sums) {
    const Floats otherwise = Floats{} + if_missing;
    const float lost = std::abs(value) * rounding;
    for (std::size_t i = 0; i < n_sums; ++i) {
        const Floats difference = load(values + 4 * i) - value;
        const Floats least = size_of(difference) - lost;
        const Floats square = least > 0 ? least * least : Floats{};
        sums.sum[i] += difference == difference ? square : otherwise;
        sums.known[i] += difference == difference ? one : Floats{};
    }
}

void add_sizes(const float* values, float value, float if_missing, LaneSums& sums) {
    const Floats otherwise = Floats{} + if_missing;
    for (std::size_t i = 0; i < n_sums; ++i) {
        const Floats difference = load(values + 4 * i) - value;
        sums.sum[i] += difference == difference ? size_of(difference) : otherwise;
        sums.known[i] += difference == difference ? one : Floats{};
    }
}

// For a query without a value: how far the rows can be from it, at least a half.
void add_farthest(const float* values, double center, bool squares, LaneSums& sums) {
    const auto lost = static_cast<float>(std::abs(center) * rounding);
    for (std::size_t i = 0; i < n_sums; ++i) {
        const Floats value = load(values + 4 * i) + static_cast<float>(center);
        const Floats far = (value < 0.5F ? 1 - value : value) - lost;
        const Floats least = far > 0 ? far : Floats{};
        sums.sum[i] += value == value ? (squares ? least * least : least) : one;
    }
}

void add_many_levels(const float* values, const QuickQuery::Code& code, LaneSums& sums) {
    const Floats otherwise = Floats{} + code.if_missing;
    for (std::size_t i = 0; i < n_sums; ++i) {
        const Floats its = load(values + 4 * i);
        const Floats differ = its == code.value ? Floats{} : one;
        sums.sum[i] += its == its ? differ : otherwise;
        sums.known[i] += its == its ? one : Floats{};
    }
}

struct Lines {
    const float* first;
    std::size_t n;
};

// To the sums of each query all lines, each times a factor: what is loaded serves all queries.
template <std::size_t n_queries, std::size_t n_vectors>
void add_products(Lines lines, const std::array<const float*, n_queries>& factors,
                  const std::array<float*, n_queries>& sums) {
    for (std::size_t begin = 0; begin < box_size; begin += 4 * n_vectors) {
        Floats of_query[n_queries][n_vectors];
        for (std::size_t q = 0; q < n_queries; ++q) {
            for (std::size_t i = 0; i < n_vectors; ++i) {
                of_query[q][i] = load(sums[q] + begin + 4 * i);
            }
        }
        const float* values = lines.first + begin;
        for (std::size_t line = 0; line < lines.n; ++line, values += box_size) {
            for (std::size_t q = 0; q < n_queries; ++q) {
                const float factor = factors[q][line];
                for (std::size_t i = 0; i < n_vectors; ++i) {
                    of_query[q][i] += load(values + 4 * i) * factor;
                }
            }
        }
        for (std::size_t q = 0; q < n_queries; ++q) {
            for (std::size_t i = 0; i < n_vectors; ++i) {
                store(of_query[q][i], sums[q] + begin + 4 * i);
            }
        }
    }
}

float sum_of_squares(std::span<const float> values) {
    Floats sums = {};
    std::size_t at = 0;
    for (; at + 4 <= values.size(); at += 4) {
        sums += load(values.data() + at) * load(values.data() + at);
    }
    float sum = sums[0] + sums[1] + sums[2] + sums[3];
    for (; at < values.size(); ++at) sum += values[at] * values[at];
    return sum;
}

}  // namespace

// Of n columns each number is rounded once, each product and each sum: of the squares a^2 and b^2
// less than 3 n + 16 parts in 2^24 are lost, as 2 a b is not above a^2 + b^2.
QuickSums::QuickSums(const MixedRows& rows, Measure measure, const ColumnSurvey& survey,
                     std::size_t n_boxes)
    : measure_(measure),
      unit_(survey.unit),
      one_(measure.squares ? unit_ * unit_ : unit_),
      slack_(0x1p-24 * (3 * static_cast<double>(rows.n_columns()) + 16)) {
    sort_columns(rows, survey);
    n_lines_ = 1 + n_numbers() + many_.size();
    centers_.assign(n_boxes * n_numbers(), 0.0);
    floats_.assign(n_boxes * n_lines_ * box_size, 0.0F);
    bytes_.assign(n_boxes * level_.size() * box_size, missing_here);
}

void QuickSums::sort_columns(const MixedRows& rows, const ColumnSurvey& survey) {
    for (std::size_t c = 0; c < rows.n_columns(); ++c) {
        if (rows.is_level[c]) {
            const bool is_small = survey.largest[c] < most_levels && level_.size() < most_bytes;
            (is_small ? level_ : many_).push_back(c);
        } else {
            (survey.has_missing[c] ? some_missing_ : plain_).push_back(c);
        }
    }
}

void QuickSums::fill(std::size_t box, const MixedRows& rows, std::span<const std::uint32_t> of) {
    for (std::size_t place = 0; place < n_numbers(); ++place) {
        centers_[box * n_numbers() + place] = middle_of(rows, of, column_at(place));
    }
    for (std::size_t i = 0; i < of.size(); ++i) put(box, i, rows.row(of[i]));
}

void QuickSums::put(std::size_t box, std::size_t at, const double* row) {
    for (std::size_t i = 0; i < level_.size(); ++i) {
        const double code = row[level_[i]];
        bytes(box, i)[at] = std::isnan(code) ? missing_here : static_cast<std::uint8_t>(code);
    }
    const double* centers = centers_.data() + box * n_numbers();
    double square = 0;
    bool is_odd = false;
    for (std::size_t place = 0; place < n_numbers(); ++place) {
        const float value = seen_from(centers[place], row[column_at(place)]);
        is_odd = is_odd || std::abs(value) > out_of_reach;
        if (place < plain_.size()) square += static_cast<double>(value) * value;
        floats(box, 1 + place)[at] = std::abs(value) > out_of_reach ? 0 : value;
    }
    for (std::size_t i = 0; i < many_.size(); ++i) {
        floats(box, 1 + n_numbers() + i)[at] = static_cast<float>(row[many_[i]]);
    }
    const double of_row = measure_.squares ? square * (1 - slack_) : 0;
    floats(box, 0)[at] = is_odd ? not_a_number : static_cast<float>(of_row);
}

QuickQuery QuickSums::prepare(const double* row) const {
    QuickQuery query;
    prepare_numbers(row, query);
    prepare_levels(row, query);
    query.has_others =
        !query.differences.empty() || !query.unknown.empty() || !query.many_levels.empty();
    return query;
}

void QuickSums::prepare_numbers(const double* row, QuickQuery& query) const {
    const bool goes_far = measure_.missing == Missing::farthest;
    const double if_missing = measure_.missing == Missing::left_out ? 0 : one_;
    const auto is_known = [&](std::size_t c) { return !std::isnan(row[c]); };
    query.squares_by_products = measure_.squares && std::ranges::all_of(plain_, is_known);
    for (std::size_t place = 0; place < n_numbers(); ++place) {
        const double value = row[column_at(place)];
        query.numbers.push_back(value);
        const bool is_plain = place < plain_.size();
        if (is_plain && query.squares_by_products) {
            query.n_known += 1;
        } else if (is_plain && !std::isnan(value) && !measure_.squares) {
            query.n_known += 1;
            query.sizes.push_back(place);
        } else if (!std::isnan(value)) {
            const double far = farthest_from(value);
            const double adds = measure_.squares ? far * far : far;
            query.differences.push_back({place, static_cast<float>(goes_far ? adds : if_missing)});
        } else if (goes_far) {
            query.unknown.push_back(place);
        } else {
            query.constant += static_cast<float>(if_missing);
        }
    }
    query.shifted.resize(n_numbers());
    if (measure_.squares) query.factors.assign(plain_.size(), 0.0F);
}

void QuickSums::prepare_levels(const double* row, QuickQuery& query) const {
    const bool leaves_out = measure_.missing == Missing::left_out;
    for (std::size_t i = 0; i < many_.size(); ++i) {
        const double code = row[many_[i]];
        if (std::isnan(code) && leaves_out) continue;
        query.many_levels.push_back(
            {1 + n_numbers() + i, static_cast<float>(code), leaves_out ? 0.0F : 1.0F});
    }
    for (std::size_t i = 0; i < level_.size(); ++i) {
        const double code = row[level_[i]];
        if (std::isnan(code) && leaves_out) continue;
        const bool can_be_equal = code >= 0 && code < most_levels;
        query.levels.push_back({i, can_be_equal ? static_cast<std::uint8_t>(code) : missing_there});
    }
}

// The first addend is for what is too small for single precision, here or in the exact sum.
float QuickSums::bound(double reach) const {
    const double in_units = reach * unit_ * (measure_.squares ? unit_ : 1);
    const auto n = static_cast<double>(n_numbers() + many_.size() + level_.size());
    const double most = (1e-30 + in_units) * (1 + 0x1p-22 * (n + 16));
    return most < largest_sum ? static_cast<float>(most) : infinity;
}

void QuickSums::approach(std::size_t box, QuickQuery& query) const {
    const double* centers = centers_.data() + box * n_numbers();
    const double* numbers = query.numbers.data();
    float* shifted = query.shifted.data();
    for (std::size_t place = 0; place < n_numbers(); ++place) {
        shifted[place] = seen_from(centers[place], numbers[place]);
    }
    query.start = query.constant;
    if (query.squares_by_products) {
        float* factors = query.factors.data();
        for (std::size_t place = 0; place < plain_.size(); ++place) {
            factors[place] = -2 * shifted[place];
        }
        const float square = sum_of_squares({shifted, plain_.size()});
        query.start += square * static_cast<float>(1 - slack_);
    }
    if (measure_.squares) return;
    float lost = 0;
    for (const std::size_t place : query.sizes) lost += std::abs(shifted[place]);
    for (const auto& [place, _] : query.differences) lost += std::abs(shifted[place]);
    query.start -= 2 * rounding * lost;
}

// Columns that not every row knows, or that are no squares.
void QuickSums::add_others(std::size_t box, std::size_t begin, const QuickQuery& query,
                           LaneSums& sums) const {
    for (const auto& [place, if_missing] : query.differences) {
        const float* values = floats(box, 1 + place) + begin;
        if (measure_.squares) {
            add_squares(values, query.shifted[place], if_missing, sums);
        } else {
            add_sizes(values, query.shifted[place], if_missing, sums);
        }
    }
    for (const std::size_t place : query.unknown) {
        const double center = centers_[box * n_numbers() + place];
        add_farthest(floats(box, 1 + place) + begin, center, measure_.squares, sums);
    }
    for (const auto& code : query.many_levels) {
        add_many_levels(floats(box, code.line) + begin, code, sums);
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

void QuickSums::add_levels(const LevelCounts& counts, std::size_t begin, float n_levels,
                           LaneSums& sums) const {
    for (std::size_t i = 0; i < n_sums; ++i) {
        const Floats equal = as_floats(counts.equal + begin + 4 * i);
        if (measure_.missing == Missing::left_out) {
            const Floats known = as_floats(counts.known + begin + 4 * i);
            sums.sum[i] += known - equal;
            sums.known[i] += known;
        } else {
            sums.sum[i] += n_levels - equal;
        }
    }
}

// What needs a second look at the rows: missing values, levels that are counted as known, no
// squares.
void QuickSums::add_rest(std::size_t box, std::size_t begin, const QuickQuery& query,
                         const LevelCounts& counts, float* sums) const {
    LaneSums lanes;
    for (std::size_t i = 0; i < n_sums; ++i) {
        lanes.sum[i] = load(sums + 4 * i);
        lanes.known[i] = Floats{} + query.n_known;
    }
    add_others(box, begin, query, lanes);
    const auto n_levels = static_cast<float>(query.levels.size());
    if (!query.levels.empty()) add_levels(counts, begin, n_levels, lanes);
    for (std::size_t i = 0; i < n_sums; ++i) {
        const Floats sum = lanes.sum[i], known = lanes.known[i];
        const bool is_mean = measure_.missing == Missing::left_out;
        const Floats nothing_known = sum + static_cast<float>(one_);
        const Floats result = is_mean ? (known > 0 ? sum / known : nothing_known) : sum;
        store(result, sums + 4 * i);
    }
}

void QuickSums::begin(std::size_t box, std::span<QuickQuery* const> queries, float* sums) const {
    const float* squares = floats(box, 0);
    for (std::size_t q = 0; q < queries.size(); ++q) {
        approach(box, *queries[q]);
        const float start = queries[q]->start;
        const float factor = queries[q]->squares_by_products ? 1.0F : 0.0F;  // odd rows stay NaN
        for (std::size_t i = 0; i < box_size; ++i) {
            sums[q * box_size + i] = squares[i] * factor + start;
        }
    }
    if (!measure_.squares) return;
    for (std::size_t first = 0; first < plain_.size(); first += lines_at_once) {
        const Lines lines{floats(box, 1 + first), std::min(lines_at_once, plain_.size() - first)};
        std::size_t q = 0;
        const auto factors = [&](std::size_t more) {
            return queries[q + more]->factors.data() + first;
        };
        const auto into = [&](std::size_t more) { return sums + (q + more) * box_size; };
        for (; q + 4 <= queries.size(); q += 4) {
            add_products<4, 4>(lines, {factors(0), factors(1), factors(2), factors(3)},
                               {into(0), into(1), into(2), into(3)});
        }
        for (; q < queries.size(); ++q) add_products<1, 8>(lines, {factors(0)}, {into(0)});
    }
}

// Levels are added last: so they are exact, and what is lost before does not grow with them.
bool QuickSums::finish(std::size_t box, const QuickQuery& query, float most, float* out) const {
    const bool has_rest = query.has_others || measure_.missing == Missing::left_out;
    const auto n_levels = static_cast<float>(query.levels.size());
    LevelCounts counts;
    if (!query.levels.empty()) counts = count_levels(box, query);
    Flags within = {};
    for (std::size_t begin = 0; begin < box_size; begin += rows_at_once) {
        Floats sums[n_sums];  // in registers, unless there is a rest
        for (std::size_t i = 0; i < n_sums; ++i) sums[i] = load(out + begin + 4 * i);
        for (const std::size_t place : query.sizes) {
            const float* line = floats(box, 1 + place) + begin;
            const float value = query.shifted[place];
            for (std::size_t i = 0; i < n_sums; ++i) sums[i] += size_of(load(line + 4 * i) - value);
        }
        if (has_rest) {
            std::memcpy(out + begin, sums, sizeof(sums));
            add_rest(box, begin, query, counts, out + begin);
            std::memcpy(sums, out + begin, sizeof(sums));
        } else if (n_levels > 0) {
            const std::uint8_t* equal = counts.equal + begin;
            for (std::size_t i = 0; i < n_sums; ++i) sums[i] += n_levels - as_floats(equal + 4 * i);
        }
        for (std::size_t i = 0; i < n_sums; ++i) {
            within |= ~static_cast<Flags>(sums[i] > most);
            store(sums[i], out + begin + 4 * i);
        }
    }
    return (within[0] | within[1] | within[2] | within[3]) != 0;
}

}  // namespace treewright::neighbors
