// An Arrow stream made of fuzzed bytes: its buffers are exactly as long as the specification asks,
// so that a read beyond them is seen.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/io/arrow_abi.hpp"
#include "fuzzed_input.hpp"

namespace treewright::fuzzing {

using Bytes = std::vector<std::uint8_t>;

struct ProducedArray {
    ArrowArray array{};
    std::vector<Bytes> buffers;
    std::vector<const void*> pointers;
    std::vector<std::unique_ptr<ProducedArray>> children;
    std::vector<ArrowArray*> child_pointers;
    std::unique_ptr<ProducedArray> dictionary;
};

inline std::size_t width_of(const std::string& format) {
    switch (format[0]) {
        case 'c': case 'C': return 1;
        case 's': case 'S': case 'e': return 2;
        case 'i': case 'I': case 'f': return 4;
        case 'd': return 16;
        case 't': return format == "tdD" || format == "tts" ? 4 : 8;
        default: return 8;
    }
}

class ArrowProducer {
public:
    explicit ArrowProducer(FuzzedInput& input) : input_(input) {
        n_chunks_ = input.from_to(0, 3);
        is_record_ = input.coin();
        const std::size_t n_columns = is_record_ ? input.from_to(0, 4) : 1;
        for (std::size_t at = 0; at < n_columns; ++at) add_column();
    }

    ArrowArrayStream stream() {
        ArrowArrayStream out{};
        out.private_data = this;
        out.get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
            static_cast<ArrowProducer*>(self->private_data)->fill_schema(*schema);
            return 0;
        };
        out.get_next = [](ArrowArrayStream* self, ArrowArray* array) {
            return static_cast<ArrowProducer*>(self->private_data)->fill_next(*array);
        };
        out.get_last_error = [](ArrowArrayStream*) -> const char* { return "no more"; };
        out.release = [](ArrowArrayStream* self) { self->release = nullptr; };
        return out;
    }

private:
    struct Column {
        std::string format, name, value_format;
        ArrowSchema schema{}, values{};
    };

    void add_column() {
        static const std::vector<std::string> formats = {
            "g", "f", "e", "c", "C", "s", "S", "i", "I", "l", "L", "b", "n", "u", "U", "vu",
            "tdD", "tts", "tsn:", "tDm", "d:10,2", "z", "+l", "?"};
        auto column = std::make_unique<Column>();
        column->format = formats[input_.from_to(0, formats.size() - 1)];
        column->name = "column";
        if (input_.coin() && std::strchr("cCsSiIlL", column->format[0])) {
            column->value_format = input_.coin() ? "u" : "l";
        }
        columns_.push_back(std::move(column));
    }

    static void no_release(ArrowSchema* schema) { schema->release = nullptr; }

    void fill_schema(ArrowSchema& out) {
        for (auto& column : columns_) {
            column->values = {column->value_format.c_str(), "", nullptr, 0, 0, nullptr, nullptr,
                              no_release, nullptr};
            column->schema = {column->format.c_str(), column->name.c_str(), nullptr, 0, 0, nullptr,
                              column->value_format.empty() ? nullptr : &column->values, no_release,
                              nullptr};
            schema_pointers_.push_back(&column->schema);
        }
        if (is_record_) {
            out = {"+s", "", nullptr, 0, static_cast<std::int64_t>(columns_.size()),
                   schema_pointers_.data(), nullptr, no_release, nullptr};
        } else {
            out = columns_[0]->schema;
        }
    }

    int fill_next(ArrowArray& out) {
        out = {};
        if (n_chunks_ == 0) return input_.coin() ? 5 : 0;  // an error now and then
        --n_chunks_;
        const std::size_t length = input_.from_to(0, 20), offset = input_.from_to(0, 9);
        auto produced = std::make_unique<ProducedArray>();
        if (is_record_) {
            for (const auto& column : columns_) {
                const std::size_t own_offset = input_.from_to(0, 3);
                produced->children.push_back(values_of(*column, offset + length, own_offset));
                produced->child_pointers.push_back(&produced->children.back()->array);
            }
            finish(*produced, length, offset);
        } else {
            produced = values_of(*columns_[0], length, offset);
        }
        out = produced->array;
        out.private_data = produced.release();
        out.release = [](ArrowArray* array) {
            delete static_cast<ProducedArray*>(array->private_data);
            array->release = nullptr;
        };
        return 0;
    }

    Bytes bytes(std::size_t n) {
        Bytes out(n);
        for (auto& byte : out) byte = input_.take<std::uint8_t>();
        return out;
    }

