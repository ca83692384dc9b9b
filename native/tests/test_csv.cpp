// Delimited text: what is a cell, what is a number, and the errors for text that is no table.
#include <cmath>

#include "core/io/csv_reader.hpp"
#include "core/io/csv_scanner.hpp"
#include "tests/testing.hpp"

namespace treewright::testing {
namespace {

// Records as one line each: cells in brackets, quoted ones in double brackets.
std::string scanned(std::string_view text, char delimiter = ',') {
    CsvScanner scanner(text, delimiter);
    std::vector<Cell> cells;
    std::string out;
    while (scanner.next(cells)) {
        out += std::to_string(scanner.line()) + ":";
        for (const Cell& cell : cells) {
            const std::string content(cell.text);
            out += cell.quoted ? "[[" + content + "]]" : "[" + content + "]";
        }
        out += "\n";
    }
    return out;
}

const Test t1("lines end in LF, CRLF or CR, and empty ones are passed over", [] {
    expect_text(scanned("a,b\n1,2\r\n\n\r\n3,4\r5,6"), "1:[a][b]\n2:[1][2]\n5:[3][4]\n6:[5][6]\n");
    expect_text(scanned(""), "");
    expect_text(scanned("\n\n"), "");
    expect_text(scanned("a\n"), "1:[a]\n");
    expect_text(scanned(",\n"), "1:[][]\n");
});

const Test t2("blanks around plain cells go, those in quotes stay", [] {
    expect_text(scanned(" a ,\t b\t,\" c \"\n"), "1:[a][b][[ c ]]\n");
    expect_text(scanned("a;b,c\n", ';'), "1:[a][b,c]\n");
});

const Test t3("quoted cells hold delimiters, line ends and quotes", [] {
    expect_text(scanned("\"a,b\",\"c\nd\",\"e\"\"f\"\nx,y,z\n"),
                "1:[[a,b]][[c\nd]][[e\"f]]\n3:[x][y][z]\n");
    expect_text(scanned("\"\"\n"), "1:[[]]\n");
});

const Test t4("a quote without an end names its line; what follows one belongs to the cell", [] {
    const auto open = thrown_by<CsvError>([] { scanned("a\n\"b"); });
    expect(std::string(open.what()).find("2") != std::string::npos, open.what());
    expect_text(scanned("\"c\"d ,\"e\" \n"), "1:[[cd ]][[e]]\n");
});

const Test t5("the delimiter is the commonest of the first line, outside quotes", [] {
    expect_equal(guess_delimiter("a,b;c;d\n,,,,,"), ';');
    expect_equal(guess_delimiter("a\tb\tc"), '\t');
    expect_equal(guess_delimiter("a|b"), '|');
    expect_equal(guess_delimiter("\"a;b;c\",d\n"), ',');
    expect_equal(guess_delimiter("a\rb;c"), ',');
    expect_equal(guess_delimiter(""), ',');
});

std::vector<CsvColumn> read(std::string_view text, std::vector<CsvType> types,
                            bool missing_in_text = false) {
    CsvOptions options;
    options.missing = {"NA", "?"};
    options.missing_in_text = missing_in_text;
    options.types = std::move(types);
    for (std::size_t i = 0; i < options.types.size(); ++i) {
        options.names.push_back("c" + std::to_string(i));
    }
    return read_csv(text, options);
}

const Test t6("numbers stay numbers until a cell is none", [] {
    const auto columns =
        read("x,y,z\n1,a,07\n-2.5e-3,,8\nNA,NA,?\n", std::vector(3, CsvType::automatic));
    expect(!columns[0].is_text && columns[1].is_text && !columns[2].is_text);
    expect_equal(columns[0].numbers[1], -0.0025);
    expect(std::isnan(columns[0].numbers[2]));
    expect_equal(columns[0].n_missing_words, std::size_t{1});
    expect(!columns[0].all_whole && columns[2].all_whole);
    expect_equal(columns[1].codes[0], 0);
    expect_equal(columns[1].codes[1], -1);
    expect_equal(columns[1].codes[2], 1);  // a word of `missing` is a level of text
    expect_text(columns[2].leading_zero, "07");
});

const Test t11("a comma is the point of numbers where cells end in semicolons", [] {
    CsvOptions options;
    options.delimiter = ';';
    options.has_header = false;
    options.types = {CsvType::automatic, CsvType::automatic};
    options.names = {"x", "y"};
    const auto columns = read_csv("1,5;1,5.5\n2,25;nan\n", options);
    expect_equal(columns[0].numbers[1], 2.25);
    expect(columns[1].is_text);
});

const Test t12("numbers beyond the range of doubles are infinite or zero", [] {
    const auto columns = read("x\n1e999\n-1e999\n1e-999\n-1E-999\n+5\n", {CsvType::automatic});
    expect(std::isinf(columns[0].numbers[0]) && columns[0].numbers[1] < 0);
    expect(columns[0].numbers[2] == 0 && std::signbit(columns[0].numbers[3]));
});

const Test t7("words for missing values count in text too, if wanted", [] {
    const auto columns = read("x\na\nNA\n\"NA\"\n", {CsvType::text}, true);
    expect_equal(columns[0].codes[1], -1);
});

const Test t8("a column of numbers names the cell that is none", [] {
    const auto error = thrown_by<CsvError>([] { read("x\n1\noops\n", {CsvType::numbers}); });
    expect(std::string(error.what()).find("oops") != std::string::npos, error.what());
});

const Test t9("a record of another length names its line", [] {
    for (const char* text : {"x,y\n1,2\n3\n", "x,y\n1,2\n3,4,5\n"}) {
        const auto error =
            thrown_by<CsvError>([&] { read(text, std::vector(2, CsvType::automatic)); });
        expect(std::string(error.what()).find("3") != std::string::npos, error.what());
    }
});

const Test t10("categories keep whole numbers, others become text", [] {
    const auto columns = read("a,b,c\n1,07,1.5\n2,8,2.5\n", std::vector(3, CsvType::categorical));
    expect(!columns[0].is_text);
    expect(columns[1].is_text);
    expect(columns[2].is_text);
});

}  // namespace
}  // namespace treewright::testing
