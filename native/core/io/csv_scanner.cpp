#include "core/io/csv_scanner.hpp"

#include <algorithm>

#include "core/arithmetic/as_index.hpp"

namespace treewright {

namespace {

bool is_blank(char letter) { return letter == ' ' || letter == '\t'; }

}  // namespace

bool CsvScanner::next(std::vector<Cell>& cells) {
    cells.clear();
    unescaped_.clear();
    while (at_ != end_ && at_line_end()) pass_line_end();
    if (at_ == end_) return false;
    record_line_ = line_;
    while (true) {
        const char* start = at_;
        while (at_ != end_ && is_blank(*at_) && *at_ != delimiter_) ++at_;
        if (at_ != end_ && *at_ == '"') {
            cells.push_back(quoted_cell());
        } else {
            at_ = start;
            cells.push_back(plain_cell());
        }
        if (at_line_end()) break;
        ++at_;  // the delimiter
    }
    if (at_ != end_) pass_line_end();
    return true;
}

void CsvScanner::pass_line_end() {
    if (*at_ == '\r' && at_ + 1 != end_ && at_[1] == '\n') ++at_;
    ++at_;
    ++line_;
}

Cell CsvScanner::plain_cell() {
    const char* first = at_;
    while (!at_line_end() && *at_ != delimiter_) ++at_;
    const char* last = at_;
    while (first != last && is_blank(*first)) ++first;
    while (first != last && is_blank(last[-1])) --last;
    return {{first, static_cast<std::size_t>(last - first)}, false};
}

Cell CsvScanner::quoted_cell() {
    const std::size_t opened = line_;
    const char* first = ++at_;
    std::string* joined = nullptr;  // set once the cell is not one stretch of the text
    const auto keep = [&] {
        if (joined == nullptr) joined = &unescaped_.emplace_back();
        joined->append(first, at_);
    };
    while (true) {
        while (at_ != end_ && *at_ != '"') {
            const bool lone_return = *at_ == '\r' && (at_ + 1 == end_ || at_[1] != '\n');
            if (*at_ == '\n' || lone_return) ++line_;
            ++at_;
        }
        if (at_ == end_) {
            throw CsvError("line " + std::to_string(opened) +
                           ": a quote is opened and never closed");
        }
        const bool doubled = at_ + 1 != end_ && at_[1] == '"';
        if (!doubled) break;
        ++at_;  // keep one quote of the two
        keep();
        first = ++at_;
    }
    Cell cell{{first, static_cast<std::size_t>(at_ - first)}, true};
    if (joined != nullptr) {
        keep();
        cell.text = *joined;
    }
    ++at_;
    // Blanks may follow the closing quote; anything else belongs to the cell.
    const char* rest = at_;
    while (!at_line_end() && *at_ != delimiter_) ++at_;
    if (!std::all_of(rest, at_, is_blank)) {
        std::string& whole = unescaped_.emplace_back(cell.text);
        whole.append(rest, at_);
        cell.text = whole;
    }
    return cell;
}

char guess_delimiter(std::string_view text) {
    constexpr std::string_view candidates = ",;\t|";
    std::size_t counts[4] = {};
    bool quoted = false;
    bool any = false;
    for (const char letter : text) {
        if (letter == '"') quoted = !quoted;
        if (quoted) continue;
        if (letter == '\n' || letter == '\r') {
            if (any) break;
            continue;
        }
        any = true;
        const std::size_t at = candidates.find(letter);
        if (at != std::string_view::npos) ++counts[at];
    }
    return candidates[as_index(std::max_element(counts, counts + 4) - counts)];
}

}  // namespace treewright
