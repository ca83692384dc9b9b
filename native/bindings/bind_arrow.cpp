#include <memory>

#include "bindings/interrupt.hpp"
#include "bindings/owned_array.hpp"
#include "core/io/arrow_checks.hpp"
#include "core/io/arrow_stream.hpp"

namespace treewright::bindings {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// Numbers that stay in the producer's buffer, which lives as long as the array does.
template <typename T>
nb::object borrowed_array(const ArrowColumn& column, std::size_t n_rows) {
    auto* shared = new std::shared_ptr<const ArrowArray>(column.owner);
    nb::capsule owner(shared, [](void* pointer) noexcept {
        delete static_cast<std::shared_ptr<const ArrowArray>*>(pointer);
    });
    const auto* data = static_cast<const T*>(column.borrowed);
    return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(data, {n_rows}, owner));
}

nb::object data_of(ArrowColumn& column, std::size_t n_rows) {
    const bool wide = column.kind == ArrowKind::doubles;
    if (column.borrowed && wide) return borrowed_array<double>(column, n_rows);
    if (column.borrowed) return borrowed_array<float>(column, n_rows);
    if (wide) return owned_array(std::move(column.doubles));
    if (column.kind == ArrowKind::floats) return owned_array(std::move(column.floats));
    return owned_array(std::move(column.codes));
}

// None for numbers; the levels of codes otherwise.
nb::object levels_of(const ArrowColumn& column) {
    nb::list levels;
    switch (column.kind) {
        case ArrowKind::text:
            for (const auto& level : column.levels) {
                levels.append(nb::str(level.data(), level.size()));
            }
            break;
        case ArrowKind::integers:
            for (const auto level : column.integer_levels) levels.append(nb::int_(level));
            break;
        case ArrowKind::booleans:
            levels.append(nb::bool_(false));
            levels.append(nb::bool_(true));
            break;
        case ArrowKind::nothing: break;
        default: return nb::none();
    }
    return nb::tuple(levels);
}

nb::list read_stream(nb::capsule capsule) {
    auto* stream =
        static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
    if (stream == nullptr) throw nb::python_error();
    if (stream->release == nullptr) throw nb::value_error("the Arrow stream was read before");
    ArrowTable table;
    try {
        table =
            interruptible([&](const Check& check) { return read_arrow_stream(*stream, check); });
    } catch (const ArrowTypeError& error) {
        throw nb::type_error(error.what());
    } catch (const ArrowStreamError& error) {
        throw nb::value_error(error.what());
    } catch (const ArrowDataError& error) {
        throw nb::value_error(error.what());
    }
    nb::list columns;
    for (ArrowColumn& column : table.columns) {
        const nb::object data = data_of(column, static_cast<std::size_t>(table.n_rows));
        columns.append(nb::make_tuple(nb::str(column.name.data(), column.name.size()), data,
                                      levels_of(column), column.unit.c_str(), column.format.c_str(),
                                      column.dictionary, column.ordered));
    }
    return columns;
}

}  // namespace

void bind_arrow(nb::module_& module) {
    module.def("read_arrow_stream", &read_stream, "capsule"_a,
               "The columns of an Arrow C stream: (name, numbers or codes, levels or None, unit, "
               "format, is_dictionary, is_ordered) each.");
}

}  // namespace treewright::bindings
