// What is no tree or more than one: clusters, neighbors, linear models, searches; and tables read.
#include <cmath>
#include <utility>

#include "core/arithmetic/elementwise.hpp"
#include "core/clustering/lloyd.hpp"
#include "core/clustering/prototypes.hpp"
#include "core/io/csv_reader.hpp"
#include "core/linear/epoch.hpp"
#include "core/linear/equations.hpp"
#include "core/linear/passes.hpp"
#include "core/model_tree/model_tree.hpp"
#include "core/neighbors/distance_sums.hpp"
#include "core/neighbors/neighbor_search.hpp"
#include "core/neighbors/votes.hpp"
#include "core/oblique/search.hpp"
#include "core/optimal/search.hpp"
#include "core/rules/row_sets.hpp"
#include "tests/arrow_source.hpp"
#include "tests/kernels.hpp"
#include "tests/made_table.hpp"

namespace treewright::testing {
namespace {

using Check = std::function<void()>;

const MadeTable& table() {
    static const MadeTable made(120);
    return made;
}

const MadeTable& whole_table() {
    static const MadeTable made(120, false);
    return made;
}

// Rows of the table as numbers side by side, the first `n_columns` of them.
std::vector<double> side_by_side(const MadeTable& made, std::size_t n_columns) {
    const Columns rows{made.given, made.n_rows(), 0};
    std::vector<double> out;
    for (std::size_t row = 0; row < made.n_rows(); ++row) {
        for (std::size_t c = 0; c < n_columns; ++c) {
            const bool is_level = made.n_levels[c] >= 0;
            const double code = is_level ? rows.code(row, c) : 0;
            out.push_back(!is_level ? rows.number(row, c) : code < 0 ? std::nan("") : code);
        }
    }
    return out;
}

const std::vector<double>& numbers() {
    static const std::vector<double> made = side_by_side(whole_table(), 2);
    return made;
}

const std::vector<double>& mixed() {
    static const std::vector<double> made = side_by_side(table(), 4);
    return made;
}

std::uint64_t lloyd(int n_threads, const Check& check) {
    const std::size_t n_rows = numbers().size() / 2;
    const RowMajor<double> rows{reinterpret_cast<const std::byte*>(numbers().data()),
                                2 * sizeof(double), n_rows};
    clustering::Lloyd lloyd(rows, 2, {}, n_threads);
    std::vector<double> centers(numbers().begin(), numbers().begin() + 8);
    Digest digest;
    for (int i = 0; i < 4; ++i) {
        const auto round = lloyd.assign(centers, check);
        for (std::size_t at = 0; at < centers.size(); ++at) {
            if (round.weight[at / 2] > 0) centers[at] = round.sums[at] / round.weight[at / 2];
        }
    }
    std::vector<double> all(n_rows * 4);
    lloyd.all_squares(centers, all, check);
    digest.add(centers);
    digest.add(lloyd.labels());
    digest.add(all);
    digest.add(lloyd.squares(centers, check));
    return digest.value();
}

std::uint64_t prototypes(int n_threads, const Check& check) {
    const Columns rows{std::span(table().given).first(3), table().n_rows(), 0};
    clustering::Prototypes all(rows, {{false, 0, 0.1}, {false, 0, 0.5}, {true, 6, 1.0}}, {},
                               n_threads);
    std::vector<double> found{0, 1, 2, 3, 4, 5, -3, 2, 1};
    for (int i = 0; i < 3; ++i) {
        all.assign(found, check);
        found = all.middles(all.labels(), found, check).prototypes;
    }
    Digest digest;
    digest.add(found);
    digest.add(all.squares(found, check));
    return digest.value();
}

const std::vector<std::uint8_t>& is_level() {
    static const std::vector<std::uint8_t> made{0, 0, 1, 1};
    return made;
}

std::uint64_t neighbors_of(neighbors::Measure measure, int n_threads, const Check& check) {
    const neighbors::MixedRows rows{table().n_rows(), mixed(), is_level()};
    const neighbors::NeighborSearch search(rows, measure, check);
    std::vector<std::int64_t> nearest(rows.n_rows);
    search.visit_nearest(
        {}, {.weight = 3, .all_ties = true}, n_threads,
        [&](std::size_t query, std::span<const neighbors::Neighbor> found) {
            nearest[query] = found.front().row;
        },
        check);
    std::vector<double> votes(rows.n_rows * MadeTable::n_classes), means(rows.n_rows);
    const neighbors::Voting voting{{.weight = 4}, true};
    class_votes(search, rows, voting, table().classes, MadeTable::n_classes, n_threads, votes,
                check);
    mean_targets(search, rows, voting, table().y, n_threads, means, check);
    Digest digest;
    digest.add(nearest);
    digest.add(votes);
    digest.add(means);
    return digest.value();
}

std::uint64_t sums_of_distances(int n_threads, const Check& check) {
    std::vector<double> sums(table().n_rows() * MadeTable::n_classes);
    neighbors::distance_sums({table().n_rows(), mixed(), is_level()}, {}, table().classes,
                             MadeTable::n_classes, n_threads, sums, check);
    Digest digest;
    digest.add(sums);
    return digest.value();
}

std::uint64_t linear_passes(int n_threads, const Check& check) {
    static const std::vector<double> values = side_by_side(whole_table(), 4);  // stride 4
    const std::size_t n_rows = whole_table().n_rows();
    const std::vector<double> shares(n_rows, 1.0 / static_cast<double>(n_rows));
    const std::vector<double> target(whole_table().classes.begin(), whole_table().classes.end());
    const linear::LinearRows rows{values, whole_table().two, shares, 4, 4, 1, 2};
    std::vector<double> coefficients(3 * 6), gradient(3 * 6), velocity(3 * 6), products(36);
    std::vector<double> scores(n_rows * 3);
    std::vector<std::int64_t> order(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) order[i] = static_cast<std::int64_t>(n_rows - 1 - i);
    const linear::Pass pass{n_threads, check};
    descend_epoch(rows, linear::LinearLoss::multinomial, target, order, {8, 0.01, 0.5, 1e-3, 1e-3},
                  coefficients, velocity, check);
    cost_and_gradient(rows, linear::LinearLoss::multinomial, target, coefficients, pass, gradient);
    fill_scores(rows, coefficients, 3, pass, scores);
    fill_products(rows, {}, pass, products);
    Digest digest;
    digest.add(coefficients);
    digest.add(gradient);
    digest.add(scores);
    digest.add(products);
    return digest.value();
}

// The numbers of the table, through every function and back through sums and equations.
std::uint64_t portable_arithmetic(int, const Check& check) {
    const std::vector<double>& given = whole_table().fine;
    Digest digest;
    std::vector<double> out(given.size());
    for (const auto function : {Elementwise::exp, Elementwise::exp2, Elementwise::log,
                                Elementwise::log1p, Elementwise::log2}) {
        for (std::size_t at = 0; at < given.size(); ++at) out[at] = std::abs(given[at]) + 0.125;
        fill_elementwise(function, out, out);
        digest.add(out);
    }
    constexpr std::size_t n = 10;
    std::vector<double> matrix(n * n), sums(n);
    for (std::size_t one = 0; one < n; ++one) {
        for (std::size_t other = 0; other < n; ++other) {
            const auto from = std::span<const double>(given);
            matrix[one * n + other] = linear::dot(from.subspan(one, 100), from.subspan(other, 100));
        }
    }
    linear::fill_row_products(matrix, std::span<const double>(given).first(n), sums);
    digest.add(sums);
    linear::fill_weighted_sum(std::span<const double>(given).first(n), matrix, sums);
    linear::factor_in_place(matrix, n, 1e-12, check);
    linear::solve_in_place(matrix, sums);
    digest.add(matrix);
    digest.add(sums);
    return digest.value();
}

std::uint64_t model_trees(int n_threads, const Check& check) {
    model_tree::TrainingRows rows;
    rows.columns = {{whole_table().fine}, {whole_table().coarse}};
    rows.target = whole_table().y;
    const auto tree = grow_model_tree(rows, {}, n_threads, check);
    Digest digest;
    digest.add(tree.feature);
    digest.add(tree.cut);
    digest.add(tree.coefficient);
    return digest.value();
}

std::uint64_t oblique_search(int n_threads, const Check& check) {
    std::vector<double> given = table().fine;
    given.insert(given.end(), table().coarse.begin(), table().coarse.end());
    given.insert(given.end(), table().y.begin(), table().y.end());
    const std::vector<double> weight(table().n_rows(), 1.0);
    const oblique::NodeColumns columns(given, weight);
    oblique::NodeTarget target;
    target.n_classes = MadeTable::n_classes;
    target.classes.assign(table().classes.begin(), table().classes.end());
    target.weight = target.score_weight = weight;
    Digest digest;
    for (const auto& sum : search_sums(columns, target, {}, n_threads, check)) {
        digest.add(sum.columns);
        digest.add(sum.weights);
    }
    return digest.value();
}

std::uint64_t optimal_tree(int n_threads, const Check& check) {
    std::vector<std::uint32_t> coarse, ordered, levels, classes;
    for (std::size_t row = 0; row < whole_table().n_rows(); ++row) {
        coarse.push_back(static_cast<std::uint32_t>(whole_table().coarse[row]));
        ordered.push_back(static_cast<std::uint32_t>(whole_table().ordered[row]));
        levels.push_back(static_cast<std::uint32_t>(whole_table().levels[row]));
        classes.push_back(static_cast<std::uint32_t>(whole_table().classes[row]));
    }
    const std::vector<optimal::Weight> weights(classes.size(), 1), loss(classes.size(), 0);
    const std::vector<std::uint32_t> n_rows(classes.size(), 1), set{1, 4};
    optimal::Problem problem;
    problem.columns = {{coarse, 5}, {ordered, 4}, {levels, 6}};
    problem.features = {{0, optimal::Feature::Kind::missing_last, {}},
                        {1, optimal::Feature::Kind::missing_last, {}},
                        {2, optimal::Feature::Kind::set, set}};
    problem.classes = classes;
    problem.weights = weights;
    problem.n_rows = n_rows;
    problem.sure_loss = loss;
    problem.n_classes = MadeTable::n_classes;
    optimal::Limits limits;
    limits.n_threads = n_threads;
    const auto solution = best_tree(problem, limits, check);
    const std::vector<std::int64_t> costs{solution.cost, solution.bound, solution.proven};
    Digest digest;
    digest.add(costs);
    return digest.value();
}

std::uint64_t delimited_text(int, const Check& check) {
    const std::string text =
        "name,\"a longer name, quoted\",x\r\nanna,1,2.5\n\"ber\"\"t\",?,3\ncarla,07,1e3\n\n";
    CsvOptions options;
    options.missing = {"?"};
    options.names = read_csv_header(text, ',');
    options.types.assign(3, CsvType::automatic);
    Digest digest;
    for (const auto& column : read_csv(text, options, check)) {
        digest.add(column.codes);
        digest.add(column.numbers);
    }
    return digest.value();
}

std::uint64_t arrow_table(int, const Check& check) {
    ArrowSource source;
    source.add_column({"n", "g"}, {{nullptr, table().y.data()}}, 20);
    ArrowTable read = read_arrow_stream(source.stream(), check);
    Digest digest;
    digest.add(std::span(static_cast<const double*>(read.columns[0].borrowed), 20));
    return digest.value();
}

std::uint64_t weights_of_row_sets(int, const Check& check) {
    constexpr std::size_t n_words = 40, n_sets = 3;
    std::vector<rules::Word> words(n_words * n_sets);
    rules::Word bits = 1;
    for (auto& word : words) word = bits *= 6'364'136'223'846'793'005ULL;
    const rules::RowSets sets{words, n_words};
    const std::vector<rules::Word> everything(n_words, ~rules::Word{0});
    std::vector<double> weights(n_words * rules::rows_of_word);
    for (std::size_t row = 0; row < weights.size(); ++row) {
        weights[row] = 0.5 + 1.0 / static_cast<double>(row + 3);
    }
    std::vector<double> shared(n_sets * n_sets), without(2 * (n_sets + 1));
    rules::fill_shared_weights(sets, sets, weights, check, shared);
    rules::fill_weights_without_each(sets, everything, {words.data(), n_words}, weights, without);
    Digest digest;
    digest.add(shared);
    digest.add(without);
    return digest.value();
}

}  // namespace

std::vector<Kernel> other_kernels() {
    using neighbors::Missing;
    return {
        {"k-means", lloyd},
        {"k-prototypes", prototypes},
        {"neighbors, missing values as one",
         [](int n, const Check& check) { return neighbors_of({true, Missing::as_one}, n, check); }},
        {"neighbors, missing values left out",
         [](int n, const Check& check) {
             return neighbors_of({false, Missing::left_out}, n, check);
         }},
        {"sums of distances", sums_of_distances},
        {"linear models", linear_passes},
        {"exp, log and equations", portable_arithmetic},
        {"model trees", model_trees},
        {"oblique search", oblique_search},
        {"optimal trees", optimal_tree},
        {"weights of sets of rows", weights_of_row_sets},
        {"delimited text", delimited_text},
        {"an Arrow stream", arrow_table}};
}

const std::vector<Kernel>& every_kernel() {
    static const std::vector<Kernel> all = [] {
        std::vector<Kernel> kernels = tree_kernels();
        for (auto& kernel : ensemble_kernels()) kernels.push_back(std::move(kernel));
        for (auto& kernel : other_kernels()) kernels.push_back(std::move(kernel));
        return kernels;
    }();
    return all;
}

}  // namespace treewright::testing
