#include <cstdint>

#include "bindings/arrays.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/short_cuts.hpp"

namespace treewright::bindings {

using namespace nb::literals;

namespace {

nb::tuple names() {
    nb::list all;
    for (const auto name : short_cut_names) all.append(nb::str(name.data(), name.size()));
    return nb::tuple(all);
}

std::uint32_t leave_out(std::uint32_t mask) { return short_cuts_left_out.exchange(mask); }

nb::list recorded() {
    nb::list regions;
    for (const RecordedRegion& region : end_recording()) {
        nb::list tasks;
        for (const std::int64_t task : region.tasks) tasks.append(task);
        regions.append(nb::make_tuple(region.before, region.n_threads, region.n_bytes, tasks));
    }
    return regions;
}

std::uint32_t met() { return short_cuts_met.exchange(0); }

}  // namespace

void bind_short_cuts(nb::module_& module) {
    module.def("short_cut_names", &names, "The faster ways that can be left out, bit by bit.");
    module.def(
        "leave_out_short_cuts", &leave_out, "mask"_a,
        "Takes the plain way from now on for every bit that is set; returns the bits before.");
    module.def("start_recording", &start_recording,
               "From now on this thread runs all parallel tasks itself and notes their time.");
    module.def("end_recording", &recorded,
               "(nanoseconds before it, threads, bytes, nanoseconds of each task) of each region.");
    module.def("short_cuts_met", &met, "Bits of those that data came to since the last question.");
}

}  // namespace treewright::bindings
