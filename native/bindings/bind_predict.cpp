#include <algorithm>
#include <memory>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/predict.hpp"

namespace treewright::bindings {

using namespace nb::literals;

namespace {

// A core predictor, the answers it points to, and what it needs to check rows.
struct BoundPredictor {
    Buffer answers;
    std::vector<bool> is_nominal;  // of each column
    bool all_numeric;
    std::unique_ptr<Predictor> predictor;
};

// Keeps the arrays of a Tree while a view of them is in use.
class TreeArrays {
public:
    explicit TreeArrays(nb::handle tree) : tree_(tree) { buffers_.reserve(32); }

    template <typename T>
    std::span<const T> operator()(const char* name) {
        return buffers_.emplace_back(tree_.attr(name), name).template elements<T>();
    }

private:
    nb::handle tree_;
    std::vector<Buffer> buffers_;
};

TreeView view_of(TreeArrays& arrays) {
    using std::int32_t, std::int64_t, std::uint8_t;
    return {.kind = arrays.operator()<uint8_t>("kind"),
            .feature = arrays.operator()<int32_t>("feature"),
            .threshold = arrays.operator()<double>("threshold"),
            .first_child = arrays.operator()<int32_t>("first_child"),
            .n_children = arrays.operator()<int32_t>("n_children"),
            .missing_child = arrays.operator()<int32_t>("missing_child"),
            .weight = arrays.operator()<double>("weight"),
            .level_start = arrays.operator()<int64_t>("level_start"),
            .level_code = arrays.operator()<int32_t>("level_code"),
            .level_child = arrays.operator()<int32_t>("level_child"),
            .cut_start = arrays.operator()<int64_t>("cut_start"),
            .cut = arrays.operator()<double>("cut"),
            .term_start = arrays.operator()<int64_t>("term_start"),
            .term_feature = arrays.operator()<int32_t>("term_feature"),
            .term_weight = arrays.operator()<double>("term_weight"),
            .surrogate_start = arrays.operator()<int64_t>("surrogate_start"),
            .surrogate_kind = arrays.operator()<uint8_t>("surrogate_kind"),
            .surrogate_feature = arrays.operator()<int32_t>("surrogate_feature"),
            .surrogate_threshold = arrays.operator()<double>("surrogate_threshold"),
            .surrogate_flip = arrays.operator()<uint8_t>("surrogate_flip"),
            .surrogate_level_start = arrays.operator()<int64_t>("surrogate_level_start"),
            .surrogate_level_code = arrays.operator()<int32_t>("surrogate_level_code"),
            .surrogate_level_child = arrays.operator()<int32_t>("surrogate_level_child")};
}

void make_predictor(BoundPredictor* self, nb::object tree, nb::object answers, nb::object n_levels,
                    bool unseen_to_majority) {
    const Buffer level_counts(n_levels, "n_levels");
    TreeArrays arrays(tree);
    TreeView view = view_of(arrays);
    view.n_levels = level_counts.elements<std::int32_t>();
    view.unseen_to_majority = unseen_to_majority;

    Buffer answer_buffer(answers, "answers");
    require(answer_buffer.n_axes() == 2 && answer_buffer.length(0) == view.n_nodes(),
            "answers: one row per node");
    std::vector<bool> is_nominal;
    for (const std::int32_t n : view.n_levels) is_nominal.push_back(n >= 0);
    const bool all_numeric = std::ranges::find(is_nominal, true) == is_nominal.end();
    auto predictor = std::make_unique<Predictor>(view, answer_buffer.elements<double>(),
                                                 answer_buffer.length(1));
    new (self) BoundPredictor{std::move(answer_buffer), std::move(is_nominal), all_numeric,
                              std::move(predictor)};
}

// Rows as Python gave them; the buffers keep the memory while it is read.
struct BorrowedRows {
    std::vector<Buffer> buffers;
    std::vector<ColumnView> columns;
    Rows rows;
};

template <typename T>
Rows rows_of(const Buffer& buffer) {
    if (buffer.stride(1) == sizeof(T)) {
        return RowMajor<T>{buffer.data(), buffer.stride(0), buffer.length(0)};
    }
    return Matrix<T>{buffer.data(), buffer.stride(0), buffer.stride(1), buffer.length(0)};
}

BorrowedRows borrow_matrix(const BoundPredictor& self, nb::handle X) {
    BorrowedRows borrowed;
    const Buffer& buffer = borrowed.buffers.emplace_back(X, "X");
    require(buffer.n_axes() == 2, "X: two axes are expected");
    require(buffer.length(1) == self.is_nominal.size(), "X: one column per column of the schema");
    require(self.all_numeric, "X: nominal columns need a list of columns");
    if (buffer.holds<float>()) {
        borrowed.rows = rows_of<float>(buffer);
    } else {
        require(buffer.holds<double>(), "X: float32 or float64 is expected");
        borrowed.rows = rows_of<double>(buffer);
    }
    return borrowed;
}

ElementType element_type(const Buffer& buffer, bool is_nominal) {
    if (is_nominal) {
        require(buffer.holds<std::int32_t>(), "X: a nominal column is expected as int32 codes");
        return ElementType::int32;
    }
    if (buffer.holds<float>()) return ElementType::float32;
    require(buffer.holds<double>(), "X: a numeric column is expected as float32 or float64");
    return ElementType::float64;
}

BorrowedRows borrow_columns(const BoundPredictor& self, nb::sequence X) {
    BorrowedRows borrowed;
    const std::size_t n_columns = nb::len(X);
    require(n_columns == self.is_nominal.size(), "X: one column per column of the schema");
    borrowed.buffers.reserve(n_columns);
    borrowed.columns.reserve(n_columns);
    for (const nb::handle column : X) {
        const std::size_t i = borrowed.columns.size();
        const Buffer& buffer = borrowed.buffers.emplace_back(column, "X");
        require(buffer.n_axes() == 1, "X: each column has one axis");
        require(buffer.length(0) == borrowed.buffers[0].length(0), "X: columns of equal length");
        borrowed.columns.push_back(
            {buffer.data(), buffer.stride(0), element_type(buffer, self.is_nominal[i])});
    }
    borrowed.rows = Columns{borrowed.columns, n_columns ? borrowed.buffers[0].length(0) : 0, 0};
    return borrowed;
}

BorrowedRows borrow(const BoundPredictor& self, nb::handle X) {
    if (PyList_Check(X.ptr()) || PyTuple_Check(X.ptr())) {
        return borrow_columns(self, nb::borrow<nb::sequence>(X));
    }
    return borrow_matrix(self, X);
}

std::size_t n_rows_of(const Rows& rows) {
    return std::visit([](const auto& source) { return source.n_rows; }, rows);
}

void fill_values(const BoundPredictor& self, nb::object X, nb::object out, int n_threads) {
    const BorrowedRows borrowed = borrow(self, X);
    const Buffer target(out, "out", true);
    const auto elements = target.writable_elements<double>();
    require(elements.size() == n_rows_of(borrowed.rows) * self.predictor->n_values(),
            "out: n_values numbers per row");
    nb::gil_scoped_release unlocked;
    self.predictor->values(borrowed.rows, n_threads, elements);
}

void fill_leaves(const BoundPredictor& self, nb::object X, nb::object out, int n_threads) {
    const BorrowedRows borrowed = borrow(self, X);
    const Buffer target(out, "out", true);
    const auto elements = target.writable_elements<std::int32_t>();
    require(elements.size() == n_rows_of(borrowed.rows), "out: one node per row");
    nb::gil_scoped_release unlocked;
    self.predictor->leaves(borrowed.rows, n_threads, elements);
}

}  // namespace

void bind_predict(nb::module_& module) {
    nb::class_<BoundPredictor>(module, "Predictor", "A tree arranged for walking many rows.")
        .def("__init__", &make_predictor, "tree"_a, "answers"_a, "n_levels"_a,
             "unseen_to_majority"_a)
        .def("values", &fill_values, "X"_a, "out"_a, "n_threads"_a,
             "Fill `out` (n_rows, n_values) with the answers of the nodes that rows end at.")
        .def("leaves", &fill_leaves, "X"_a, "out"_a, "n_threads"_a,
             "Fill `out` (n_rows,) with the nodes that rows end at.");
}

}  // namespace treewright::bindings
