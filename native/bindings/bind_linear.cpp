#include <memory>

#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "core/linear/epoch.hpp"
#include "core/linear/passes.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using linear::EpochSettings;
using linear::LinearLoss;

namespace {

// Rows of a linear model and the arrays that they point to.
struct BoundLinearRows {
    Buffer numbers, slots, shares;
    linear::LinearRows rows;
};

void require_row(const linear::LinearRows& rows, std::size_t row) {
    const std::span numbers(rows.numbers_of(row), rows.stride);
    for (const double filling : numbers.subspan(rows.n_numbers)) {
        require(filling == 0, "numbers: filled up with zeros");
    }
    std::int64_t last = -1;
    for (const std::int32_t slot : rows.slots_of(row)) {
        require(slot > last && static_cast<std::size_t>(slot) < rows.n_slots,
                "slots: below n_slots, those of later columns larger");
        last = slot;
    }
}

void make_rows(BoundLinearRows* self, nb::object numbers, std::size_t n_numbers, nb::object slots,
               std::size_t n_slots, nb::object shares) {
    Buffer number_buffer(numbers, "numbers");
    Buffer slot_buffer(slots, "slots");
    Buffer share_buffer(shares, "shares");
    const auto row_shares = share_buffer.elements<double>();
    const std::size_t n_rows = row_shares.size();
    require(n_rows > 0, "shares: at least one row");
    require(number_buffer.n_axes() == 2 && number_buffer.length(0) == n_rows,
            "numbers: one line per row");
    require(slot_buffer.n_axes() == 2 && slot_buffer.length(0) == n_rows,
            "slots: one line per row");
    const std::size_t stride = number_buffer.length(1);
    require(stride % linear::n_lanes == 0 && n_numbers > 0 && n_numbers <= stride,
            "numbers: filled up to whole lanes, the first for the intercept");
    const linear::LinearRows rows{number_buffer.elements<double>(),
                                  slot_buffer.elements<std::int32_t>(),
                                  row_shares,
                                  n_numbers,
                                  stride,
                                  slot_buffer.length(1),
                                  n_slots};
    for (std::size_t row = 0; row < n_rows; ++row) {
        require_row(rows, row);
    }
    new (self) BoundLinearRows{std::move(number_buffer), std::move(slot_buffer),
                               std::move(share_buffer), rows};
}

std::size_t n_outputs_of(const linear::LinearRows& rows, const Buffer& coefficients) {
    require(coefficients.n_axes() == 2 && coefficients.length(0) > 0 &&
                coefficients.length(1) == rows.n_terms(),
            "coefficients: a line for each output, a number for each term");
    return coefficients.length(0);
}

void require_target(const linear::LinearRows& rows, LinearLoss loss, std::span<const double> target,
                    std::size_t n_outputs) {
    require(target.size() == rows.n_rows(), "target: one value per row");
    if (loss != LinearLoss::multinomial) {
        require(n_outputs == 1, "coefficients: one output");
        return;
    }
    for (const double label : target) {
        require(label >= 0 && label < static_cast<double>(n_outputs), "target: numbers of classes");
    }
}

void fill_scores(const BoundLinearRows& self, nb::object coefficients, nb::object out,
                 int n_threads) {
    const Buffer given(coefficients, "coefficients");
    const std::size_t n_outputs = n_outputs_of(self.rows, given);
    const Buffer target(out, "out", true);
    const auto scores = target.writable_elements<double>();
    require(scores.size() == self.rows.n_rows() * n_outputs, "out: n_outputs numbers per row");
    const auto values = given.elements<double>();
    interruptible([&](const auto& check) {
        linear::fill_scores(self.rows, values, n_outputs, {n_threads, check}, scores);
    });
}

double fill_gradient(const BoundLinearRows& self, LinearLoss loss, nb::object target,
                     nb::object coefficients, nb::object out, int n_threads) {
    const Buffer given(coefficients, "coefficients");
    const std::size_t n_outputs = n_outputs_of(self.rows, given);
    const Buffer target_buffer(target, "target");
    const auto targets = target_buffer.elements<double>();
    require_target(self.rows, loss, targets, n_outputs);
    const Buffer written(out, "out", true);
    const auto gradient = written.writable_elements<double>();
    const auto values = given.elements<double>();
    require(gradient.size() == values.size(), "out: the shape of the coefficients");
    return interruptible([&](const auto& check) {
        return linear::cost_and_gradient(self.rows, loss, targets, values, {n_threads, check},
                                         gradient);
    });
}

void fill_products(const BoundLinearRows& self, nb::object factors, nb::object out, int n_threads) {
    const BorrowedWeights row_factors(factors, self.rows.n_rows());
    const Buffer written(out, "out", true);
    const auto products = written.writable_elements<double>();
    require(products.size() == self.rows.n_terms() * self.rows.n_terms(),
            "out: n_terms by n_terms");
    interruptible([&](const auto& check) {
        linear::fill_products(self.rows, row_factors.values, {n_threads, check}, products);
    });
}

void descend(const BoundLinearRows& self, LinearLoss loss, nb::object target, nb::object order,
             const EpochSettings& settings, nb::object coefficients, nb::object velocity) {
    const Buffer moved(coefficients, "coefficients", true);
    const std::size_t n_outputs = n_outputs_of(self.rows, moved);
    const Buffer target_buffer(target, "target");
    const auto targets = target_buffer.elements<double>();
    require_target(self.rows, loss, targets, n_outputs);
    const Buffer order_buffer(order, "order");
    const auto places = order_buffer.elements<std::int64_t>();
    for (const std::int64_t row : places) {
        require(row >= 0 && static_cast<std::size_t>(row) < self.rows.n_rows(),
                "order: positions of rows");
    }
    require(settings.batch_size > 0, "batch_size: at least one row");
    const Buffer speed(velocity, "velocity", true);
    const auto values = moved.writable_elements<double>();
    const auto speeds = speed.writable_elements<double>();
    require(speeds.size() == values.size(), "velocity: the shape of the coefficients");
    interruptible([&](const auto& check) {
        linear::descend_epoch(self.rows, loss, targets, places, settings, values, speeds, check);
    });
}

}  // namespace

