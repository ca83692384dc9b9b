#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"

namespace treewright::bindings {

using namespace nb::literals;

namespace {

// As Python holds it; threads share the flag itself, which may outlive this.
struct HeldFlag {
    std::shared_ptr<StopFlag> flag = std::make_shared<StopFlag>();

    HeldFlag() { flag->above = heeded_flag; }
};

}  // namespace

void bind_stop_flag(nb::module_& module) {
    nb::class_<HeldFlag>(module, "StopFlag",
                         "Cancels kernels in the threads that heed it; so does the flag that the "
                         "thread heeds which makes it.")
        .def(nb::init<>())
        .def(
            "set", [](const HeldFlag& held) { held.flag->is_set = true; },
            "From now on kernels there end with KeyboardInterrupt.");
    module.def(
        "heed", [](const HeldFlag* held) { heeded_flag = held ? held->flag : nullptr; },
        "flag"_a.none(), "This thread heeds the flag from now on, or none.");
    module.def("cancel_if_unwanted", &cancel_if_unwanted,
               "Raises KeyboardInterrupt if the flag that this thread heeds is set.");
}

}  // namespace treewright::bindings
