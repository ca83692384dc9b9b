// Arithmetic as the standard says, whatever modes other code in the process has set.
#pragma once

#include <cstdint>

namespace treewright {

// While one lives, this thread rounds to nearest and keeps numbers below 2.2e-308. A library built
// by -ffast-math may have set the processor to flush them to 0, and in some threads only: then
// what a model is would depend on who does the work.
class StandardArithmetic {
public:
    StandardArithmetic();
    ~StandardArithmetic();
    StandardArithmetic(const StandardArithmetic&) = delete;
    StandardArithmetic& operator=(const StandardArithmetic&) = delete;

private:
    std::uint64_t before_;
};

}  // namespace treewright
