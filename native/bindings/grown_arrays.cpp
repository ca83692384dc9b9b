#include "bindings/grown_arrays.hpp"

#include <vector>

#include "bindings/owned_array.hpp"

namespace treewright::bindings {
namespace {

nb::dict node_arrays(GrownTree& tree) {
    nb::dict out;
    out["kind"] = owned_array(std::move(tree.kind));
    out["feature"] = owned_array(std::move(tree.feature));
    out["threshold"] = owned_array(std::move(tree.threshold));
    out["first_child"] = owned_array(std::move(tree.first_child));
    out["n_children"] = owned_array(std::move(tree.n_children));
    out["missing_child"] = owned_array(std::move(tree.missing_child));
    out["value"] = owned_array(std::move(tree.value));
    out["weight"] = owned_array(std::move(tree.weight));
    out["n_rows"] = owned_array(std::move(tree.n_rows));
    out["impurity"] = owned_array(std::move(tree.impurity));
    out["gain"] = owned_array(std::move(tree.gain));
    out["score"] = owned_array(std::move(tree.score));
    out["stop_reason"] = owned_array(std::move(tree.stop_reason));
    out["split_order"] = owned_array(std::move(tree.split_order));
    return out;
}

void add_levels_and_cuts(nb::dict& out, GrownTree& tree) {
    if (!tree.level_code.empty()) {
        out["level_start"] = owned_array(std::move(tree.level_start));
        out["level_code"] = owned_array(std::move(tree.level_code));
        out["level_child"] = owned_array(std::move(tree.level_child));
    }
    if (!tree.cut.empty()) {
        out["cut_start"] = owned_array(std::move(tree.cut_start));
        out["cut"] = owned_array(std::move(tree.cut));
    }
}

void add_surrogates(nb::dict& out, GrownTree& tree) {
    if (tree.surrogates.empty()) return;
    std::vector<std::uint8_t> kind, flip;
    std::vector<std::int32_t> feature, level_code, level_child;
    std::vector<double> threshold, agreement;
    std::vector<std::int64_t> level_start{0};
    for (const auto& surrogate : tree.surrogates) {
        kind.push_back(static_cast<std::uint8_t>(surrogate.kind));
        flip.push_back(surrogate.flip);
        feature.push_back(surrogate.feature);
        threshold.push_back(surrogate.threshold);
        agreement.push_back(surrogate.agreement);
        level_code.insert(level_code.end(), surrogate.level_code.begin(),
                          surrogate.level_code.end());
        level_child.insert(level_child.end(), surrogate.level_child.begin(),
                           surrogate.level_child.end());
        level_start.push_back(static_cast<std::int64_t>(level_code.size()));
    }
    out["surrogate_start"] = owned_array(std::move(tree.surrogate_start));
    out["surrogate_kind"] = owned_array(std::move(kind));
    out["surrogate_feature"] = owned_array(std::move(feature));
    out["surrogate_threshold"] = owned_array(std::move(threshold));
    out["surrogate_flip"] = owned_array(std::move(flip));
    out["surrogate_agreement"] = owned_array(std::move(agreement));
    out["surrogate_level_start"] = owned_array(std::move(level_start));
    out["surrogate_level_code"] = owned_array(std::move(level_code));
    out["surrogate_level_child"] = owned_array(std::move(level_child));
}

void add_competitors(nb::dict& out, GrownTree& tree) {
    if (tree.competitors.empty()) return;
    std::vector<std::int32_t> feature;
    std::vector<double> gain, score, threshold;
    std::vector<std::uint8_t> tied;
    for (const auto& competitor : tree.competitors) {
        feature.push_back(competitor.feature);
        gain.push_back(competitor.gain);
        score.push_back(competitor.score);
        threshold.push_back(competitor.threshold);
        tied.push_back(competitor.tied);
    }
    out["competitor_start"] = owned_array(std::move(tree.competitor_start));
    out["competitor_feature"] = owned_array(std::move(feature));
    out["competitor_gain"] = owned_array(std::move(gain));
    out["competitor_score"] = owned_array(std::move(score));
    out["competitor_threshold"] = owned_array(std::move(threshold));
    out["competitor_tied"] = owned_array(std::move(tied));
}

}  // namespace

nb::dict tree_arrays(GrownTree&& tree) {
    nb::dict out = node_arrays(tree);
    add_levels_and_cuts(out, tree);
    add_surrogates(out, tree);
    add_competitors(out, tree);
    out["value"] = out["value"].attr("reshape")(-1, tree.n_values);
    return out;
}

}  // namespace treewright::bindings
