// Delimited text -> columns of numbers or of level codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/csv_scanner.hpp"
#include "core/io/level_index.hpp"
#include "core/parallel/cancellation.hpp"

namespace treewright {

// What a column is to be read as.
enum class CsvType : std::uint8_t {
    automatic,    // numbers if every cell is one, otherwise text
    numbers,      // numbers, or an error that names the line
    text,         // text, whatever the cells look like
    categorical,  // whole numbers without leading zeros as numbers, everything else as text
};

struct CsvOptions {
    char delimiter = ',';
    bool has_header = true;
    std::vector<std::string> missing;  // cells that stand for a missing value; empty ones do always
    bool missing_in_text = false;      // `missing` counts in columns of text too
    std::vector<CsvType> types;        // one for each column
    std::vector<std::string> names;    // for messages
};

struct CsvColumn {
    bool is_text = false;
    std::vector<double> numbers;      // NaN where missing
    std::vector<std::int32_t> codes;  // -1 where missing
    LevelIndex levels;
    std::size_t n_missing_words = 0;  // cells that are a word of `missing`
    std::string leading_zero;         // the first number such as 07; empty if there is none
    bool all_whole = true;
    bool any_number = false;
};

// The cells of the first record.
std::vector<std::string> read_csv_header(std::string_view text, char delimiter);

// All columns. Numbers are tried first; the text is gone through a second time for the columns
// that turn out to hold something else, so that no cell is stored that need not be.
std::vector<CsvColumn> read_csv(std::string_view text, const CsvOptions& options,
                                const Check& check = never_stop);

}  // namespace treewright
