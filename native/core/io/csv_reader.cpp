#include "core/io/csv_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/arithmetic/as_index.hpp"
#include "core/io/parse_number.hpp"

namespace treewright {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t records_between_checks = 256;

// Reads the whole of `text` as a number. With `;` between cells a comma is a decimal point.
bool parse_cell(std::string_view text, bool comma_is_point, double& number) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    const auto [stop, error] = parse_number(text, number);
    if (stop == text.data() + text.size()) {
        if (error == std::errc{}) return !std::isnan(number);  // `nan` is a word, not a number
        // Beyond the range of a double: too large counts as infinite, too small as zero.
        if (error == std::errc::result_out_of_range) {
            const std::size_t exponent = text.find_first_of("eE");
            const bool small = exponent != std::string_view::npos && text[exponent + 1] == '-';
            const double size = small ? 0.0 : std::numeric_limits<double>::infinity();
            number = text[0] == '-' ? -size : size;
            return true;
        }
        return false;
    }
    const bool has_comma = comma_is_point && stop != text.data() + text.size() && *stop == ',';
    if (!has_comma || text.find('.') != std::string_view::npos) return false;
    std::string with_point(text);
    with_point[as_index(stop - text.data())] = '.';
    return parse_cell(with_point, false, number);
}

bool has_leading_zero(std::string_view text) {
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
    return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

class CsvReading {
public:
    CsvReading(std::string_view text, const CsvOptions& options, const Check& check)
        : text_(text), options_(options), check_(check), columns_(options.types.size()) {
        for (std::size_t at = 0; at < columns_.size(); ++at) {
            columns_[at].is_text = options.types[at] == CsvType::text;
        }
    }

    std::vector<CsvColumn> run() {
        go_through([this](std::size_t at, const Cell& cell, std::size_t line) {
            if (!columns_[at].is_text) read_number(at, cell, line);
        });
        for (std::size_t at = 0; at < columns_.size(); ++at) settle(at);
        const auto is_text = [](const CsvColumn& column) { return column.is_text; };
        if (std::ranges::any_of(columns_, is_text)) {
            go_through([this](std::size_t at, const Cell& cell, std::size_t) {
                if (columns_[at].is_text) read_text(columns_[at], cell);
            });
        }
        return std::move(columns_);
    }

private:
    template <typename Visit>
    void go_through(Visit&& visit) {
        CsvScanner scanner(text_, options_.delimiter);
        std::vector<Cell> cells;
        if (options_.has_header) scanner.next(cells);
        for (std::size_t n_read = 0; scanner.next(cells); ++n_read) {
            if (n_read % records_between_checks == 0) check_();
            if (cells.size() != columns_.size()) {
                throw CsvError("line " + std::to_string(scanner.line()) + ": " +
                               std::to_string(cells.size()) + " fields, expected " +
                               std::to_string(columns_.size()));
            }
            for (std::size_t at = 0; at < cells.size(); ++at) visit(at, cells[at], scanner.line());
        }
    }

    bool is_missing_word(std::string_view text) const {
        return std::ranges::find(options_.missing, text) != options_.missing.end();
    }

    void read_number(std::size_t at, const Cell& cell, std::size_t line) {
        CsvColumn& column = columns_[at];
        double number = kMissing;
        if (!cell.text.empty()) {
            if (is_missing_word(cell.text)) {
                ++column.n_missing_words;
            } else if (parse_cell(cell.text, options_.delimiter == ';', number)) {
                note_number(column, cell.text, number);
            } else {
                turn_to_text(at, cell, line);
                return;
            }
        }
        column.numbers.push_back(number);
    }

    static void note_number(CsvColumn& column, std::string_view text, double number) {
        column.any_number = true;
        if (column.leading_zero.empty() && has_leading_zero(text)) column.leading_zero = text;
        if (number != std::floor(number) || std::isinf(number)) column.all_whole = false;
    }

    void turn_to_text(std::size_t at, const Cell& cell, std::size_t line) {
        if (options_.types[at] == CsvType::numbers) {
            throw CsvError("line " + std::to_string(line) + ": `" + std::string(cell.text) +
                           "` in column `" + options_.names[at] + "` is not a number");
        }
        columns_[at].is_text = true;
        columns_[at].numbers = {};
    }

    // After the first pass: which columns of numbers are better read as text.
    void settle(std::size_t at) {
        CsvColumn& column = columns_[at];
        const bool is_category = options_.types[at] == CsvType::categorical;
        if (!column.is_text && is_category && (!column.all_whole || !column.leading_zero.empty())) {
            column.is_text = true;
            column.numbers = {};
        }
        if (column.is_text) column.n_missing_words = 0;
    }

    void read_text(CsvColumn& column, const Cell& cell) {
        const bool word = !cell.text.empty() && is_missing_word(cell.text);
        if (word) ++column.n_missing_words;
        const bool missing = cell.text.empty() || (word && options_.missing_in_text);
        column.codes.push_back(missing ? -1 : column.levels.code_of(cell.text));
    }

    std::string_view text_;
    const CsvOptions& options_;
    const Check& check_;
    std::vector<CsvColumn> columns_;
};

}  // namespace

std::vector<std::string> read_csv_header(std::string_view text, char delimiter) {
    CsvScanner scanner(text, delimiter);
    std::vector<Cell> cells;
    scanner.next(cells);
    std::vector<std::string> names;
    for (const Cell& cell : cells) names.emplace_back(cell.text);
    return names;
}

std::vector<CsvColumn> read_csv(std::string_view text, const CsvOptions& options,
                                const Check& check) {
    return CsvReading(text, options, check).run();
}

}  // namespace treewright
