// The values inside Arrow arrays: numbers of any width, text of any layout, nulls.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "core/io/arrow_abi.hpp"
#include "core/io/arrow_checks.hpp"

namespace treewright::arrow {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// The rows [first, first + length) of one array of the stream.
struct Chunk {
    const ArrowArray* array;
    std::int64_t first;
    std::int64_t length;

    bool is_null(std::int64_t row) const {
        const auto* valid = static_cast<const std::uint8_t*>(array->buffers[0]);
        const std::int64_t at = first + row;
        return valid != nullptr && (valid[at >> 3] >> (at & 7) & 1) == 0;
    }

    bool has_nulls() const { return array->null_count != 0 && array->buffers[0] != nullptr; }

    template <typename T>
    const T* values() const {
        return static_cast<const T*>(array->buffers[1]) + first;
    }
};

// One string array of any of the three layouts. A place outside of its buffers, as far as their
// sizes are known, is an ArrowDataError that says what is wrong but not in which column.
class Texts {
public:
    Texts(const ArrowArray* array, std::string_view format) : array_(array), format_(format) {}

    std::string_view operator[](std::int64_t at) const {
        if (format_ == "u") return by_offsets<std::int32_t>(at);
        if (format_ == "U") return by_offsets<std::int64_t>(at);
        return by_view(at);
    }

    // Throws at the first of these texts that ends before it begins; `row` is then its number.
    // To be called before any is read: each offset is then at most the last, which is the size of
    // the buffer.
    void check_order(std::int64_t first, std::int64_t length, std::int64_t& row) const {
        if (format_ == "u") check_offsets<std::int32_t>(first, length, row);
        if (format_ == "U") check_offsets<std::int64_t>(first, length, row);
    }

private:
    template <typename Offset>
    void check_offsets(std::int64_t first, std::int64_t length, std::int64_t& row) const {
        const auto* offsets = static_cast<const Offset*>(array_->buffers[1]) + first;
        for (row = 0; row < length; ++row) {
            if (offsets[row] >= 0 && offsets[row + 1] >= offsets[row]) continue;
            throw ArrowDataError("the text begins at offset " + std::to_string(offsets[row]) +
                                 " and ends at " + std::to_string(offsets[row + 1]));
        }
    }

    template <typename Offset>
    std::string_view by_offsets(std::int64_t at) const {
        const auto* offsets = static_cast<const Offset*>(array_->buffers[1]);
        const auto* text = static_cast<const char*>(array_->buffers[2]);
        const Offset begin = offsets[at], end = offsets[at + 1];
        if (begin == end) return {};
        if (text == nullptr) throw ArrowDataError("there is no buffer of text");
        return {text + begin, static_cast<std::size_t>(end - begin)};
    }

    // A view of 16 bytes: the length, then up to 12 characters in place, or a prefix of four, the
    // number of the buffer and the offset in it. The last buffer holds the sizes of those of text.
    std::string_view by_view(std::int64_t at) const {
        const auto* view = static_cast<const char*>(array_->buffers[1]) + 16 * at;
        std::int32_t place[4];
        std::memcpy(place, view, sizeof place);
        const std::int64_t size = place[0], buffer = place[2], begin = place[3];
        if (size < 0) throw ArrowDataError("the text has a length of " + std::to_string(size));
        if (size <= 12) return {view + 4, static_cast<std::size_t>(size)};
        const std::int64_t n_texts = array_->n_buffers - 3;
        if (buffer < 0 || buffer >= n_texts) {
            throw ArrowDataError("the text is in buffer " + std::to_string(buffer) + " of " +
                                 std::to_string(n_texts));
        }
        const auto* text = static_cast<const char*>(array_->buffers[2 + buffer]);
        const auto* sizes = static_cast<const std::int64_t*>(array_->buffers[2 + n_texts]);
        if (text == nullptr || begin < 0 || begin + size > sizes[buffer]) {
            throw ArrowDataError("the text ends at offset " + std::to_string(begin + size) +
                                 " of a buffer of " + std::to_string(sizes[buffer]) + " bytes");
        }
        return {text + begin, static_cast<std::size_t>(size)};
    }

    const ArrowArray* array_;
    std::string_view format_;
};

inline bool is_text(std::string_view format) {
    return format == "u" || format == "U" || format == "vu";
}

inline double half_to_double(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const double fraction = bits & 1023;
    double size =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31) size = fraction == 0 ? std::numeric_limits<double>::infinity() : kMissing;
    return bits >> 15 ? -size : size;
}

// A decimal of 128 bits in two's complement, little endian.
inline double decimal_to_double(const std::uint64_t* parts, int scale) {
    std::uint64_t low = parts[0];
    std::uint64_t high = parts[1];
    const bool negative = high >> 63;
    if (negative) {
        low = ~low + 1;
        high = ~high + (low == 0);
    }
    const double size = std::ldexp(static_cast<double>(high), 64) + static_cast<double>(low);
    return (negative ? -size : size) / std::pow(10.0, scale);
}

// What numbers of a date, time or duration count; empty for plain numbers.
inline std::string unit_of(std::string_view format) {
    if (format == "tdD") return "datetime64[D]";
    if (format == "tdm") return "datetime64[ms]";
    if (format.size() < 3 || format[0] != 't') return "";
    const std::string kind = format[1] == 's' ? "datetime64" : "timedelta64";
    switch (format[2]) {
        case 's': return kind + "[s]";
        case 'm': return kind + "[ms]";
        case 'u': return kind + "[us]";
        default: return kind + "[ns]";
    }
}

// "int32" for "i": the integer type behind a format, dates and times included; 0 if it is none.
inline char integer_code(std::string_view format) {
    if (format.size() == 1 && std::strchr("cCsSiIlL", format[0])) return format[0];
    if (format == "tdD" || format == "tts" || format == "ttm") return 'i';
    if (format.size() >= 3 && format[0] == 't' && std::strchr("dstD", format[1])) return 'l';
    return 0;
}

// Calls visit(pointer to the first value of the chunk) with the integer type behind `code`.
template <typename Visit>
void visit_integers(const Chunk& chunk, char code, Visit&& visit) {
    switch (code) {
        case 'c': return visit(chunk.values<std::int8_t>());
        case 'C': return visit(chunk.values<std::uint8_t>());
        case 's': return visit(chunk.values<std::int16_t>());
        case 'S': return visit(chunk.values<std::uint16_t>());
        case 'i': return visit(chunk.values<std::int32_t>());
        case 'I': return visit(chunk.values<std::uint32_t>());
        case 'l': return visit(chunk.values<std::int64_t>());
        default: return visit(chunk.values<std::uint64_t>());
    }
}

}  // namespace treewright::arrow
