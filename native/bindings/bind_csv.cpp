#include "bindings/interrupt.hpp"
#include "bindings/lists.hpp"
#include "bindings/owned_array.hpp"
#include "core/io/csv_reader.hpp"

namespace treewright::bindings {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

std::string_view view_of(const nb::bytes& text) { return {text.c_str(), text.size()}; }

nb::list python_levels(const LevelIndex& index) {
    nb::list levels;
    for (const auto& level : index.levels()) levels.append(nb::str(level.data(), level.size()));
    return levels;
}

// (numbers or codes, levels or None, cells that are a missing word, a number with a leading zero,
// whether all numbers are whole, whether there is any number)
nb::tuple python_column(CsvColumn&& column) {
    const nb::object levels =
        column.is_text ? nb::object(python_levels(column.levels)) : nb::object(nb::none());
    const nb::object data = column.is_text ? owned_array(std::move(column.codes))
                                           : owned_array(std::move(column.numbers));
    return nb::make_tuple(data, levels, column.n_missing_words, column.leading_zero,
                          column.all_whole, column.any_number);
}

nb::list read(nb::bytes text, char delimiter, bool has_header, std::vector<std::string> names,
              const std::vector<int>& types, std::vector<std::string> missing,
              bool missing_in_text) {
    CsvOptions options{.delimiter = delimiter,
                       .has_header = has_header,
                       .missing = std::move(missing),
                       .missing_in_text = missing_in_text,
                       .types = {},
                       .names = std::move(names)};
    for (const int type : types) options.types.push_back(static_cast<CsvType>(type));
    if (options.types.size() != options.names.size()) throw nb::value_error("one type per name");
    std::vector<CsvColumn> columns;
    try {
        const std::string_view cells = view_of(text);
        columns =
            interruptible([&](const Check& check) { return read_csv(cells, options, check); });
    } catch (const CsvError& error) {
        throw nb::value_error(error.what());
    }
    nb::list result;
    for (CsvColumn& column : columns) result.append(python_column(std::move(column)));
    return result;
}

std::vector<std::string> header(nb::bytes text, char delimiter) {
    try {
        return read_csv_header(view_of(text), delimiter);
    } catch (const CsvError& error) {
        throw nb::value_error(error.what());
    }
}

}  // namespace

void bind_csv(nb::module_& module) {
    module.def(
        "guess_delimiter", [](nb::bytes text) { return guess_delimiter(view_of(text)); }, "text"_a,
        "The delimiter that occurs most in the first line.");
    module.def("read_csv_header", &header, "text"_a, "delimiter"_a,
               "The cells of the first record.");
    module.def("read_csv", &read, "text"_a, "delimiter"_a, nb::kw_only(), "has_header"_a, "names"_a,
               "types"_a, "missing"_a, "missing_in_text"_a,
               "The columns of delimited text: (numbers or codes, levels or None, n_missing_words, "
               "leading_zero, all_whole, any_number) each.");
}

}  // namespace treewright::bindings
