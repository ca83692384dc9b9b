#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "core/rules/row_sets.hpp"

namespace treewright::bindings {

using namespace nb::literals;
using rules::RowSets;
using rules::Word;

namespace {

RowSets row_sets(const Buffer& sets) {
    require(sets.n_axes() == 2, "sets of rows: (n, n_words) is expected");
    return {sets.elements<Word>(), sets.length(1)};
}

std::span<const Word> one_set(const Buffer& set, std::size_t n_words) {
    const auto words = set.elements<Word>();
    require(words.size() == n_words, "a set of rows: of another number of rows");
    return words;
}

void bound_shared_weights(nb::object sets, nb::object within, nb::object weights, nb::object out) {
    const Buffer held_sets(sets, "sets"), held_within(within, "within"), held_out(out, "out", true);
    const RowSets of = row_sets(held_sets), in = row_sets(held_within);
    require(of.n_words == in.n_words, "within: sets of another number of rows");
    const BorrowedWeights row_weights(weights, of.n_words * rules::rows_of_word);
    const std::span<double> sums = held_out.writable_elements<double>();
    require(sums.size() == of.size() * in.size(), "out: one place for each two sets");
    interruptible([&](const std::function<void()>& check) {
        rules::fill_shared_weights(of, in, row_weights.values, check, sums);
    });
}

void bound_weights_without_each(nb::object parts, nb::object everything, nb::object wrong,
                                nb::object weights, nb::object out) {
    const Buffer held_parts(parts, "parts"), held_everything(everything, "everything");
    const Buffer held_wrong(wrong, "wrong"), held_out(out, "out", true);
    const RowSets of = row_sets(held_parts);
    const auto all = one_set(held_everything, of.n_words), other = one_set(held_wrong, of.n_words);
    const BorrowedWeights row_weights(weights, of.n_words * rules::rows_of_word);
    const std::span<double> sums = held_out.writable_elements<double>();
    require(sums.size() == 2 * (of.size() + 1), "out: two places for each part, and for the whole");
    cancel_if_unwanted();
    const Unlocked unlocked;
    rules::fill_weights_without_each(of, all, other, row_weights.values, sums);
}

}  // namespace

void bind_row_sets(nb::module_& module) {
    module.def("shared_weights", &bound_shared_weights, "sets"_a, "within"_a,
               "weights"_a.none(), "out"_a,
               "Fill `out` (n_within, n_sets) with the weight of the rows that two sets share.");
    module.def("weights_without_each", &bound_weights_without_each, "parts"_a, "everything"_a,
               "wrong"_a, "weights"_a.none(), "out"_a,
               "Fill `out` (2, n_parts + 1): the weight in all parts but one and in all, and the "
               "weight in `wrong` of it.");
}

}  // namespace treewright::bindings
