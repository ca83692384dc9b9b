#include "core/io/arrow_checks.hpp"

#include <algorithm>
#include <cstdio>

#include "core/io/arrow_values.hpp"

namespace treewright::arrow {

namespace {

void require(bool holds, const std::string& problem) {
    if (!holds) throw ArrowDataError(problem);
}

// Lengths and offsets that can be added and multiplied without overflow.
void check_numbers(const ArrowArray& array, const std::string& what) {
    require(array.length >= 0 && array.length <= most_rows,
            what + " has a length of " + std::to_string(array.length));
    require(array.offset >= 0 && array.offset <= most_rows,
            what + " has an offset of " + std::to_string(array.offset));
    require(array.null_count >= -1 && array.null_count <= array.length,
            what + " has " + std::to_string(array.length) + " rows and a null count of " +
                std::to_string(array.null_count));
}

void check_buffers(const ArrowArray& array, const std::string& what, std::string_view format) {
    const bool by_offsets = format == "u" || format == "U";
    const bool by_views = format == "vu";
    const bool enough = by_views ? array.n_buffers >= 3 : array.n_buffers == (by_offsets ? 3 : 2);
    require(enough, what + " has " + std::to_string(array.n_buffers) + " buffers, not " +
                        (by_views     ? "3 or more"
                         : by_offsets ? "3"
                                      : "2"));
    require(array.buffers != nullptr, what + " has no buffers");
    require(array.null_count <= 0 || array.buffers[0] != nullptr,
            what + " has missing values and no buffer that says which");
    require(array.length == 0 || array.buffers[1] != nullptr,
            what + " has " + std::to_string(array.length) + " rows and no buffer of values");
    require(!by_views || array.n_buffers == 3 || array.buffers[array.n_buffers - 1] != nullptr,
            what + " does not say how large its buffers of text are");
}

// How many bytes a character has that begins with `lead`; 0 if none does.
std::size_t size_by_lead(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return 2;
    if (lead >= 0xE0 && lead <= 0xEF) return 3;
    if (lead >= 0xF0 && lead <= 0xF4) return 4;
    return 0;
}

// Second bytes that make a longer form than needed, half of a surrogate pair, or too high a number.
bool is_wrong_second(unsigned char lead, unsigned char second) {
    return (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
           (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
}

}  // namespace

std::size_t first_invalid_byte(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = size_by_lead(byte(at));
        if (size == 0 || size > text.size() - at) return at;
        if (size > 1 && is_wrong_second(byte(at), byte(at + 1))) return at;
        for (std::size_t more = 1; more < size; ++more) {
            if ((byte(at + more) & 0xC0) != 0x80) return at;
        }
        at += size;
    }
    return std::string_view::npos;
}

std::string utf8_problem(std::string_view text) {
    const std::size_t at = first_invalid_byte(text);
    if (at == std::string_view::npos) return "";
    char shown[8];
    std::snprintf(shown, sizeof shown, "0x%02x", static_cast<unsigned char>(text[at]));
    return std::string("byte ") + shown + " at position " + std::to_string(at) + " is not UTF-8";
}

void check_schema(const ArrowSchema& schema) {
    require(schema.format != nullptr, "an Arrow schema without a format");
    require(utf8_problem(schema.format).empty(), "the format of an Arrow schema is not UTF-8");
    require(schema.n_children >= 0, "an Arrow schema with a negative number of columns");
    require(schema.n_children == 0 || schema.children != nullptr,
            "an Arrow schema without its columns");
    for (std::int64_t at = 0; at < schema.n_children; ++at) {
        require(schema.children[at] != nullptr,
                "an Arrow schema without its column " + std::to_string(at));
        const char* name = schema.children[at]->name;
        const std::string problem = name == nullptr ? "" : utf8_problem(name);
        require(problem.empty(), "the name of column " + std::to_string(at) + ": " + problem);
    }
    if (schema.dictionary != nullptr) check_schema(*schema.dictionary);
}

void check_records(const ArrowArray& array, std::int64_t n_columns) {
    check_numbers(array, "a batch of rows");
    require(array.n_children == n_columns, "a batch of rows has " +
                                               std::to_string(array.n_children) +
                                               " columns, its schema " + std::to_string(n_columns));
    require(n_columns == 0 || array.children != nullptr, "a batch of rows without columns");
    for (std::int64_t at = 0; at < n_columns; ++at) {
        require(array.children[at] != nullptr,
                "a batch of rows without its column " + std::to_string(at));
    }
}

void check_column(const ArrowArray& array, const std::string& name, std::string_view format,
                  std::int64_t n_rows, bool has_dictionary) {
    const std::string what = "column `" + name + "`";
    check_numbers(array, what);
    require(array.length >= n_rows, what + " has " + std::to_string(array.length) +
                                        " rows, its table " + std::to_string(n_rows));
    if (format == "n") return;  // no buffers
    check_buffers(array, what, format);
    require(!has_dictionary || array.dictionary != nullptr, what + " lacks its dictionary");
}

}  // namespace treewright::arrow
