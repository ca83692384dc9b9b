// Numbers in text: whatever the standard library has, they are read as std::from_chars reads them.
#include <locale.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "core/arithmetic/random.hpp"
#include "core/io/parse_number.hpp"
#include "tests/testing.hpp"

namespace treewright::testing {
namespace {

constexpr double untouched = 0.1;

using Parse = std::from_chars_result (*)(std::string_view, double&);

// How far the text was read, how it ended, and the bits of the number.
std::string read_by(Parse parse, std::string_view text) {
    double number = untouched;
    const auto [stop, error] = parse(text, number);
    const auto bits = std::isnan(number) ? 0 : std::bit_cast<std::uint64_t>(number);
    const bool is_range = error == std::errc::result_out_of_range;
    const std::string end = error == std::errc{} ? "number" : is_range ? "range" : "none";
    return std::to_string(stop - text.data()) + " " + end + " " +
           (is_range ? "" : std::to_string(bits));
}

void expect_read_alike(std::string_view text) {
    expect_text(std::string(text) + ": " + read_by(parse_number_by_strtod, text),
                std::string(text) + ": " + read_by(parse_number, text));
}

std::string written(double number, std::chars_format format, int precision) {
    std::array<char, 2000> text;
    char* const end = text.data() + text.size();
    const auto written = precision < 0 ? std::to_chars(text.data(), end, number, format)
                                       : std::to_chars(text.data(), end, number, format, precision);
    return {text.data(), written.ptr};
}

double random_double(Random& random) { return std::bit_cast<double>(random.next()); }

const Test t1("numbers are read up to where they end", [] {
    const auto expect_read = [](std::string_view text, std::size_t length, double expected) {
        for (const Parse parse : {parse_number, parse_number_by_strtod}) {
            double number = untouched;
            const auto [stop, error] = parse(text, number);
            expect_equal(stop - text.data(), static_cast<std::ptrdiff_t>(length));
            expect_equal(static_cast<int>(error), 0);
            expect_equal(std::bit_cast<std::uint64_t>(number),
                         std::bit_cast<std::uint64_t>(expected));
        }
    };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    expect_read("12", 2, 12.0);
    expect_read("-0", 2, -0.0);
    expect_read("1.5abc", 3, 1.5);
    expect_read(".5", 2, 0.5);
    expect_read("5.", 2, 5.0);
    expect_read("1e3", 3, 1000.0);
    expect_read("1e", 1, 1.0);
    expect_read("1e+", 1, 1.0);
    expect_read("1,5", 1, 1.0);
    expect_read("0x10", 1, 0.0);
    expect_read("1 ", 1, 1.0);
    expect_read("-iNf", 4, -infinity);
    expect_read("infinit", 3, infinity);
    expect_read("Infinity!", 8, infinity);
    expect_read("4.9e-324", 8, 0x1p-1074);
    expect_read("2.2250738585072011e-308", 23, 0x0.fffffffffffffp-1022);
    expect_read("9007199254740993", 16, 9007199254740992.0);
    expect_read("9007199254740993.0000000000000000000000000000000000000000000000000000000000001",
                78, 9007199254740994.0);
});

const Test t2("what is no number, or out of range, leaves the number alone", [] {
    for (const std::string_view text : {"",
                                        "-",
                                        "+1",
                                        " 1",
                                        "e5",
                                        ".",
                                        "-.e1",
                                        "abc",
                                        "--1",
                                        "in",
                                        "na",
                                        "1e999",
                                        "-1e999",
                                        "1e-999",
                                        "nan",
                                        "NAN(x_1)",
                                        "nan(",
                                        "nan(?)",
                                        "-nan",
                                        "1e99999999999999999999",
                                        "0e99999999999999999999",
                                        "0.0e-99999"}) {
        expect_read_alike(text);
    }
    for (const Parse parse : {parse_number, parse_number_by_strtod}) {
        double number = untouched;
        expect(parse("+1", number).ec == std::errc::invalid_argument);
        expect(parse("-1e999x", number).ec == std::errc::result_out_of_range);
        expect(parse("1e-999", number).ec == std::errc::result_out_of_range);
        expect(std::isfinite(number));
    }
});

const Test t3("random numbers in every form are read alike, and shortest forms come back", [] {
    Random random(20);
    const int n_numbers = is_thorough() ? 1'000'000 : 20'000;
    for (int i = 0; i < n_numbers; ++i) {
        const double number = random_double(random);
        if (!std::isfinite(number)) continue;
        const std::string shortest = written(number, std::chars_format::general, -1);
        for (const Parse parse : {parse_number, parse_number_by_strtod}) {
            double back = untouched;
            const auto [stop, error] = parse(shortest, back);
            expect(stop == shortest.data() + shortest.size() && error == std::errc{}, shortest);
            expect_equal(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(number));
        }
        const auto digits = static_cast<int>(random.below(30));
        expect_read_alike(written(number, std::chars_format::scientific, digits));
        if (std::abs(number) < 1e30) {
            expect_read_alike(written(number, std::chars_format::fixed, digits));
        }
    }
});

const Test t4("numbers halfway between two doubles are rounded to even", [] {
    Random random(21);
    const int n_numbers = is_thorough() ? 20'000 : 500;
    for (int i = 0; i < n_numbers; ++i) {
        // 54 bits: the last of them is halfway. All digits, then one more that breaks the tie.
        const std::uint64_t whole = random.next() >> 10 | 1;
        const int exponent = static_cast<int>(random.below(120)) - 60;
        const double low = static_cast<double>(whole >> 1) * 2;
        std::string text = written(std::ldexp(low, exponent), std::chars_format::fixed, 70);
        const std::string unit = written(std::ldexp(1.0, exponent), std::chars_format::fixed, 70);
        // text + unit, digit by digit: no double holds the sum.
        text.insert(text.begin(), '0');
        int carry = 0;
        for (std::size_t back = 0; back < text.size(); ++back) {
            char& digit = text[text.size() - 1 - back];
            if (digit == '.') continue;
            const char added = back < unit.size() ? unit[unit.size() - 1 - back] : '0';
            const int sum = digit - '0' + (added - '0') + carry;
            digit = static_cast<char>('0' + sum % 10);
            carry = sum / 10;
        }
        expect_read_alike(text);
        expect_read_alike(text + "1");
        double number = untouched;
        parse_number_by_strtod(text, number);
        const double even = static_cast<double>(whole);  // rounded to even by the processor
        expect_equal(number, std::ldexp(even, exponent));
    }
});

const Test t5("random text is read alike", [] {
    Random random(22);
    constexpr std::string_view characters = "0123456789012345678901234567890.....eE+-infatyx (), ";
    const int n_texts = is_thorough() ? 2'000'000 : 50'000;
    for (int i = 0; i < n_texts; ++i) {
        std::string text(random.below(12), ' ');
        for (char& one : text) {
            one = characters[random.below(static_cast<std::uint32_t>(characters.size()))];
        }
        expect_read_alike(text);
    }
});

const Test t6("a locale with a decimal comma changes nothing", [] {
    const locale_t german = newlocale(LC_ALL_MASK, "de_DE.UTF-8", locale_t{});
    if (german == locale_t{}) return;  // not installed
    const locale_t before = uselocale(german);
    for (const Parse parse : {parse_number, parse_number_by_strtod}) {
        double number = untouched;
        parse("2.5", number);
        expect_equal(number, 2.5);
    }
    uselocale(before);
    freelocale(german);
});

}  // namespace
}  // namespace treewright::testing
