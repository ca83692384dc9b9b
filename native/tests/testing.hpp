// A small frame for tests of the core: a test is a sentence and a function.
#pragma once

#include <functional>
#include <sstream>
#include <string>

namespace treewright::testing {

// Where something was expected: filled in by the compiler at the place of the call.
struct Place {
    const char* file;
    int line;

    static Place here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        return {file, line};
    }
};

// One test, known to the runner from the moment it is made.
class Test {
public:
    Test(const char* sentence, void (*run)());
};

struct Failure {
    Place place;
    std::string text;
};

inline void expect(bool holds, const std::string& otherwise = "not so",
                   Place place = Place::here()) {
    if (!holds) throw Failure{place, otherwise};
}

template <class A, class B>
void expect_equal(const A& found, const B& expected, Place place = Place::here()) {
    if (found == expected) return;
    std::ostringstream text;
    text.precision(17);
    text << "found " << +found << ", expected " << +expected;
    throw Failure{place, text.str()};
}

inline void expect_near(double found, double expected, double tolerance = 1e-12,
                        Place place = Place::here()) {
    const double difference = found > expected ? found - expected : expected - found;
    if (difference <= tolerance) return;
    expect_equal(found, expected, place);
}

inline void expect_text(const std::string& found, const std::string& expected,
                        Place place = Place::here()) {
    expect(found == expected, "found `" + found + "`, expected `" + expected + "`", place);
}

// What `work` throws, which must be an Error.
template <class Error, class Work>
Error thrown_by(const Work& work, Place place = Place::here()) {
    try {
        work();
    } catch (const Error& error) {
        return error;
    }
    throw Failure{place, "nothing was thrown"};
}

// ThreadSanitizer cannot follow the threads of a child whose parent had some.
#ifdef __SANITIZE_THREAD__
inline constexpr bool can_follow_forks = false;
#else
inline constexpr bool can_follow_forks = true;
#endif

// Sanitizers need memory of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool can_limit_memory = false;
#else
inline constexpr bool can_limit_memory = true;
#endif

// Whether the claim holds in a forked child, and this within a minute.
bool holds_in_a_child(const std::function<bool()>& claim);

// Whether the tests take the time for everything.
bool is_thorough();
void be_thorough();

// Runs all tests whose sentence holds `part`; the number of those that failed.
int run_tests(const std::string& part);

}  // namespace treewright::testing
