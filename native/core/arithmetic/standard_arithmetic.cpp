#include "core/arithmetic/standard_arithmetic.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace treewright {
namespace {

// The processor's word of modes, and the bits of it that change results.
#if defined(__x86_64__)

constexpr std::uint64_t unusual = 0xe040;  // flush to zero, rounding, denormals are zeros

std::uint64_t modes() { return _mm_getcsr(); }
void set_modes(std::uint64_t word) { _mm_setcsr(static_cast<unsigned>(word)); }

#elif defined(__aarch64__)

constexpr std::uint64_t unusual = std::uint64_t{0xf} << 22;  // rounding, flush to zero, one NaN

std::uint64_t modes() {
    std::uint64_t word = 0;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    return word;
}
void set_modes(std::uint64_t word) { asm volatile("msr fpcr, %0" : : "r"(word) : "memory"); }

#else

constexpr std::uint64_t unusual = 0;

std::uint64_t modes() { return 0; }
void set_modes(std::uint64_t) {}

#endif

}  // namespace

// Writing the word stalls the processor for a moment, and is hardly ever needed.
StandardArithmetic::StandardArithmetic() : before_(modes()) {
    if ((before_ & unusual) != 0) set_modes(before_ & ~unusual);
}

StandardArithmetic::~StandardArithmetic() {
    if ((before_ & unusual) != 0) set_modes(before_);
}

}  // namespace treewright
