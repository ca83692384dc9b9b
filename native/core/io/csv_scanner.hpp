// Records and cells of delimited text, after RFC 4180 with the liberties that real files take.
#pragma once

#include <cstddef>
#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace treewright {

// Text that is no table. Reads as a sentence that names the line.
struct CsvError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Cell {
    std::string_view text;  // without its quotes, and without blanks around it if it had none
    bool quoted = false;
};

// Goes through the text record by record. Lines end in LF, CRLF or CR; a quoted cell may hold
// delimiters and line ends, and "" for a quote. Empty lines are passed over.
class CsvScanner {
public:
    CsvScanner(std::string_view text, char delimiter)
        : at_(text.data()), end_(text.data() + text.size()), delimiter_(delimiter) {}

    // Fills `cells` with the next record. False at the end of the text.
    bool next(std::vector<Cell>& cells);

    // The line on which the last record starts, counted from 1.
    std::size_t line() const { return record_line_; }

private:
    bool at_line_end() const { return at_ == end_ || *at_ == '\n' || *at_ == '\r'; }
    void pass_line_end();
    Cell plain_cell();
    Cell quoted_cell();

    const char* at_;
    const char* end_;
    char delimiter_;
    std::size_t line_ = 1;
    std::size_t record_line_ = 0;
    std::deque<std::string> unescaped_;  // cells of this record that had "" in them
};

// The delimiter among , ; tab | that occurs most in the first line, outside quotes.
char guess_delimiter(std::string_view text);

}  // namespace treewright
