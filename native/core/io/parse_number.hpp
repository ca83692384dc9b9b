// Numbers in text: correctly rounded, and the same in every locale.
#pragma once

#include <charconv>
#include <string_view>

namespace treewright {

// What std::from_chars does with the text: reads as much of it as is a decimal number, `inf` or
// `nan`, and leaves `number` as it is where there is none or it is out of the range of a double.
std::from_chars_result parse_number(std::string_view text, double& number);

// The same by the C library, for standard libraries without from_chars for floating point (libc++
// up to 19).
std::from_chars_result parse_number_by_strtod(std::string_view text, double& number);

}  // namespace treewright
