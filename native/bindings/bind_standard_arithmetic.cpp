#include <nanobind/nanobind.h>

#include <optional>

#include "core/arithmetic/standard_arithmetic.hpp"

namespace nb = nanobind;

namespace treewright::bindings {

using namespace nb::literals;

namespace {

using Arithmetic = std::optional<StandardArithmetic>;

}  // namespace

void bind_standard_arithmetic(nb::module_& module) {
    nb::class_<Arithmetic>(module, "StandardArithmetic",
                           "Within `with`, Python and NumPy keep numbers below 2.2e-308 here.")
        .def(nb::init<>())
        .def("__enter__", [](Arithmetic& self) { self.emplace(); })
        .def(
            "__exit__", [](Arithmetic& self, nb::handle, nb::handle, nb::handle) { self.reset(); },
            "kind"_a.none(), "error"_a.none(), "trace"_a.none());
}

}  // namespace treewright::bindings
