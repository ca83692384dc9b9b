// Asking whether to go on, by how much work was done since the last time.
#pragma once

#include <cstddef>
#include <functional>

namespace treewright {

// Work is counted in multiplications or what takes as long, so questions come every few
// milliseconds whatever a row costs. Belongs to one task.
class WorkMeter {
public:
    // `check` may throw to give up.
    explicit WorkMeter(const std::function<void()>& check) : check_(check) {}

    void add(std::size_t work) {
        done_ += work;
        if (done_ < work_between_checks) return;
        done_ = 0;
        check_();
    }

private:
    static constexpr std::size_t work_between_checks = std::size_t{1} << 20;
    const std::function<void()>& check_;
    std::size_t done_ = work_between_checks;  // the first work asks at once
};

}  // namespace treewright
