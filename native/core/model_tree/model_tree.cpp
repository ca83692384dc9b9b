#include "core/model_tree/model_tree.hpp"

#include <algorithm>
#include <cmath>

#include "core/model_tree/growth.hpp"
#include "core/model_tree/linear_model.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::model_tree {

namespace {

constexpr std::uint8_t by_pruning = 13;  // place in STOP_REASONS
constexpr std::size_t most_terms = 128;  // that one model chooses from: those that split best
constexpr double no_error_share = 1e-5;  // share of all deviation that counts as none

// A term of the splits below a node, and what these splits gain.
struct UsedTerm {
    Term term;
    double gain = 0.0;
};

using UsedTerms = std::vector<UsedTerm>;  // in order of terms

UsedTerms merged(const UsedTerms& one, const UsedTerms& other) {
    UsedTerms all;
    auto a = one.begin(), b = other.begin();
    while (a != one.end() || b != other.end()) {
        if (b == other.end() || (a != one.end() && a->term < b->term)) {
            all.push_back(*a++);
        } else if (a == one.end() || b->term < a->term) {
            all.push_back(*b++);
        } else {
            all.push_back({a->term, a->gain + b->gain});
            ++a, ++b;
        }
    }
    return all;
}

std::vector<Term> best_terms(UsedTerms used) {
    if (used.size() > most_terms) {
        std::ranges::stable_sort(used, std::ranges::greater{}, &UsedTerm::gain);
        used.resize(most_terms);
        std::ranges::sort(used, {}, &UsedTerm::term);
    }
    std::vector<Term> terms;
    for (const UsedTerm& one : used) terms.push_back(one.term);
    return terms;
}

Term term_of(const GrownNode& node, const TrainingRows& rows) {
    const bool is_ranked = rows.columns[static_cast<std::size_t>(node.feature)].is_ranked;
    return {node.feature, is_ranked ? static_cast<std::int32_t>(std::ceil(node.cut)) : 0};
}

// For each node the terms that its model may use: those of the splits in and below it.
std::vector<std::vector<Term>> terms_of_nodes(const Growth& growth, const TrainingRows& rows) {
    const std::size_t n = growth.nodes.size();
    std::vector<UsedTerms> used(n);
    std::vector<std::vector<Term>> terms(n);
    for (std::size_t i = n; i-- > 0;) {
        const GrownNode& node = growth.nodes[i];
        if (node.is_leaf()) continue;
        const UsedTerms own{{term_of(node, rows), node.weight * node.gain}};
        used[i] = merged(own, merged(used[node.first_child], used[node.first_child + 1]));
        terms[i] = best_terms(used[i]);
        used[node.first_child] = {};
        used[node.first_child + 1] = {};
    }
    return terms;
}

std::vector<LinearModel> models_of_nodes(const Growth& growth, const TrainingRows& rows,
                                         const ModelTreeSettings& settings, int n_threads,
                                         const std::function<void()>& check) {
    std::vector<LinearModel> models(growth.nodes.size());
    const bool are_means = settings.terms == TermRule::none;
    const auto terms = are_means ? std::vector<std::vector<Term>>(growth.nodes.size())
                                 : terms_of_nodes(growth, rows);
    const auto fit = [&](std::size_t i, int) {
        check();
        const GrownNode& node = growth.nodes[i];
        if (terms[i].empty()) {
            models[i].intercept = node.mean;
            models[i].squares = node.squares;
            return;
        }
        const std::span members(growth.rows.data() + node.begin, node.end - node.begin);
        models[i] = fit_linear_model(rows, members, terms[i], settings, check);
    };
    run_tasks(growth.nodes.size(), n_threads, fit, check);
    return models;
}

// What is left of the subtree at each node.
struct Subtrees {
    std::vector<double> squares;
    std::vector<std::int64_t> n_parameters;
    std::vector<std::uint8_t> is_cut;  // the node's own model takes the place of what is below
};

Subtrees pruned(const Growth& growth, const std::vector<LinearModel>& models,
                const ModelTreeSettings& settings) {
    const std::size_t n = growth.nodes.size();
    Subtrees left{std::vector<double>(n), std::vector<std::int64_t>(n),
                  std::vector<std::uint8_t>(n)};
    std::vector<double> squares(n);
    std::vector<std::int64_t> n_parameters(n);
    const GrownNode& root = growth.nodes[0];
    const double no_error = no_error_share * std::sqrt(root.squares / root.weight);
    const auto expected = [&](double sum, std::int64_t parameters, double weight) {
        return std::sqrt(sum / weight) *
               error_factor(weight, static_cast<double>(parameters), settings.penalty);
    };
    for (std::size_t i = n; i-- > 0;) {
        const GrownNode& node = growth.nodes[i];
        squares[i] = left.squares[i] = models[i].squares;
        n_parameters[i] = left.n_parameters[i] = models[i].n_parameters();
        if (node.is_leaf()) continue;
        const std::size_t a = node.first_child, b = a + 1;
        left.squares[i] = squares[a] + squares[b];
        left.n_parameters[i] = n_parameters[a] + n_parameters[b] + 1;
        const double own = expected(models[i].squares, models[i].n_parameters(), node.weight);
        const double below = expected(left.squares[i], left.n_parameters[i], node.weight);
        left.is_cut[i] = settings.prune && (own <= below || own < no_error);
        if (left.is_cut[i]) continue;
        squares[i] = left.squares[i];
        n_parameters[i] = left.n_parameters[i];
    }
    return left;
}

// The nodes that are left, each with the number it had.
std::vector<std::size_t> kept_nodes(const Growth& growth, const Subtrees& left) {
    std::vector<std::uint8_t> is_gone(growth.nodes.size(), 0);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < growth.nodes.size(); ++i) {
        const GrownNode& node = growth.nodes[i];
        if (!is_gone[i]) kept.push_back(i);
        if (node.is_leaf()) continue;
        is_gone[node.first_child] = is_gone[node.first_child + 1] = is_gone[i] || left.is_cut[i];
    }
    return kept;
}

