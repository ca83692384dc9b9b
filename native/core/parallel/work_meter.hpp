// Interrupt checks by how much work was done since the last one.
#pragma once

#include <cstddef>
#include <functional>

namespace treewright {

// Work is counted in multiplications or what takes as long, so checks come every few milliseconds
// whatever a row costs. Belongs to one task.
class WorkMeter {
public:
    // `check` may throw to cancel.
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
    std::size_t done_ = work_between_checks;  // the first work checks at once
};

}  // namespace treewright
