// Delimited text: columns of equal length whose codes have levels, or a CsvError.
#include <string>
#include <vector>

#include "core/io/csv_reader.hpp"
#include "fuzzed_input.hpp"

using namespace treewright;
using fuzzing::demand;
using fuzzing::FuzzedInput;

namespace {

void check_columns(const std::vector<CsvColumn>& columns, std::size_t n_columns) {
    demand(columns.size() == n_columns, "one column for each name");
    const auto length = [](const CsvColumn& column) {
        return column.is_text ? column.codes.size() : column.numbers.size();
    };
    for (const CsvColumn& column : columns) {
        demand(length(column) == length(columns[0]), "columns of equal length");
        const auto n_levels = static_cast<std::int32_t>(column.levels.levels().size());
        for (const std::int32_t code : column.codes) {
            demand(code >= -1 && code < n_levels, "a level for each code");
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedInput input(data, size);
    const auto flags = input.take<std::uint8_t>();
    const std::string text(input.rest());  // a copy of just this size: reads beyond it are seen
    constexpr std::string_view delimiters = ",;\t|";
    CsvOptions options;
    options.delimiter = flags & 4 ? guess_delimiter(text) : delimiters[flags & 3];
    options.has_header = flags & 8;
    options.missing = {"NA", "?", "none"};
    options.missing_in_text = flags & 16;
    try {
        options.names = read_csv_header(text, options.delimiter);
        for (std::size_t at = 0; at < options.names.size(); ++at) {
            options.types.push_back(static_cast<CsvType>(((flags >> 5) + at) & 3));
        }
        if (!options.names.empty()) check_columns(read_csv(text, options), options.names.size());
    } catch (const CsvError&) {
    }
    return 0;
}
