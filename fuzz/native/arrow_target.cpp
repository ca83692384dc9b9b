// Arrow streams: every column has a value for each row, and codes have levels.
#include "arrow_producer.hpp"
#include "core/io/arrow_checks.hpp"
#include "core/io/arrow_stream.hpp"

using namespace treewright;
using fuzzing::demand;

namespace {

std::size_t length_of(const ArrowColumn& column, std::size_t n_rows) {
    if (column.borrowed != nullptr) return n_rows;
    if (column.kind == ArrowKind::doubles) return column.doubles.size();
    if (column.kind == ArrowKind::floats) return column.floats.size();
    return column.codes.size();
}

std::size_t n_levels_of(const ArrowColumn& column) {
    switch (column.kind) {
        case ArrowKind::text: return column.levels.size();
        case ArrowKind::integers: return column.integer_levels.size();
        case ArrowKind::booleans: return 2;
        default: return 0;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::FuzzedInput input(data, size);
    fuzzing::ArrowProducer producer(input);
    ArrowArrayStream stream = producer.stream();
    try {
        const ArrowTable table = read_arrow_stream(stream);
        const auto n_rows = static_cast<std::size_t>(table.n_rows);
        for (const ArrowColumn& column : table.columns) {
            demand(length_of(column, n_rows) == n_rows, "one value for each row");
            const auto n_levels = static_cast<std::int32_t>(n_levels_of(column));
            for (const std::int32_t code : column.codes) {
                demand(code >= -1 && code < n_levels, "a level for each code");
            }
        }
    } catch (const ArrowTypeError&) {
    } catch (const ArrowStreamError&) {
    } catch (const ArrowDataError&) {
    }
    demand(stream.release == nullptr, "the stream is released");
    return 0;
}
