#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/borrowed_rows.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/owned_array.hpp"
#include "core/clustering/lloyd.hpp"
#include "core/clustering/prototypes.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using clustering::Lloyd;
using clustering::Prototypes;

namespace {

// A kernel, and the memory of Python's that it reads.
template <class Kernel>
struct Bound {
    BorrowedRows rows;
    std::optional<BorrowedWeights> weight;
    std::unique_ptr<Kernel> kernel;

    // `count` points, or any number of them.
    Buffer points(nb::handle given, const char* name, std::size_t count = 0) const {
        Buffer buffer(given, name);
        require(buffer.n_axes() == 2 && buffer.length(0) > 0 &&
                    buffer.length(1) == kernel->n_columns() &&
                    (count == 0 || buffer.length(0) == count),
                std::string(name) + ": a value per column of each point");
        return buffer;
    }
    void require_labels(std::size_t n_points) const {
        require(kernel->labels().size() == kernel->n_rows(), "labels: assign comes first");
        for (const std::int32_t label : kernel->labels()) {
            require(label >= 0 && static_cast<std::size_t>(label) < n_points,
                    "labels: of other centers");
        }
    }
};

using BoundLloyd = Bound<Lloyd>;
using BoundPrototypes = Bound<Prototypes>;

void make_lloyd(BoundLloyd* self, nb::object X, std::size_t n_columns, nb::object weight,
                int n_threads) {
    require(n_columns > 0, "X: at least one column");
    BoundLloyd made;
    made.rows = borrow_rows(X, std::vector<std::int32_t>(n_columns, -1));
    const std::size_t n_rows = n_rows_of(made.rows.rows);
    require(n_rows > 0, "X: at least one row");
    made.weight.emplace(weight, n_rows);
    made.kernel =
        std::make_unique<Lloyd>(made.rows.rows, n_columns, made.weight->values, n_threads);
    new (self) BoundLloyd(std::move(made));
}

void require_codes(const BorrowedRows& rows, std::span<const std::int32_t> n_levels) {
    const auto& columns = std::get<Columns>(rows.rows);
    for (std::size_t c = 0; c < n_levels.size(); ++c) {
        for (std::size_t row = 0; n_levels[c] >= 0 && row < columns.n_rows; ++row) {
            require(columns.code(row, c) < n_levels[c], "X: a code beyond the levels");
        }
    }
}

void make_prototypes(BoundPrototypes* self, nb::list X, nb::object n_levels, nb::object factors,
                     nb::object weight, int n_threads) {
    const Buffer level_buffer(n_levels, "n_levels"), factor_buffer(factors, "factors");
    const auto levels = level_buffer.elements<std::int32_t>();
    const auto factor = factor_buffer.elements<double>();
    require(!levels.empty() && levels.size() == factor.size(), "factors: one per column");
    BoundPrototypes made;
    made.rows = borrow_rows(X, levels);
    require_codes(made.rows, levels);
    const std::size_t n_rows = n_rows_of(made.rows.rows);
    require(n_rows > 0, "X: at least one row");
    std::vector<clustering::CountedColumn> columns;
    for (std::size_t c = 0; c < levels.size(); ++c) {
        columns.push_back(
            {levels[c] >= 0, static_cast<std::size_t>(std::max(levels[c], 0)), factor[c]});
    }
    made.weight.emplace(weight, n_rows);
    made.kernel = std::make_unique<Prototypes>(std::get<Columns>(made.rows.rows),
                                               std::move(columns), made.weight->values, n_threads);
    new (self) BoundPrototypes(std::move(made));
}

nb::tuple assign_rows(BoundLloyd& self, nb::object centers) {
    const Buffer points = self.points(centers, "centers");
    auto round = interruptible(
        [&](const auto& check) { return self.kernel->assign(points.elements<double>(), check); });
    return nb::make_tuple(round.n_moved, owned_array(std::move(round.sums)),
                          owned_array(std::move(round.weight)));
}

std::size_t assign_mixed(BoundPrototypes& self, nb::object prototypes) {
    const Buffer points = self.points(prototypes, "prototypes");
    return interruptible(
        [&](const auto& check) { return self.kernel->assign(points.elements<double>(), check); });
}

nb::tuple middles_of(BoundPrototypes& self, nb::object labels, nb::object prototypes) {
    const Buffer label_buffer(labels, "labels");
    const Buffer points = self.points(prototypes, "prototypes");
    const auto given = label_buffer.elements<std::int32_t>();
    require(given.size() == self.kernel->n_rows(), "labels: one per row");
    const auto [least, most] = std::ranges::minmax(given);
    require(least >= 0 && static_cast<std::size_t>(most) < points.length(0),
            "labels: of other prototypes");
    auto found = interruptible([&](const auto& check) {
        return self.kernel->middles(given, points.elements<double>(), check);
    });
    return nb::make_tuple(owned_array(std::move(found.prototypes)),
                          owned_array(std::move(found.weight)));
}

template <class Kernel>
nb::object labels_of(const Bound<Kernel>& self) {
    const auto labels = self.kernel->labels();
    return owned_array(std::vector<std::int32_t>(labels.begin(), labels.end()));
}

template <class Kernel>
nb::object squares_of(const Bound<Kernel>& self, nb::object centers) {
    const Buffer points = self.points(centers, "centers");
    self.require_labels(points.length(0));
    return owned_array(interruptible(
        [&](const auto& check) { return self.kernel->squares(points.elements<double>(), check); }));
}

template <class Kernel>
void fill_all_squares(const Bound<Kernel>& self, nb::object centers, nb::object out) {
    const Buffer points = self.points(centers, "centers"), target(out, "out", true);
    const auto elements = target.writable_elements<double>();
    require(elements.size() == self.kernel->n_rows() * points.length(0),
            "out: a number per row and center");
    interruptible([&](const auto& check) {
        self.kernel->all_squares(points.elements<double>(), elements, check);
    });
}

template <class Kernel>
nb::object left_over(const Bound<Kernel>& self, nb::object points, nb::object so_far) {
    const Buffer given = self.points(points, "points"), distances(so_far, "so_far");
    const auto elements = distances.elements<double>();
    require(elements.size() == self.kernel->n_rows(), "so_far: one per row");
    return owned_array(interruptible([&](const auto& check) {
        return self.kernel->left_over(given.elements<double>(), elements, check);
    }));
}

template <class Kernel>
void come_near(const Bound<Kernel>& self, nb::object point, nb::object so_far) {
    const Buffer given = self.points(point, "point", 1), distances(so_far, "so_far", true);
    const auto elements = distances.writable_elements<double>();
    require(elements.size() == self.kernel->n_rows(), "so_far: one per row");
    interruptible([&](const auto& check) {
        self.kernel->come_near(given.elements<double>(), elements, check);
    });
}

template <class Kernel>
void forget(Bound<Kernel>& self) {
    self.kernel->forget();
}

template <class Kernel>
void bind_shared(nb::class_<Bound<Kernel>>& bound) {
    bound.def("labels", &labels_of<Kernel>, "The cluster of each row.")
        .def("forget", &forget<Kernel>, "Count all rows as moved in the next round.")
        .def("squares", &squares_of<Kernel>, "centers"_a,
             "The squared distance of each row from the center of its cluster.")
        .def("all_squares", &fill_all_squares<Kernel>, "centers"_a, "out"_a,
             "Fill `out` (n_rows, n_centers) with squared distances.")
        .def("left_over", &left_over<Kernel>, "points"_a, "so_far"_a,
             "What is left of the sum of `so_far` if a point joins, for each point.")
        .def("come_near", &come_near<Kernel>, "point"_a, "so_far"_a,
             "Lower `so_far` to the squared distance from a point where that is less.");
}

}  // namespace

void bind_clustering(nb::module_& module) {
    nb::class_<BoundLloyd> lloyd(module, "Lloyd",
                                 "Rows of numbers and the nearest center of each.");
    lloyd.def("__init__", &make_lloyd, "X"_a, "n_columns"_a, "weight"_a.none(), "n_threads"_a)
        .def("assign", &assign_rows, "centers"_a,
             "Put every row to its nearest center: how many moved, sums and weights by cluster.");
    bind_shared(lloyd);
    nb::class_<BoundPrototypes> prototypes(module, "Prototypes",
                                           "Mixed rows and the nearest prototype of each.");
    prototypes
        .def("__init__", &make_prototypes, "X"_a, "n_levels"_a, "factors"_a, "weight"_a.none(),
             "n_threads"_a)
        .def("assign", &assign_mixed, "prototypes"_a,
             "Put every row to its nearest prototype: how many moved.")
        .def("middles", &middles_of, "labels"_a, "prototypes"_a,
             "Means and commonest levels of the rows of each label, and their weights.");
    bind_shared(prototypes);
}

}  // namespace treewright::bindings
