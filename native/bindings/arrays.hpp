// The arrays that cross the border: what Python gives, as spans and strided views.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace treewright::bindings {

namespace nb = nanobind;

// A view, not a string: a check for each of 50,000 rows must not allocate memory each time.
inline void require(bool holds, std::string_view message) {
    if (!holds) throw nb::value_error(std::string(message).c_str());
}

// A borrowed array, by the buffer protocol: any strides, read-only arrays included.
class Buffer {
public:
    Buffer(nb::handle object, const char* name, bool writable = false) : name_(name) {
        const int flags = PyBUF_STRIDES | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
        if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) throw nb::python_error();
    }
    Buffer(Buffer&& other) noexcept : view_(other.view_), name_(other.name_) {
        other.view_.obj = nullptr;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    Buffer& operator=(Buffer&&) = delete;
    ~Buffer() {
        if (view_.obj) PyBuffer_Release(&view_);
    }

    int n_axes() const { return view_.ndim; }
    std::size_t length(int axis) const {
        require(axis < view_.ndim, std::string(name_) + ": more axes are expected");
        return static_cast<std::size_t>(view_.shape[axis]);
    }
    std::ptrdiff_t stride(int axis) const { return view_.strides[axis]; }  // in bytes
    const std::byte* data() const { return static_cast<const std::byte*>(view_.buf); }

    // Whether the elements are of type T, in this machine's byte order.
    template <typename T>
    bool holds() const {
        std::string format = view_.format ? view_.format : "B";
        if (!format.empty() && (format[0] == '=' || format[0] == '@')) format.erase(0, 1);
        if (format.size() != 1 || view_.itemsize != sizeof(T)) return false;
        const std::string accepted = std::is_floating_point_v<T> ? "fd"
                                     : std::is_signed_v<T>       ? "bhilq"
                                                                 : "?BHILQ";
        return accepted.find(format[0]) != std::string::npos;
    }

    // The elements of a C-contiguous array of any number of axes.
    template <typename T>
    std::span<const T> elements() const {
        return {static_cast<const T*>(contiguous<T>()), n_elements()};
    }
    template <typename T>
    std::span<T> writable_elements() const {
        return {static_cast<T*>(contiguous<T>()), n_elements()};
    }

private:
    template <typename T>
    void* contiguous() const {
        require(holds<T>(), std::string(name_) + ": elements of another type are expected");
        require(PyBuffer_IsContiguous(&view_, 'C') != 0,
                std::string(name_) + ": must be C-contiguous");
        return view_.buf;
    }
    std::size_t n_elements() const { return static_cast<std::size_t>(view_.len / view_.itemsize); }

    Py_buffer view_{};
    const char* name_;
};

// Weights that may be None: then the span is empty.
struct BorrowedWeights {
    std::vector<Buffer> buffers;
    std::span<const double> values;

    BorrowedWeights(nb::handle weight, std::size_t n_rows) {
        if (weight.is_none()) return;
        buffers.emplace_back(weight, "weight");
        values = buffers.back().elements<double>();
        require(values.size() == n_rows, "weight: one value per row");
    }
};

}  // namespace treewright::bindings
