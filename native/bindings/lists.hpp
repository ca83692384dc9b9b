// Python's lists and texts as vectors and strings. nanobind's own conversions end the process where
// memory runs out; with these a MemoryError is raised.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace nanobind::detail {

// What it means that Python could not convert a value, unless it has run out of memory.
inline bool is_of_another_type() {
    const bool has_no_memory = PyErr_ExceptionMatches(PyExc_MemoryError) != 0;
    PyErr_Clear();
    if (has_no_memory) throw std::bad_alloc();
    return false;
}

template <>
struct type_caster<std::string> {
    NB_TYPE_CASTER(std::string, const_name("str"))

    bool from_python(handle given, std::uint32_t, cleanup_list*) {
        if (!PyUnicode_Check(given.ptr())) return false;
        Py_ssize_t size = 0;
        const char* letters = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
        if (letters == nullptr) return is_of_another_type();
        value.assign(letters, static_cast<std::size_t>(size));
        return true;
    }

    static handle from_cpp(const std::string& text, rv_policy, cleanup_list*) noexcept {
        return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
    }
};

template <class Entry>
struct type_caster<std::vector<Entry>> {
    NB_TYPE_CASTER(std::vector<Entry>, io_name("collections.abc.Sequence", "list") +
                                           const_name("[") + make_caster<Entry>::Name +
                                           const_name("]"))

    bool from_python(handle given, std::uint32_t flags, cleanup_list* cleanup) {
        if (!PySequence_Check(given.ptr()) || PyUnicode_Check(given.ptr())) return false;
        const auto items = steal<list>(PySequence_List(given.ptr()));
        if (!items.is_valid()) return is_of_another_type();
        value.clear();
        value.reserve(items.size());
        make_caster<Entry> entry;
        for (const handle item : items) {
            if (!entry.from_python(item, flags_for_local_caster<Entry>(flags), cleanup) ||
                !entry.template can_cast<Entry>()) {
                return false;
            }
            value.push_back(entry.operator cast_t<Entry>());
        }
        return true;
    }

    template <class Vector>
    static handle from_cpp(Vector&& values, rv_policy policy, cleanup_list* cleanup) noexcept {
        handle items = PyList_New(static_cast<Py_ssize_t>(values.size()));
        if (!items.is_valid()) return {};
        Py_ssize_t at = 0;
        for (auto&& one : values) {
            const handle item =
                make_caster<Entry>::from_cpp(forward_like_<Vector>(one), policy, cleanup);
            if (!item.is_valid()) {
                items.dec_ref();
                return {};
            }
            PyList_SetItem(items.ptr(), at++, item.ptr());
        }
        return items;
    }
};

}  // namespace nanobind::detail
