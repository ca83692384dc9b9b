#include <nanobind/nanobind.h>

#include <algorithm>
#include <functional>

#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/lists.hpp"
#include "bindings/owned_array.hpp"
#include "core/arithmetic/as_index.hpp"
#include "core/optimal/node_rows.hpp"
#include "core/optimal/search.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using optimal::Feature;
using optimal::Limits;
using optimal::Problem;
using optimal::Weight;

namespace {

constexpr Weight most_weight = Weight{1} << 60;
constexpr int most_depth = 62;

// Rows as columns of codes; the arrays stay borrowed while a tree is looked for.
class OptimalRows {
public:
    OptimalRows(const nb::list& codes, const std::vector<std::uint32_t>& n_values,
                nb::handle classes, nb::handle weights, nb::handle n_rows, nb::handle sure_loss,
                std::uint32_t n_classes) {
        buffers_.reserve(codes.size() + 4);
        problem_.classes = borrow<std::uint32_t>(classes, "classes");
        problem_.weights = borrow<Weight>(weights, "weights");
        problem_.n_rows = borrow<std::uint32_t>(n_rows, "n_rows");
        problem_.sure_loss = borrow<Weight>(sure_loss, "sure_loss");
        problem_.n_classes = n_classes;
        const std::size_t size = problem_.size();
        require(size > 0 && n_classes > 0, "rows: at least one, of some class");
        require(problem_.weights.size() == size && problem_.n_rows.size() == size &&
                    problem_.sure_loss.size() == size && codes.size() == n_values.size(),
                "rows: one value for each");
        for (const std::uint32_t label : problem_.classes) {
            require(label < n_classes, "classes: one without a number");
        }
        check_weights();
        for (std::size_t column = 0; column < codes.size(); ++column) {
            const auto values = borrow<std::uint32_t>(codes[column], "codes");
            require(values.size() == size, "codes: one for each row");
            require(n_values[column] < UINT32_MAX - 1, "n_values: too many");
            for (const std::uint32_t code : values) {
                require(code <= n_values[column], "codes: one without a value");
            }
            problem_.columns.push_back({values, n_values[column]});
        }
    }

    // Features as (column, kind, levels), those of a column side by side.
    void set_features(const nb::list& features) {
        feature_buffers_.reserve(features.size());
        std::int32_t last = 0;
        for (const nb::handle item : features) {
            const auto entry = nb::cast<nb::tuple>(item);
            Feature feature;
            feature.column = nb::cast<std::int32_t>(entry[0]);
            const int kind = nb::cast<int>(entry[1]);
            require(feature.column >= last &&
                        static_cast<std::size_t>(feature.column) < problem_.columns.size(),
                    "features: by column");
            require(kind >= 0 && kind <= 3, "features: one of no known kind");
            feature.kind = static_cast<Feature::Kind>(kind);
            feature.set =
                feature_buffers_.emplace_back(entry[2], "levels").elements<std::uint32_t>();
            const auto n_values = problem_.columns[as_index(feature.column)].n_values;
            for (const std::uint32_t level : feature.set) {
                require(level < n_values, "features: a level");
            }
            require(std::ranges::is_sorted(feature.set, std::ranges::less_equal{}),
                    "features: levels in order, each once");
            last = feature.column;
            problem_.features.push_back(feature);
        }
        check_kinds();
    }
    const Problem& problem() const { return problem_; }

private:
    // Sums of these and of prices of leaves stay within 64 bits.
    void check_weights() const {
        Weight sum = 0;
        for (std::size_t row = 0; row < problem_.size(); ++row) {
            const Weight weight = problem_.weights[row], loss = problem_.sure_loss[row];
            require(weight >= 0 && weight < most_weight, "weights: from 0 to 2^60 together");
            require(loss >= 0 && loss <= weight, "sure_loss: from 0 to the weight");
            require(problem_.n_rows[row] > 0, "n_rows: one at least");
            sum += weight;
            require(sum < most_weight, "weights: from 0 to 2^60 together");
        }
    }
    // A column is asked by order or by sets; one of many values by each level alone.
    void check_kinds() const {
        std::vector<std::size_t> n_alone(problem_.columns.size(), 0);
        for (std::size_t i = 0; i < problem_.features.size(); ++i) {
            const Feature& feature = problem_.features[i];
            const bool follows = i > 0 && problem_.features[i - 1].column == feature.column;
            require(!follows || problem_.features[i - 1].is_set() == feature.is_set(),
                    "features: of one column, all in order or all sets");
            n_alone[as_index(feature.column)] += feature.kind == Feature::Kind::set;
        }
        for (const Feature& feature : problem_.features) {
            const optimal::Column& column = problem_.columns[as_index(feature.column)];
            if (!feature.is_set() || optimal::is_counted(column)) continue;
            require(feature.set.size() <= 1 && n_alone[as_index(feature.column)] == column.n_values,
                    "features: of many levels, each alone");
        }
    }

    template <typename T>
    std::span<const T> borrow(nb::handle array, const char* name) {
        return buffers_.emplace_back(array, name).elements<T>();
    }
    std::vector<Buffer> buffers_, feature_buffers_;
    Problem problem_;
};

nb::dict best_tree(const nb::list& codes, const std::vector<std::uint32_t>& n_values,
                   const nb::list& features, const nb::tuple& rows, std::uint32_t n_classes,
                   const Limits& limits) {
    require(rows.size() == 4, "rows: classes, weights, n_rows, sure_loss");
    require(limits.max_depth >= 0 && limits.max_depth <= most_depth, "max_depth: from 0 to 62");
    require(limits.leaf_price >= 0 && limits.leaf_price < most_weight,
            "leaf_price: from 0 to 2^60");
    OptimalRows given(codes, n_values, rows[0], rows[1], rows[2], rows[3], n_classes);
    given.set_features(features);
    auto solution = interruptible(
        [&](const auto& check) { return optimal::best_tree(given.problem(), limits, check); });
    std::vector<std::int32_t> feature;
    std::vector<std::uint32_t> cut;
    for (const optimal::PlannedNode& node : solution.tree) {
        feature.push_back(node.feature);
        cut.push_back(node.cut);
    }
    nb::dict out;
    out["feature"] = owned_array(std::move(feature));
    out["cut"] = owned_array(std::move(cut));
    out["cost"] = solution.cost;
    out["bound"] = solution.bound;
    out["proven"] = solution.proven;
    out["n_searched"] = solution.n_searched;
    return out;
}

}  // namespace

void bind_optimal(nb::module_& module) {
    nb::class_<Limits>(module, "OptimalLimits")
        .def(nb::init<>())
        .def_rw("max_depth", &Limits::max_depth)
        .def_rw("max_leaves", &Limits::max_leaves)
        .def_rw("leaf_price", &Limits::leaf_price)
        .def_prop_rw(
            "min_rows", [](const Limits& limits) { return limits.leaf.min_rows; },
            [](Limits& limits, std::int64_t rows) { limits.leaf.min_rows = rows; })
        .def_prop_rw(
            "min_weight", [](const Limits& limits) { return limits.leaf.min_weight; },
            [](Limits& limits, Weight weight) { limits.leaf.min_weight = weight; })
        .def_rw("seconds", &Limits::seconds)
        .def_rw("n_threads", &Limits::n_threads)
        .def_rw("start_cost", &Limits::start_cost);
    module.def("best_tree", &best_tree, "codes"_a, "n_values"_a, "features"_a, "rows"_a,
               "n_classes"_a, "limits"_a,
               "Find the tree of least cost; its nodes in preorder, its cost and a lower bound.");
}

}  // namespace treewright::bindings
