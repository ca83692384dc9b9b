// Arrow streams: every type of column, chunks, nulls, dictionaries; what is refused; releases.
#include <cmath>

#include "core/io/arrow_checks.hpp"
#include "tests/arrow_source.hpp"
#include "tests/testing.hpp"

namespace treewright::testing {
namespace {

const std::uint8_t all_but_second[] = {0b11111101};
const double doubles[] = {1, 2, 3, 4};
const char letters[] = "abbccc";
const std::int32_t offsets[] = {0, 1, 3, 6, 6};
const std::int64_t long_offsets[] = {0, 1, 3, 6, 6};

ArrowColumn one_column(const ArrowField& field, const ArrowValues& values,
                       std::int64_t length = 4) {
    ArrowSource source;
    source.add_column(field, values, length);
    ArrowTable table = read_arrow_stream(source.stream());
    expect_equal(table.n_rows, length);
    table.columns[0].owner.reset();
    expect_equal(source.n_held(), 0);
    return std::move(table.columns[0]);
}

const Test t1("numbers of one chunk without nulls are borrowed, others copied", [] {
    ArrowSource source;
    source.add_field({"x", "g"});
    source.add_chunk(4, {{{nullptr, doubles}}});
    {
        const ArrowTable table = read_arrow_stream(source.stream());
        expect(table.columns[0].borrowed == doubles && table.columns[0].doubles.empty());
        expect_equal(source.n_held(), 1);  // the chunk that is borrowed
    }
    expect_equal(source.n_held(), 0);
    const ArrowColumn copied = one_column({"x", "g"}, {{all_but_second, doubles}, 0, 1});
    expect(copied.borrowed == nullptr && std::isnan(copied.doubles[1]));
    expect_equal(copied.doubles[3], 4.0);
    const float floats[] = {1.5F, 2.5F, 3.5F, 4.5F};
    expect(one_column({"x", "f"}, {{nullptr, floats}}).borrowed == floats);
    expect(std::isnan(one_column({"x", "f"}, {{all_but_second, floats}, 0, 1}).floats[1]));
});

template <class T>
void expect_whole_numbers(const char* format) {
    const T values[] = {1, 2, 3, 100};
    const ArrowColumn column = one_column({"x", format}, {{all_but_second, values}, 0, -1});
    expect(std::isnan(column.doubles[1]));
    expect_equal(column.doubles[3], 100.0);
}

const Test t2("whole numbers of all widths become doubles", [] {
    expect_whole_numbers<std::int8_t>("c");
    expect_whole_numbers<std::uint8_t>("C");
    expect_whole_numbers<std::int16_t>("s");
    expect_whole_numbers<std::uint16_t>("S");
    expect_whole_numbers<std::int32_t>("i");
    expect_whole_numbers<std::uint32_t>("I");
    expect_whole_numbers<std::int64_t>("l");
    expect_whole_numbers<std::uint64_t>("L");
});

const Test t3("half precision: normal, tiny, infinite and no numbers", [] {
    const std::uint16_t halves[] = {0x3C00, 0xC000, 0x0001, 0x7C00};
    const ArrowColumn column = one_column({"x", "e"}, {{nullptr, halves}});
    expect_equal(column.doubles[0], 1.0);
    expect_equal(column.doubles[1], -2.0);
    expect_equal(column.doubles[2], std::ldexp(1.0, -24));
    expect(std::isinf(column.doubles[3]));
    const std::uint16_t odd[] = {0x7E00, 0x8000, 0xFC00, 0x7BFF};
    const ArrowColumn others = one_column({"x", "e"}, {{nullptr, odd}});
    expect(std::isnan(others.doubles[0]) && others.doubles[1] == 0.0);
    expect(others.doubles[2] < 0 && std::isinf(others.doubles[2]));
    expect_equal(others.doubles[3], 65504.0);
});

const Test t4("decimals of 128 bits, also negative ones", [] {
    const auto minus = static_cast<std::uint64_t>(std::int64_t{-12345});
    const std::uint64_t parts[] = {12345, 0, minus, UINT64_MAX, 5, 0, 0, 1};
    const ArrowColumn column = one_column({"x", "d:10,2"}, {{nullptr, parts}});
    expect_near(column.doubles[0], 123.45);
    expect_near(column.doubles[1], -123.45);
    expect_near(column.doubles[2], 0.05);
    expect_near(column.doubles[3], 0x1p64 / 100, 1e3);
});

const Test t5("text of either width, with nulls and an offset", [] {
    for (const bool is_long : {false, true}) {
        const void* starts = is_long ? static_cast<const void*>(long_offsets) : offsets;
        const ArrowColumn column =
            one_column({"x", is_long ? "U" : "u"}, {{all_but_second, starts, letters}, 0, 1});
        expect_equal(column.levels.size(), std::size_t{3});
        expect_text(column.levels[1], "ccc");
        expect_equal(column.codes[1], -1);
        expect_equal(column.codes[3], 2);
    }
    const ArrowColumn later = one_column({"x", "u"}, {{nullptr, offsets, letters}, 2}, 2);
    expect_text(later.levels[0], "ccc");
});

const Test t6("booleans are bits, and a column of the type null is all missing", [] {
    const std::uint8_t bits[] = {0b1001};
    const ArrowColumn column = one_column({"x", "b"}, {{all_but_second, bits}, 0, 1});
    expect(column.codes == std::vector<std::int32_t>{1, -1, 0, 1});
    expect(one_column({"x", "n"}, {{}, 0, 4}).codes == std::vector<std::int32_t>(4, -1));
});

const Test t7("dictionaries: all levels in their order, chunk after chunk", [] {
    const std::int8_t first[] = {2, 0, 2, 0};
    const std::uint32_t second[] = {0, 0};
    ArrowSource source;
    source.add_field({"x", "c", "u", true});
    source.add_chunk(4, {{{all_but_second, first}, 0, 1, {nullptr, offsets, letters}, 4}});
    const ArrowTable table = read_arrow_stream(source.stream());
    expect(table.columns[0].ordered && table.columns[0].dictionary);
    expect_equal(table.columns[0].levels.size(), std::size_t{4});
    expect(table.columns[0].codes == std::vector<std::int32_t>{2, -1, 2, 0});

    const std::int16_t years[] = {1999, 2024};
    const ArrowColumn whole =
        one_column({"x", "I", "s"}, {{nullptr, second}, 0, 0, {nullptr, years}, 2}, 2);
    expect(whole.integer_levels == std::vector<std::int64_t>{1999, 2024});
    const ArrowColumn null_entry =
        one_column({"x", "I", "s"}, {{nullptr, second}, 0, 0, {all_but_second, years}, 2, 1}, 2);
    expect(null_entry.codes == std::vector<std::int32_t>{0, 0});
});

const Test t8("chunks follow one another, with the offset of their records", [] {
    ArrowSource source;
    source.add_field({"x", "g"});
    source.add_chunk(2, {{{nullptr, doubles}}}, 1);
    source.add_chunk(0, {{{nullptr, doubles}}});
    source.add_chunk(4, {{{nullptr, doubles}}});
    const ArrowTable table = read_arrow_stream(source.stream());
    expect(table.columns[0].doubles == std::vector<double>{2, 3, 1, 2, 3, 4});
    expect_equal(source.n_held(), 0);
});

const Test t9("a stream of one column, without a name", [] {
    ArrowSource source;
    source.add_column({"", "g"}, {{nullptr, doubles}, 1}, 3);
    source.without_records();
    const ArrowTable table = read_arrow_stream(source.stream());
    expect(table.columns[0].borrowed == doubles + 1);
    expect_text(table.columns[0].name, "");
});

const Test t10("types that no tree can use are refused by the column's name", [] {
    const struct {
        const char *format, *dictionary, *message;
    } refused[] = {{"z", "", "bytes"},
                   {"Z", "", "bytes"},
                   {"vz", "", "bytes"},
                   {"w:16", "", "bytes"},
                   {"+s", "", "records"},
                   {"+l", "", "lists"},
                   {"x?", "", "values of the Arrow type `x?`"},
                   {"d:10,2,256", "", "values of the Arrow type `d:10,2,256`"},
                   {"i", "g", "a dictionary of the Arrow type `g`"},
                   {"i", "tdD", "a dictionary of the Arrow type `tdD`"}};
    for (const auto& one : refused) {
        ArrowSource source;
        source.add_column({"odd", one.format, one.dictionary}, {{nullptr, doubles}}, 1);
        const auto error = thrown_by<ArrowTypeError>([&] { read_arrow_stream(source.stream()); });
        expect_text(error.what(), std::string("column `odd` holds ") + one.message);
        expect_equal(source.n_held(), 0);
    }
});

const Test t11("errors of the producer are reported, and all is released", [] {
    for (const int step : {-1, 0, 1}) {
        for (const char* reason : {static_cast<const char*>(nullptr), "the disk is gone"}) {
            ArrowSource source;
            source.add_column({"x", "g"}, {{nullptr, doubles}}, 4);
            source.fail_at(step, reason);
            const auto error =
                thrown_by<ArrowStreamError>([&] { read_arrow_stream(source.stream()); });
            const std::string message = reason ? reason : "no reason given";
            expect(std::string(error.what()).ends_with(": " + message), error.what());
            expect_equal(source.n_held(), 0);
        }
    }
});

const Test t12("dates and times are numbers with a unit", [] {
    const std::int32_t days[] = {1, 2, 3, 4};
    const ArrowColumn column = one_column({"x", "tdD"}, {{nullptr, days}});
    expect(!column.unit.empty());
    expect_equal(column.doubles[2], 3.0);
});

std::string damage(const ArrowField& field, const ArrowValues& values, std::int64_t length = 4) {
    ArrowSource source;
    source.add_column(field, values, length);
    const auto error = thrown_by<ArrowDataError>([&] { read_arrow_stream(source.stream()); });
    expect_equal(source.n_held(), 0);
    return error.what();
}

const Test t13("arrays that break the format are refused, with column and row", [] {
    const std::int32_t back[] = {0, 1, 3, 2, 6};
    const std::int32_t far[] = {0, 1 << 30, 3, 6, 6};
    const std::int64_t negative[] = {-1, 1, 3, 6, 6};
    expect_text(damage({"x", "u"}, {{nullptr, back, letters}}),
                "column `x`, row 2: the text begins at offset 3 and ends at 2");
    expect_text(damage({"x", "u"}, {{nullptr, far, letters}}),
                "column `x`, row 1: the text begins at offset 1073741824 and ends at 3");
    expect_text(damage({"x", "U"}, {{nullptr, negative, letters}}),
                "column `x`, row 0: the text begins at offset -1 and ends at 1");
    expect_text(damage({"x", "u"}, {{nullptr, offsets, nullptr}}),
                "column `x`, row 0: there is no buffer of text");
    expect_text(damage({"x", "u"}, {{nullptr, offsets, "abb\xff\xfe."}}),
                "column `x`, row 2: byte 0xff at position 0 is not UTF-8");
    expect_text(damage({"x", "u"}, {{nullptr, offsets}}), "column `x` has 2 buffers, not 3");
    expect_text(damage({"x", "g"}, {{nullptr, nullptr}}),
                "column `x` has 4 rows and no buffer of values");
    expect_text(damage({"x", "g"}, {{nullptr, doubles}, -1}), "column `x` has an offset of -1");
    const std::int8_t codes[] = {0, 4, 0, 0};
    expect_text(
        damage({"x", "c", "u"}, {{nullptr, codes}, 0, 0, {nullptr, offsets, letters}, 4}),
        "column `x`, row 1: its dictionary has 4 categories, and the row asks for number 4");
});

const Test t14("views are read from their buffers and not beyond them", [] {
    const char text[] = "thirteen bytes";
    const std::int64_t sizes[] = {14};
    const auto read = [&](std::int32_t size, std::int32_t buffer, std::int32_t begin) {
        const std::int32_t view[4] = {size, 0, buffer, begin};
        return one_column({"x", "vu"}, {{nullptr, view, text, sizes}}, 1).levels[0];
    };
    expect_text(read(14, 0, 0), "thirteen bytes");
    expect_text(read(13, 0, 1), "hirteen bytes");
    const std::int32_t wrong[][3] = {{14, 0, 1},  {15, 0, 0},  {14, 1, 0},
                                     {14, -1, 0}, {14, 0, -1}, {-1, 0, 0}};
    for (const auto& one : wrong) {
        const std::int32_t view[4] = {one[0], 0, one[1], one[2]};
        const std::string message = damage({"x", "vu"}, {{nullptr, view, text, sizes}}, 1);
        expect(message.starts_with("column `x`, row 0: the text "), message);
    }
});

const Test t15("texts are UTF-8 as Python takes it", [] {
    for (const char* text :
         {"", "a", "\xc2\x80", "\xe2\x82\xac", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"}) {
        expect(arrow::first_invalid_byte(text) == std::string_view::npos, text);
    }
    for (const char* text :
         {"\x80", "\xc0\xaf", "\xc3", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xc3("}) {
        expect(arrow::first_invalid_byte(text) == 0);
        expect(arrow::first_invalid_byte(std::string("ok") + text) == 2);
    }
});

}  // namespace
}  // namespace treewright::testing
