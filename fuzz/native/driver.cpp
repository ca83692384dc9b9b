// A plain driver for compilers without libFuzzer: replays files, then changes them by chance.
//
//   csv_target [-max_total_time=SECONDS] [-runs=N] [-timeout=SECONDS] [-artifact_prefix=FOLDER/]
//              FILE_OR_FOLDER ...
//
// The input that ends the program, or takes longer than the timeout, is written to the folder first.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include <sanitizer/common_interface_defs.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// So that std::abort ends as other errors do, and the input is kept. Leaks are left to libFuzzer
// and to the tests of the core: the search at the end stops all threads, and may wait for ever.
extern "C" const char* __asan_default_options() { return "handle_abort=1:detect_leaks=0"; }

namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::size_t most_bytes = 4096;

Bytes current;
std::string artifact_prefix = "./";
unsigned timeout = 0;  // seconds for one input; 0: any number

void keep_current() {
    const std::string name = artifact_prefix + "crash-" +
                             std::to_string(std::hash<std::string_view>{}(
                                 {reinterpret_cast<const char*>(current.data()), current.size()}));
    std::ofstream(name, std::ios::binary)
        .write(reinterpret_cast<const char*>(current.data()),
               static_cast<std::streamsize>(current.size()));
    std::fprintf(stderr, "the input is kept as %s\n", name.c_str());
}

void give_up(int) {
    std::fprintf(stderr, "ERROR: an input takes longer than %u s\n", timeout);
    keep_current();
    _exit(70);
}

void run(Bytes input) {
    current = std::move(input);
    alarm(timeout);
    LLVMFuzzerTestOneInput(current.data(), current.size());
    alarm(0);
}

Bytes content_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Bytes> read_inputs(const std::vector<std::filesystem::path>& places) {
    std::vector<Bytes> inputs;
    for (const auto& place : places) {
        if (!std::filesystem::is_directory(place)) {
            inputs.push_back(content_of(place));
            continue;
        }
        for (const auto& entry : std::filesystem::recursive_directory_iterator(place)) {
            if (entry.is_regular_file()) inputs.push_back(content_of(entry.path()));
        }
    }
    return inputs;
}

Bytes changed(Bytes input, std::mt19937_64& random) {
    for (std::size_t n = 1 + random() % 8; n > 0; --n) {
        const std::size_t at = input.empty() ? 0 : random() % input.size();
        const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
        const auto byte = static_cast<std::uint8_t>(random());
        switch (input.empty() ? 0 : random() % 4) {
            case 0: input.insert(place, 1 + random() % 16, byte); break;
            case 1: input.erase(place); break;
            case 2: *place = byte; break;
            default: *place ^= static_cast<std::uint8_t>(1u << byte % 8);
        }
    }
    if (random() % 4 == 0) {
        const std::size_t n = random() % 400;
        for (std::size_t i = 0; i < n; ++i) input.push_back(static_cast<std::uint8_t>(random()));
    }
    if (input.size() > most_bytes) input.resize(most_bytes);
    return input;
}

}  // namespace

int main(int n_words, char** words) {
    using Clock = std::chrono::steady_clock;
    double seconds = 0;
    unsigned long long most_runs = 0, n_runs = 0;
    std::vector<std::filesystem::path> places;
    for (int at = 1; at < n_words; ++at) {
        const std::string word = words[at];
        const std::string value = word.substr(word.find('=') + 1);
        if (word.starts_with("-max_total_time=")) seconds = std::stod(value);
        else if (word.starts_with("-runs=")) most_runs = std::stoull(value);
        else if (word.starts_with("-timeout=")) timeout = static_cast<unsigned>(std::stoul(value));
        else if (word.starts_with("-artifact_prefix=")) artifact_prefix = value;
        else if (!word.starts_with("-")) places.emplace_back(word);
    }
    __sanitizer_set_death_callback(keep_current);
    std::signal(SIGALRM, give_up);
    std::vector<Bytes> inputs = read_inputs(places);
    for (const Bytes& input : inputs) run(input);
    inputs.push_back({});
    std::mt19937_64 random(std::random_device{}());
    const auto begin = Clock::now();
    const auto elapsed = [&] {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    while (n_runs < most_runs || elapsed() < seconds) {
        run(changed(inputs[random() % inputs.size()], random));
        ++n_runs;
    }
    std::printf("Done %llu runs in %.0f second(s)\n", n_runs + inputs.size(), elapsed());
}
