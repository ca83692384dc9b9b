// The tests of the core:
//   treewright_core_tests              all of them
//   treewright_core_tests "T33"        those whose sentence holds these words
//   treewright_core_tests --thorough   all, and each allocation of each kernel fails once
//   treewright_core_tests --digests    the result of every kernel, to be compared with the results
//                                      of another machine
#include <cinttypes>
#include <cstdio>
#include <string_view>

#include "tests/kernels.hpp"
#include "tests/testing.hpp"

namespace {

int print_digests() {
    for (const auto& kernel : treewright::testing::every_kernel()) {
        std::printf("%016" PRIx64 "  %s\n", kernel.run(2, [] {}), kernel.name);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view asked = argc > 1 ? argv[1] : "";
    if (asked == "--digests") return print_digests();
    if (asked != "--thorough") return treewright::testing::run_tests(std::string(asked)) > 0;
    treewright::testing::be_thorough();
    return treewright::testing::run_tests("") > 0;
}