ModelTree assembled(const Growth& growth, const std::vector<LinearModel>& models,
                    const Subtrees& left) {
    ModelTree tree;
    tree.term_start.push_back(0);
    std::int32_t next_child = 1;
    for (const std::size_t i : kept_nodes(growth, left)) {
        const GrownNode& node = growth.nodes[i];
        const LinearModel& model = models[i];
        const bool is_leaf = node.is_leaf() || left.is_cut[i];
        tree.feature.push_back(is_leaf ? -1 : node.feature);
        tree.cut.push_back(is_leaf ? 0.0 : node.cut);
        tree.first_child.push_back(is_leaf ? 0 : next_child);
        if (!is_leaf) next_child += 2;
        tree.n_rows.push_back(node.end - node.begin);
        tree.weight.push_back(node.weight);
        tree.mean.push_back(node.mean);
        tree.deviation.push_back(std::sqrt(node.squares / node.weight));
        tree.gain.push_back(is_leaf ? 0.0 : node.gain);
        tree.stop_reason.push_back(left.is_cut[i] ? by_pruning : node.stop_reason);
        tree.intercept.push_back(model.intercept);
        for (std::size_t t = 0; t < model.terms.size(); ++t) {
            tree.term_column.push_back(model.terms[t].column);
            tree.term_cut.push_back(model.terms[t].cut);
            tree.coefficient.push_back(model.coefficients[t]);
        }
        tree.term_start.push_back(static_cast<std::int64_t>(tree.coefficient.size()));
        tree.model_error.push_back(std::sqrt(model.squares / node.weight));
        tree.subtree_error.push_back(std::sqrt(left.squares[i] / node.weight));
        tree.subtree_parameters.push_back(left.n_parameters[i]);
    }
    return tree;
}

}  // namespace

ModelTree grow_model_tree(const TrainingRows& rows, const ModelTreeSettings& settings,
                          int n_threads, const std::function<void()>& check) {
    const Growth growth = grow(rows, settings, n_threads, check);
    const auto models = models_of_nodes(growth, rows, settings, n_threads, check);
    return assembled(growth, models, pruned(growth, models, settings));
}

}  // namespace treewright::model_tree
