// What must hold of Arrow arrays before they are read.
//
// The C data interface states how many buffers an array has, but not how large they are, except
// those of string views. So lengths, offsets, counts and pointers are checked here and each text
// when it is read. A buffer that is shorter than the array says cannot be noticed: only the library
// that made it knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/io/arrow_abi.hpp"

namespace treewright {

// An array that breaks the rules of the format. Says what is wrong, and where.
struct ArrowDataError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

namespace arrow {

// Rows beyond this could overflow the arithmetic of addresses; no machine has so many.
inline constexpr std::int64_t most_rows = std::int64_t{1} << 56;

// Throws unless the schema of a stream, or of one column, has what is read of it.
void check_schema(const ArrowSchema& schema);

// Throws unless `array` can hold the columns of a schema with so many children.
void check_records(const ArrowArray& array, std::int64_t n_columns);

// Throws unless `array` has n_rows rows behind its offset, and the buffers of its format.
void check_column(const ArrowArray& array, const std::string& name, std::string_view format,
                  std::int64_t n_rows, bool has_dictionary);

// The position of the first byte that is not part of valid UTF-8; npos if all are.
std::size_t first_invalid_byte(std::string_view text);

// "byte 0xff at position 3 is not UTF-8"; empty if the text is valid.
std::string utf8_problem(std::string_view text);

}  // namespace arrow
}  // namespace treewright
