#include "core/io/parse_number.hpp"

#include <locale.h>
#include <stdlib.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <new>
#include <string>
#include <system_error>

namespace treewright {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t skip_digits(std::string_view text, std::size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
}

bool begins_with(std::string_view text, std::string_view word) {
    return text.size() >= word.size() &&
           std::ranges::equal(text.substr(0, word.size()), word, {}, lower);
}

// The length of `inf`, `infinity`, `nan` or `nan(letters)` at the start of the text; 0: none.
std::size_t length_of_word(std::string_view text) {
    if (begins_with(text, "infinity")) return 8;
    if (begins_with(text, "inf")) return 3;
    if (!begins_with(text, "nan")) return 0;
    if (text.size() == 3 || text[3] != '(') return 3;
    const auto is_letter = [](char c) {
        return is_digit(c) || c == '_' || (lower(c) >= 'a' && lower(c) <= 'z');
    };
    std::size_t at = 4;
    while (at < text.size() && is_letter(text[at])) ++at;
    return at < text.size() && text[at] == ')' ? at + 1 : 3;
}

// The length of the decimal number at the start of the text; 0: none.
std::size_t length_of_decimal(std::string_view text) {
    std::size_t at = skip_digits(text, 0), n_digits = at;
    if (at < text.size() && text[at] == '.') {
        const std::size_t end = skip_digits(text, at + 1);
        n_digits += end - (at + 1);
        at = end;
    }
    if (n_digits == 0) return 0;
    if (at == text.size() || lower(text[at]) != 'e') return at;
    std::size_t exponent = at + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    const std::size_t end = skip_digits(text, exponent);
    return end > exponent ? end : at;
}

// strtod() wants a zero at the end of the text, and would take more than decimal numbers.
double by_strtod(std::string_view decimal) {
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", locale_t{});
    if (plain == locale_t{}) throw std::bad_alloc();
    std::array<char, 64> few{};
    if (decimal.size() < few.size()) {
        std::ranges::copy(decimal, few.begin());
        return strtod_l(few.data(), nullptr, plain);
    }
    return strtod_l(std::string(decimal).c_str(), nullptr, plain);
}

// A template, so that the branch that is not taken need not compile.
template <std::floating_point Number>
std::from_chars_result parse(std::string_view text, Number& number) {
    const char* const end = text.data() + text.size();
    if constexpr (requires { std::from_chars(text.data(), end, number); }) {
        return std::from_chars(text.data(), end, number);
    } else {
        return parse_number_by_strtod(text, number);
    }
}

}  // namespace

std::from_chars_result parse_number(std::string_view text, double& number) {
    return parse(text, number);
}

std::from_chars_result parse_number_by_strtod(std::string_view text, double& number) {
    const std::size_t sign = text.starts_with('-') ? 1 : 0;
    const std::string_view size = text.substr(sign);
    const std::size_t length = std::max(length_of_word(size), length_of_decimal(size));
    if (length == 0) return {text.data(), std::errc::invalid_argument};
    const std::string_view taken = text.substr(0, sign + length);
    const char* const stop = taken.data() + taken.size();
    const int before = errno;
    errno = 0;
    const double found = by_strtod(taken);
    // Also said of numbers so small that they lose digits: these are numbers all the same.
    const bool lost = errno == ERANGE && (found == 0.0 || std::isinf(found));
    errno = before;
    if (lost) return {stop, std::errc::result_out_of_range};
    number = found;
    return {stop, std::errc{}};
}

}  // namespace treewright
