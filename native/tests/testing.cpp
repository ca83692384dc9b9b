#include "tests/testing.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

namespace treewright::testing {
namespace {

struct Known {
    std::string_view sentence;
    void (*run)();
};

// A function, not a variable: tests in other files are made in no particular order.
std::vector<Known>& all_tests() {
    static std::vector<Known> tests;
    return tests;
}

bool thorough = false;

// What went wrong, or nothing.
std::string failure_of(const Known& test) {
    try {
        test.run();
    } catch (const Failure& failure) {
        return std::string(failure.place.file) + ":" + std::to_string(failure.place.line) + ": " +
               failure.text;
    } catch (const std::exception& error) {
        return std::string("threw ") + error.what();
    } catch (...) {
        return "threw something that is no std::exception";
    }
    return "";
}

}  // namespace

Test::Test(const char* sentence, void (*run)()) { all_tests().push_back({sentence, run}); }

// Whatever the claim throws must not leave: the child would go on with the parent's tests.
bool holds_in_a_child(const std::function<bool()>& claim) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        try {
            _exit(claim() ? 0 : 1);
        } catch (...) {
            _exit(2);
        }
    }
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool is_thorough() { return thorough; }
void be_thorough() { thorough = true; }

int run_tests(const std::string& part) {
    int n_run = 0, n_failed = 0;
    for (const auto& test : all_tests()) {
        if (test.sentence.find(part) == std::string_view::npos) continue;
        ++n_run;
        const std::string failure = failure_of(test);
        if (failure.empty()) continue;
        ++n_failed;
        std::printf("FAILED  %s\n        %s\n", test.sentence.data(), failure.c_str());
    }
    std::printf("%d tests of the core, %d failed\n", n_run, n_failed);
    return n_run == 0 ? 1 : n_failed;
}

}  // namespace treewright::testing
