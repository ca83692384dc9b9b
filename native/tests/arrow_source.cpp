#include "tests/arrow_source.hpp"

namespace treewright::testing {

void ArrowSource::add_chunk(std::int64_t length, const std::vector<ArrowValues>& values,
                            std::int64_t offset) {
    chunks_.push_back({length, offset, values});
}

void ArrowSource::add_column(const ArrowField& field, const ArrowValues& values,
                             std::int64_t length) {
    add_field(field);
    add_chunk(length, {values});
}

void ArrowSource::fail_at(int step, const char* reason) {
    failing_step_ = step;
    reason_ = reason;
}

template <class Struct>
void ArrowSource::release(Struct* released) {
    --static_cast<ArrowSource*>(released->private_data)->n_held_;
    released->release = nullptr;
}

template <class Struct>
void ArrowSource::hand_out(Struct& given) {
    given.private_data = this;
    given.release = release<Struct>;
    ++n_held_;
}

ArrowSchema& ArrowSource::schema_of(const ArrowField& field) {
    ArrowSchema& schema = schemas_.emplace_back();
    schema.format = field.format.c_str();
    schema.name = field.name.c_str();
    schema.flags = field.ordered ? ARROW_FLAG_DICTIONARY_ORDERED : 0;
    if (!field.dictionary.empty()) {
        schema.dictionary = &schemas_.emplace_back();
        schema.dictionary->format = field.dictionary.c_str();
    }
    return schema;
}

// The values outlive the array, and Arrow's own declaration of buffers is not const.
ArrowArray& ArrowSource::array_of(const ArrowValues& values, std::int64_t length) {
    ArrowArray& array = arrays_.emplace_back();
    array.length = length;
    array.null_count = values.null_count;
    array.offset = values.offset;
    array.n_buffers = static_cast<std::int64_t>(values.buffers.size());
    array.buffers = const_cast<const void**>(values.buffers.data());
    if (!values.dictionary.empty()) {
        ArrowArray& entries = arrays_.emplace_back();
        entries.length = values.n_entries;
        entries.null_count = values.n_null_entries;
        entries.n_buffers = static_cast<std::int64_t>(values.dictionary.size());
        entries.buffers = const_cast<const void**>(values.dictionary.data());
        array.dictionary = &entries;
    }
    return array;
}

int ArrowSource::give_schema(ArrowSchema* out) {
    if (failing_step_ == -1) return 5;
    if (has_records_) {
        *out = {};
        out->format = "+s";
        out->name = "";
        for (const ArrowField& field : fields_) schema_children_.push_back(&schema_of(field));
        out->n_children = static_cast<std::int64_t>(schema_children_.size());
        out->children = schema_children_.data();
    } else {
        *out = schema_of(fields_[0]);
        if (fields_[0].name.empty()) out->name = nullptr;
    }
    hand_out(*out);
    return 0;
}

int ArrowSource::give_chunk(ArrowArray* out) {
    *out = {};
    if (failing_step_ == static_cast<int>(next_)) return 5;
    if (next_ == chunks_.size()) return 0;
    const Chunk& chunk = chunks_[next_++];
    if (has_records_) {
        auto& children = array_children_.emplace_back();
        for (const ArrowValues& values : chunk.values) {
            children.push_back(&array_of(values, chunk.length + chunk.offset));
        }
        out->children = children.data();
        out->n_children = static_cast<std::int64_t>(children.size());
        out->length = chunk.length;
        out->offset = chunk.offset;
    } else {
        *out = array_of(chunk.values[0], chunk.length);
    }
    hand_out(*out);
    return 0;
}

ArrowArrayStream& ArrowSource::stream() {
    stream_.get_schema = [](ArrowArrayStream* s, ArrowSchema* out) {
        return of(s).give_schema(out);
    };
    stream_.get_next = [](ArrowArrayStream* s, ArrowArray* out) { return of(s).give_chunk(out); };
    stream_.get_last_error = [](ArrowArrayStream* s) { return of(s).reason_; };
    hand_out(stream_);
    return stream_;
}

}  // namespace treewright::testing
