#include "core/io/arrow_stream.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/arithmetic/as_index.hpp"
#include "core/io/arrow_values.hpp"
#include "core/io/level_index.hpp"

namespace treewright {

namespace {

using namespace arrow;

constexpr std::int64_t texts_between_checks = 4096;

template <typename Out, typename In>
void append_numbers(const Chunk& chunk, const In* values, std::vector<Out>& out) {
    const std::size_t start = out.size();
    out.resize(start + as_index(chunk.length));
    Out* to = out.data() + start;
    for (std::int64_t row = 0; row < chunk.length; ++row) to[row] = static_cast<Out>(values[row]);
    if (!chunk.has_nulls()) return;
    for (std::int64_t row = 0; row < chunk.length; ++row) {
        if (chunk.is_null(row)) to[row] = static_cast<Out>(kMissing);
    }
}

// Reads one column, chunk after chunk.
class ColumnReader {
public:
    ColumnReader(const ArrowSchema& schema, const Check& check)
        : check_(&check), format_(schema.format), index_code_(integer_code(schema.format)) {
        column_.name = schema.name == nullptr ? "" : schema.name;
        column_.format = format_;
        column_.dictionary = schema.dictionary != nullptr;
        if (column_.dictionary) {
            value_format_ = schema.dictionary->format;
            column_.ordered = (schema.flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;
        }
        column_.unit = column_.dictionary ? "" : unit_of(format_);
        column_.kind = kind_of();
        if (format_.starts_with("d:")) scale_ = std::atoi(format_.c_str() + format_.find(',') + 1);
    }

    void read(const Chunk& chunk, const std::shared_ptr<const ArrowArray>& owner, bool only_chunk) {
        if (chunk.length == 0) return;
        if (column_.dictionary) return read_dictionary(chunk);
        switch (column_.kind) {
            case ArrowKind::doubles: return read_doubles(chunk, owner, only_chunk);
            case ArrowKind::floats: return read_floats(chunk, owner, only_chunk);
            case ArrowKind::text: return read_text(chunk);
            case ArrowKind::booleans: return read_booleans(chunk);
            default: std::fill_n(more_codes(chunk.length), chunk.length, -1);
        }
    }

    // Throws unless `array` can be read as this column, up to its row n_rows.
    void check(const ArrowArray& array, std::int64_t n_rows) const {
        check_column(array, column_.name, format_, n_rows, column_.dictionary);
        if (!column_.dictionary) return;
        const ArrowArray& entries = *array.dictionary;
        check_column(entries, column_.name, value_format_, entries.length, false);
    }

    ArrowColumn finish() {
        column_.levels = index_.levels();
        return std::move(column_);
    }

private:
    ArrowKind kind_of() const {
        if (column_.dictionary) {
            if (is_text(value_format_)) return ArrowKind::text;
            const bool plain = value_format_.size() == 1;  // not a date
            if (plain && integer_code(value_format_)) return ArrowKind::integers;
            refuse("a dictionary of the Arrow type `" + value_format_ + "`");
        }
        if (format_ == "n") return ArrowKind::nothing;
        if (format_ == "b") return ArrowKind::booleans;
        if (format_ == "f") return ArrowKind::floats;
        if (format_ == "g" || format_ == "e" || index_code_) return ArrowKind::doubles;
        if (is_text(format_)) return ArrowKind::text;
        if (format_.starts_with("d:") && format_.find(',') == format_.rfind(',')) {
            return ArrowKind::doubles;
        }
        if (format_ == "z" || format_ == "Z" || format_ == "vz" || format_.starts_with("w:")) {
            refuse("bytes");
        }
        if (format_.starts_with("+s")) refuse("records");
        if (format_.starts_with("+")) refuse("lists");
        refuse("values of the Arrow type `" + format_ + "`");
    }

    [[noreturn]] void refuse(const std::string& what) const {
        throw ArrowTypeError("column `" + column_.name + "` holds " + what);
    }

    void read_doubles(const Chunk& chunk, const std::shared_ptr<const ArrowArray>& owner,
                      bool only_chunk) {
        if (index_code_) {
            visit_integers(chunk, index_code_, [&](const auto* values) {
                append_numbers(chunk, values, column_.doubles);
            });
        } else if (format_ == "g") {
            if (borrow<double>(chunk, owner, only_chunk)) return;
            append_numbers(chunk, chunk.values<double>(), column_.doubles);
        } else if (format_ == "e") {
            append_with(chunk, [&](std::int64_t row) {
                return half_to_double(chunk.values<std::uint16_t>()[row]);
            });
        } else {
            const auto* parts =
                static_cast<const std::uint64_t*>(chunk.array->buffers[1]) + 2 * chunk.first;
            append_with(chunk, [&](std::int64_t row) {
                return decimal_to_double(parts + 2 * row, scale_);
            });
        }
    }

    void read_floats(const Chunk& chunk, const std::shared_ptr<const ArrowArray>& owner,
                     bool only_chunk) {
        if (borrow<float>(chunk, owner, only_chunk)) return;
        append_numbers(chunk, chunk.values<float>(), column_.floats);
    }

    template <typename Read>
    void append_with(const Chunk& chunk, Read&& read_row) {
        for (std::int64_t row = 0; row < chunk.length; ++row) {
            column_.doubles.push_back(chunk.is_null(row) ? kMissing : read_row(row));
        }
    }

    template <typename Number>
    bool borrow(const Chunk& chunk, const std::shared_ptr<const ArrowArray>& owner,
                bool only_chunk) {
        if (!only_chunk || chunk.has_nulls() || chunk.length == 0) return false;
        column_.borrowed = chunk.values<Number>();
        column_.owner = owner;
        return true;
    }

    // Room for the codes of so many further rows.
    std::int32_t* more_codes(std::int64_t length) {
        const std::size_t start = column_.codes.size();
        column_.codes.resize(start + as_index(length));
        return column_.codes.data() + start;
    }

    void read_text(const Chunk& chunk) {
        const Texts texts(chunk.array, format_);
        const std::size_t rows_before = column_.codes.size();
        std::int32_t* codes = more_codes(chunk.length);
        const bool has_nulls = chunk.has_nulls();
        std::int64_t row = 0;
        try {
            texts.check_order(chunk.first, chunk.length, row);
            for (row = 0; row < chunk.length; ++row) {
                if (row % texts_between_checks == 0) (*check_)();
                const bool null = has_nulls && chunk.is_null(row);
                codes[row] = null ? -1 : code_of_text(texts[chunk.first + row]);
            }
        } catch (const ArrowDataError& error) {
            reject("row " + std::to_string(rows_before + as_index(row)), error.what());
        }
    }

    [[noreturn]] void reject(const std::string& where, const std::string& problem) const {
        throw ArrowDataError("column `" + column_.name + "`, " + where + ": " + problem);
    }

    // Texts are checked when they are first met: Python takes no other than UTF-8.
    std::int32_t code_of_text(std::string_view text) {
        const std::size_t n_known = index_.levels().size();
        const std::int32_t code = index_.code_of(text);
        if (as_index(code) < n_known) return code;
        const std::string problem = utf8_problem(text);
        if (!problem.empty()) throw ArrowDataError(problem);
        return code;
    }

    void read_booleans(const Chunk& chunk) {
        const auto* bits = static_cast<const std::uint8_t*>(chunk.array->buffers[1]);
        std::int32_t* codes = more_codes(chunk.length);
        for (std::int64_t row = 0; row < chunk.length; ++row) {
            const std::int64_t at = chunk.first + row;
            codes[row] = chunk.is_null(row) ? -1 : bits[at >> 3] >> (at & 7) & 1;
        }
    }

    // Each chunk may bring a dictionary of its own: its entries are looked up once, by value.
    void read_dictionary(const Chunk& chunk) {
        const std::vector<std::int32_t> code_of = codes_of_entries(*chunk.array->dictionary);
        const std::size_t rows_before = column_.codes.size();
        std::int32_t* codes = more_codes(chunk.length);
        const bool has_nulls = chunk.has_nulls();
        visit_integers(chunk, index_code_, [&](const auto* indices) {
            for (std::int64_t row = 0; row < chunk.length; ++row) {
                if (has_nulls && chunk.is_null(row)) {
                    codes[row] = -1;
                    continue;
                }
                const auto entry = static_cast<std::uint64_t>(indices[row]);  // negative: too large
                if (entry >= code_of.size()) {
                    reject("row " + std::to_string(rows_before + as_index(row)),
                           "its dictionary has " + std::to_string(code_of.size()) +
                               " categories, and the row asks for number " +
                               std::to_string(indices[row]));
                }
                codes[row] = code_of[entry];
            }
        });
    }

    std::vector<std::int32_t> codes_of_entries(const ArrowArray& dictionary) {
        const Chunk entries{&dictionary, dictionary.offset, dictionary.length};
        std::vector<std::int32_t> codes(as_index(entries.length), -1);
        if (entries.length == 0) return codes;
        if (column_.kind == ArrowKind::text) {
            const Texts texts(&dictionary, value_format_);
            std::int64_t at = 0;
            try {
                texts.check_order(entries.first, entries.length, at);
                for (at = 0; at < entries.length; ++at) {
                    if (entries.is_null(at)) continue;
                    codes[as_index(at)] = code_of_text(texts[entries.first + at]);
                }
            } catch (const ArrowDataError& error) {
                reject("category " + std::to_string(at) + " of its dictionary", error.what());
            }
            return codes;
        }
        visit_integers(entries, integer_code(value_format_), [&](const auto* values) {
            for (std::int64_t at = 0; at < entries.length; ++at) {
                if (entries.is_null(at)) continue;
                if (!std::in_range<std::int64_t>(values[at])) refuse("categories of 2^63 or more");
                codes[as_index(at)] = code_of_integer(static_cast<std::int64_t>(values[at]));
            }
        });
        return codes;
    }

    std::int32_t code_of_integer(std::int64_t value) {
        const auto next = static_cast<std::int32_t>(column_.integer_levels.size());
        const auto [found, is_new] = integer_codes_.try_emplace(value, next);
        if (is_new) column_.integer_levels.push_back(value);
        return found->second;
    }

    const Check* check_;
    std::string format_;
    std::string value_format_;
    char index_code_;
    int scale_ = 0;
    ArrowColumn column_;
    LevelIndex index_;
    std::unordered_map<std::int64_t, std::int32_t> integer_codes_;
};

// A producer's struct with the release call that the specification asks for.
template <typename Struct>
struct Released {
    Struct value{};
    ~Released() {
        if (value.release != nullptr) value.release(&value);
    }
};

void check(int status, ArrowArrayStream& stream, const char* doing) {
    if (status == 0) return;
    const char* reason = stream.get_last_error(&stream);
    throw ArrowStreamError(std::string(doing) + ": " + (reason ? reason : "no reason given"));
}

// The next array of the stream; null at its end.
std::shared_ptr<const ArrowArray> next_array(ArrowArrayStream& stream) {
    auto holder = std::make_shared<Released<ArrowArray>>();
    check(stream.get_next(&stream, &holder->value), stream, "reading rows of an Arrow stream");
    if (holder->value.release == nullptr) return nullptr;
    return {holder, &holder->value};
}

}  // namespace

ArrowTable read_arrow_stream(ArrowArrayStream& source, const Check& check_caller) {
    Released<ArrowArrayStream> owned{source};
    source.release = nullptr;
    ArrowArrayStream& stream = owned.value;

    Released<ArrowSchema> schema;
    check(stream.get_schema(&stream, &schema.value), stream, "reading an Arrow schema");
    check_schema(schema.value);
    const bool records = std::string_view(schema.value.format) == "+s";
    std::vector<ColumnReader> readers;
    if (records) {
        for (std::int64_t at = 0; at < schema.value.n_children; ++at) {
            check_schema(*schema.value.children[at]);
            readers.emplace_back(*schema.value.children[at], check_caller);
        }
    } else {
        readers.emplace_back(schema.value, check_caller);
    }

    ArrowTable table;
    auto array = next_array(stream);
    while (array) {
        auto following = next_array(stream);
        const bool only_chunk = table.n_rows == 0 && !following;
        if (records) check_records(*array, schema.value.n_children);
        for (std::size_t at = 0; at < readers.size(); ++at) {
            const ArrowArray* column = records ? array->children[at] : array.get();
            readers[at].check(*column, array->length + (records ? array->offset : 0));
            const std::int64_t first = column->offset + (records ? array->offset : 0);
            check_caller();
            readers[at].read({column, first, array->length}, array, only_chunk);
        }
        table.n_rows += array->length;
        array = std::move(following);
    }
    for (ColumnReader& reader : readers) table.columns.push_back(reader.finish());
    return table;
}

}  // namespace treewright
