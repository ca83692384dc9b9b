// The interpreter lock, for threads that may still run when the interpreter shuts down.
//
// A daemon thread may be inside the core when the program exits. Python up to 3.13 ends such a
// thread as soon as it asks for the lock, by pthread_exit(). With glibc that unwinds the stack, and
// the process aborts at the first noexcept function or catch (...). With other libraries the stack
// vanishes while threads of the pool still use it. So the thread sleeps until the process ends,
// which is what Python 3.14 lets it do. All calls into Python that may wait for the lock while C++
// frames of ours are below them go through here.
#pragma once

#include <nanobind/nanobind.h>
#include <pthread.h>
#include <unistd.h>

namespace treewright::bindings {

[[noreturn]] inline void sleep_until_exit(void* = nullptr) noexcept {
    while (true) pause();
}

// Returns call(), which must not throw. If Python ends the thread in it, the thread sleeps instead.
// Not inlined: a noexcept caller would be where unwinding stops.
template <class Call>
[[gnu::noinline]] auto survive_exit(Call call) {
    decltype(call()) result{};
    pthread_cleanup_push(sleep_until_exit, nullptr);
    result = call();
    pthread_cleanup_pop(0);
    return result;
}

// While one lives, this thread is without the lock and other Python threads run.
class LockReleased {
public:
    LockReleased() : state_(PyEval_SaveThread()) {}
    ~LockReleased() {
        survive_exit([this] {
            PyEval_RestoreThread(state_);
            return 0;
        });
    }
    LockReleased(const LockReleased&) = delete;
    LockReleased& operator=(const LockReleased&) = delete;

private:
    PyThreadState* state_;
};

// While one lives, this thread holds the lock.
class LockHeld {
public:
    LockHeld() : state_(survive_exit([] { return PyGILState_Ensure(); })) {}
    ~LockHeld() { PyGILState_Release(state_); }
    LockHeld(const LockHeld&) = delete;
    LockHeld& operator=(const LockHeld&) = delete;

private:
    PyGILState_STATE state_;
};

}  // namespace treewright::bindings