    std::unique_ptr<ProducedArray> values_of(const Column& column, std::size_t length,
                                             std::size_t offset) {
        auto out = std::make_unique<ProducedArray>();
        const std::size_t n = length + offset;
        out->buffers.push_back(input_.coin() ? bytes((n + 7) / 8) : Bytes{});
        if (!column.value_format.empty()) {
            add_dictionary(*out, column, n);
        } else {
            add_plain(*out, column.format, n);
        }
        finish(*out, length, offset);
        return out;
    }

    void add_plain(ProducedArray& out, const std::string& format, std::size_t n) {
        if (format == "u" || format == "U" || format == "vu") return add_texts(out, format, n);
        if (format == "n") return out.buffers.clear();
        out.buffers.push_back(bytes(format == "b" ? (n + 7) / 8 : n * width_of(format)));
    }

    void add_texts(ProducedArray& out, const std::string& format, std::size_t n) {
        Bytes places, text;
        const auto put = [&](auto number) {
            const auto* first = reinterpret_cast<const std::uint8_t*>(&number);
            places.insert(places.end(), first, first + sizeof number);
        };
        if (format == "u") put(std::int32_t{0});
        if (format == "U") put(std::int64_t{0});
        for (std::size_t at = 0; at < n; ++at) {
            const std::size_t size = input_.from_to(0, format == "vu" ? 20 : 3);
            const std::size_t begin = text.size();
            for (std::size_t i = 0; i < size; ++i) {
                text.push_back(static_cast<std::uint8_t>('a' + input_.take<std::uint8_t>() % 3));
            }
            if (format == "u") put(static_cast<std::int32_t>(text.size()));
            if (format == "U") put(static_cast<std::int64_t>(text.size()));
            if (format == "vu") put_view(places, text, begin);
        }
        if (format != "vu" && n > 0) damage_offsets(places, n);
        Bytes sizes;  // the buffer behind those of text
        const auto size = static_cast<std::int64_t>(text.size());
        sizes.resize(sizeof size);
        std::memcpy(sizes.data(), &size, sizeof size);
        out.buffers.push_back(std::move(places));
        out.buffers.push_back(std::move(text));
        if (format == "vu") out.buffers.push_back(std::move(sizes));
    }

    // Any offset but the last, which says how large the buffer is.
    void damage_offsets(Bytes& places, std::size_t n) {
        if (input_.take<std::uint8_t>() >= 4) return;
        const std::size_t width = places.size() / (n + 1);
        const std::size_t at = input_.from_to(0, n - 1);
        for (std::size_t i = 0; i < width; ++i) {
            places[at * width + i] = input_.take<std::uint8_t>();
        }
    }

    static void put_view(Bytes& places, const Bytes& text, std::size_t begin) {
        std::uint8_t view[16] = {};
        const auto size = static_cast<std::int32_t>(text.size() - begin);
        std::memcpy(view, &size, 4);
        if (size > 0) std::memcpy(view + 4, text.data() + begin, std::min(size, 12));
        if (size > 12) {
            const std::int32_t place[2] = {0, static_cast<std::int32_t>(begin)};
            std::memcpy(view + 8, place, sizeof place);
        }
        places.insert(places.end(), view, view + 16);
    }

    void add_dictionary(ProducedArray& out, const Column& column, std::size_t n) {
        const std::size_t n_entries = input_.from_to(0, 5), width = width_of(column.format);
        Column values;
        values.format = column.value_format;
        out.dictionary = values_of(values, n_entries, input_.from_to(0, 2));
        const bool strange = input_.take<std::uint8_t>() < 8;
        Bytes indices(n * width, 0);
        for (std::size_t row = 0; row < n; ++row) {
            const auto drawn = input_.take<std::uint8_t>();
            const std::size_t index = n_entries > 0 && !strange ? drawn % n_entries : drawn;
            indices[row * width] = static_cast<std::uint8_t>(index);
        }
        out.buffers.push_back(std::move(indices));
    }

    static void finish(ProducedArray& out, std::size_t length, std::size_t offset) {
        for (const Bytes& buffer : out.buffers) {
            out.pointers.push_back(buffer.empty() ? nullptr : buffer.data());
        }
        if (out.pointers.empty()) out.pointers.push_back(nullptr);
        out.array.length = static_cast<std::int64_t>(length);
        out.array.offset = static_cast<std::int64_t>(offset);
        out.array.null_count = -1;
        out.array.n_buffers = static_cast<std::int64_t>(out.buffers.size());
        out.array.buffers = out.pointers.data();
        out.array.n_children = static_cast<std::int64_t>(out.children.size());
        out.array.children = out.child_pointers.data();
        out.array.dictionary = out.dictionary ? &out.dictionary->array : nullptr;
    }

    FuzzedInput& input_;
    std::vector<std::unique_ptr<Column>> columns_;
    std::vector<ArrowSchema*> schema_pointers_;
    std::size_t n_chunks_ = 0;
    bool is_record_ = false;
};

}  // namespace treewright::fuzzing
