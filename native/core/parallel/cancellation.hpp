// Cooperative cancellation: long loops call `check()`, so that Ctrl-C works.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace treewright {

struct Interrupted {};

// Called by long work now and then; throws to cancel it.
using Check = std::function<void()>;
inline void never_stop() {}

// Asks the caller now and then, on the caller's thread only, whether to stop. If so, every thread
// stops at its next check.
class Watch {
public:
    static inline std::chrono::milliseconds pause{50};  // tests set it to 0

    explicit Watch(const std::function<bool()>& interrupted)
        : interrupted_(interrupted), owner_(std::this_thread::get_id()) {}

    void check() {
        if (std::this_thread::get_id() == owner_ && due()) stopped_ = interrupted_();
        if (stopped_) throw Interrupted{};
    }

private:
    bool due() {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < pause) return false;
        last_ = now;
        return true;
    }
    const std::function<bool()>& interrupted_;
    std::thread::id owner_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
    std::atomic<bool> stopped_{false};
};

}  // namespace treewright
