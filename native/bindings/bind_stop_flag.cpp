#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"

namespace treewright::bindings {

using namespace nb::literals;

namespace {

// As Python holds it; threads share the flag itself, which may outlive this.
struct HeldFlag {
    StopFlag flag = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace

void bind_stop_flag(nb::module_& module) {
    nb::class_<HeldFlag>(module, "StopFlag",
                         "Cancels kernels in the threads that heed it.")
        .def(nb::init<>())
        .def(
            "set", [](const HeldFlag& held) { held.flag->store(true); },
            "From now on kernels there end with KeyboardInterrupt.");
    module.def(
        "heed", [](const HeldFlag& held) { heeded_flag = held.flag; }, "flag"_a,
        "This thread heeds the flag as long as it lives.");
}

}  // namespace treewright::bindings
