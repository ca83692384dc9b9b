// Integrals of polynomials over 0 .. 1, exact but for rounding (Gauss and Legendre).
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace treewright {

// The integral of f is the sum of weight * f(point), for every polynomial of degree < 2 n.
struct Quadrature {
    explicit Quadrature(std::size_t n) : point(n), weight(n) {
        for (std::size_t i = 0; i < n; ++i) {
            // Newton's method on the Legendre polynomial of degree n, from a close first guess.
            const double degree = static_cast<double>(n);
            double x =
                std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (degree + 0.5));
            double slope = 1.0;
            for (int round = 0; round < 20; ++round) {
                double value = 1.0, before = 0.0;
                for (std::size_t k = 0; k < n; ++k) {
                    const double j = static_cast<double>(k);
                    const double next = ((2 * j + 1) * x * value - j * before) / (j + 1);
                    before = value;
                    value = next;
                }
                slope = degree * (x * value - before) / (x * x - 1);
                const double step = value / slope;
                x -= step;
                if (std::abs(step) < 1e-16) break;
            }
            point[n - 1 - i] = 0.5 * (1 + x);
            weight[n - 1 - i] = 1 / ((1 - x * x) * slope * slope);
        }
    }

    std::size_t size() const { return point.size(); }

    std::vector<double> point;
    std::vector<double> weight;
};

}  // namespace treewright