void bind_linear(nb::module_& module) {
    nb::enum_<LinearLoss>(module, "LinearLoss")
        .value("squared_error", LinearLoss::squared_error)
        .value("logistic", LinearLoss::logistic)
        .value("multinomial", LinearLoss::multinomial);
    nb::class_<EpochSettings>(module, "EpochSettings")
        .def(nb::init<>())
        .def_rw("batch_size", &EpochSettings::batch_size)
        .def_rw("rate", &EpochSettings::rate)
        .def_rw("momentum", &EpochSettings::momentum)
        .def_rw("l1", &EpochSettings::l1)
        .def_rw("l2", &EpochSettings::l2);
    nb::class_<BoundLinearRows>(module, "LinearRows", "Numbers and slots of rows, for passes.")
        .def("__init__", &make_rows, "numbers"_a, "n_numbers"_a, "slots"_a, "n_slots"_a, "shares"_a)
        .def("scores", &fill_scores, "coefficients"_a, "out"_a, "n_threads"_a,
             "Fill `out` (n_rows, n_outputs) with the scores of the rows.")
        .def("gradient", &fill_gradient, "loss"_a, "target"_a, "coefficients"_a, "out"_a,
             "n_threads"_a, "The mean cost of a row; fill `out` with its gradient.")
        .def("products", &fill_products, "factors"_a.none(), "out"_a, "n_threads"_a,
             "Fill `out` (n_terms, n_terms) with the mean product of any two terms.")
        .def("descend", &descend, "loss"_a, "target"_a, "order"_a, "settings"_a, "coefficients"_a,
             "velocity"_a, "Change coefficients and velocity by one epoch of steps.");
}

}  // namespace treewright::bindings
