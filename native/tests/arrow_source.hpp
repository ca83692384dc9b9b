// A producer of Arrow streams, as small as tests need it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/io/arrow_stream.hpp"

namespace treewright::testing {

struct ArrowField {
    std::string name, format;
    std::string dictionary = {};  // the format of its entries; empty: no dictionary
    bool ordered = false;
};

// The buffers of one column in one chunk; the first is that of validity bits, or null.
struct ArrowValues {
    std::vector<const void*> buffers;
    std::int64_t offset = 0;
    std::int64_t null_count = 0;
    std::vector<const void*> dictionary = {};
    std::int64_t n_entries = 0;
    std::int64_t n_null_entries = 0;
};

// Fields and values must be complete before the stream is requested, and this must outlive what is
// borrowed from it.
class ArrowSource {
public:
    ArrowSource() = default;
    ArrowSource(const ArrowSource&) = delete;
    ArrowSource& operator=(const ArrowSource&) = delete;

    void add_field(const ArrowField& field) { fields_.push_back(field); }
    void add_chunk(std::int64_t length, const std::vector<ArrowValues>& values,
                   std::int64_t offset = 0);
    void add_column(const ArrowField& field, const ArrowValues& values, std::int64_t length);

    // From now on the stream is a single column, not records.
    void without_records() { has_records_ = false; }
    // Asking for the schema (-1) or for a chunk of this number ends in an error.
    void fail_at(int step, const char* reason);

    ArrowArrayStream& stream();

    // Structs that were handed out and not released.
    int n_held() const { return n_held_; }

private:
    struct Chunk {
        std::int64_t length, offset;
        std::vector<ArrowValues> values;
    };

    static ArrowSource& of(ArrowArrayStream* stream) {
        return *static_cast<ArrowSource*>(stream->private_data);
    }
    template <class Struct>
    static void release(Struct* released);
    template <class Struct>
    void hand_out(Struct& given);
    ArrowSchema& schema_of(const ArrowField& field);
    ArrowArray& array_of(const ArrowValues& values, std::int64_t length);
    int give_schema(ArrowSchema* out);
    int give_chunk(ArrowArray* out);

    std::vector<ArrowField> fields_;
    std::vector<Chunk> chunks_;
    bool has_records_ = true;
    int failing_step_ = -2;
    const char* reason_ = nullptr;
    std::size_t next_ = 0;
    int n_held_ = 0;
    ArrowArrayStream stream_{};
    std::deque<ArrowSchema> schemas_;
    std::deque<ArrowArray> arrays_;
    std::vector<ArrowSchema*> schema_children_;
    std::deque<std::vector<ArrowArray*>> array_children_;
};

}  // namespace treewright::testing
