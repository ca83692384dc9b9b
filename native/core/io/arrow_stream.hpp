// Arrow C streams: the flat columns of a table, chunk after chunk, as numbers and level codes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/io/arrow_abi.hpp"
#include "core/parallel/cancellation.hpp"

namespace treewright {

// A column type that no tree can use. Reads as a sentence that names the column.
struct ArrowTypeError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The stream itself reported an error.
struct ArrowStreamError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class ArrowKind {
    doubles,   // numbers; NaN where null
    floats,    // the same, of 32 bits
    text,      // codes into text levels; -1 where null
    integers,  // codes into integer levels
    booleans,  // codes 0 and 1
    nothing,   // a column of the type null
};

struct ArrowColumn {
    std::string name;
    std::string format;  // the Arrow format string, "g" for doubles ...
    std::string unit;    // "datetime64[ns]" and the like, or empty
    ArrowKind kind = ArrowKind::nothing;
    bool ordered = false;
    bool dictionary = false;  // the levels come from dictionaries; some may have no rows

    std::vector<double> doubles;
    std::vector<float> floats;
    std::vector<std::int32_t> codes;
    std::deque<std::string> levels;
    std::vector<std::int64_t> integer_levels;

    // Set instead of `doubles` or `floats` where the only chunk holds just these numbers and no
    // null: `owner` keeps the producer's buffer alive.
    const void* borrowed = nullptr;
    std::shared_ptr<const ArrowArray> owner;
};

struct ArrowTable {
    std::vector<ArrowColumn> columns;
    std::int64_t n_rows = 0;
};

// Reads the stream to its end and releases it. A stream of records gives one column per field, any
// other stream one column.
ArrowTable read_arrow_stream(ArrowArrayStream& stream, const Check& check = never_stop);

}  // namespace treewright
