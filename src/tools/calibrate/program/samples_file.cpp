#include "tools/calibrate/program/samples_file.h"

#include <array>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <string_view>
#include <unistd.h>

namespace orrery::calibrate {

namespace {

std::string cpu_model() {
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line)) {
        if (!line.starts_with("model name")) continue;
        const std::size_t colon = line.find(':');
        if (colon != std::string::npos && colon + 2 < line.size()) return line.substr(colon + 2);
    }
    return "unknown";
}

// The first line of what the library says of itself: some go on for a page.
std::string mpi_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> words{};
    int length = 0;
    MPI_Get_library_version(words.data(), &length);
    std::string text(words.data());
    text = text.substr(0, text.find('\n'));
    if (text.starts_with("Open MPI")) text = text.substr(0, text.find(','));
    for (char& c : text) {
        if (c == '\t') c = ' ';
    }
    return text;
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> words{};
    std::strftime(words.data(), words.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return words.data();
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + '"';
}

} // namespace

Facts gather_facts(Pair& pair, const Plan& plan) {
    Facts facts;
    constexpr int length = 256;
    std::array<char, length> own{};
    gethostname(own.data(), length - 1);
    std::array<char, std::size_t{2} * length> both{};
    MPI_Allgather(own.data(), length, MPI_CHAR, both.data(), length, MPI_CHAR, MPI_COMM_WORLD);
    facts.hosts[0] = both.data();
    facts.hosts[1] = both.data() + length;
    facts.cpu = cpu_model();
    facts.mpi = mpi_version();
    facts.started = utc_now();
    facts.cores = sysconf(_SC_NPROCESSORS_ONLN);
    facts.clock_ns = pair.clock_ns;
    facts.burst = pair.burst;
    facts.most_bytes = plan.most_bytes;
    facts.seed = plan.seed;
    return facts;
}

SamplesFile::SamplesFile(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "w")) {}

SamplesFile::~SamplesFile() {
    if (file_ != nullptr) std::fclose(file_);
}

void SamplesFile::header(const Facts& facts) {
    if (file_ == nullptr) return;
    std::fprintf(
        file_,
        "{\"format\":\"orrery measurements 1\",\"hosts\":[%s,%s],\"cores\":%ld,\"cpu\":%s,\"mpi\":%s,"
        "\"started\":%s,\"clock_ns\":%.1f,\"burst\":%d,\"rounds\":%llu,\"most_bytes\":%d,\"seed\":%llu,"
        "\"eager_limit\":%lld}\n",
        quoted(facts.hosts[0]).c_str(), quoted(facts.hosts[1]).c_str(), facts.cores, quoted(facts.cpu).c_str(),
        quoted(facts.mpi).c_str(), quoted(facts.started).c_str(), facts.clock_ns, facts.burst,
        static_cast<unsigned long long>(facts.rounds), facts.most_bytes,
        static_cast<unsigned long long>(facts.seed), static_cast<long long>(facts.eager_limit));
}

void SamplesFile::series(const char* kind, int bytes, double delay, const std::vector<double>& samples) {
    if (file_ == nullptr) return;
    std::fprintf(file_, "{\"kind\":\"%s\",\"bytes\":%d,\"delay_ns\":%.1f,\"ns\":[", kind, bytes, delay);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        std::fprintf(file_, "%s%.10g", i == 0 ? "" : ",", samples[i]);
    }
    std::fprintf(file_, "]}\n");
    samples_ += samples.size();
}

void SamplesFile::local(const char* kind, const std::vector<LocalSample>& samples) {
    std::map<int, std::vector<double>> by_size;
    for (const LocalSample& sample : samples) by_size[sample.bytes].push_back(sample.ns);
    for (const auto& [bytes, times] : by_size) series(kind, bytes, 0, times);
}

bool SamplesFile::close() {
    if (file_ != nullptr) {
        std::fprintf(file_, "{\"end\":true,\"samples\":%llu}\n", static_cast<unsigned long long>(samples_));
        const bool good = std::ferror(file_) == 0;
        const bool closed = std::fclose(file_) == 0;
        file_ = nullptr;
        if (good && closed) return true;
    }
    std::fprintf(stderr, "%s: cannot be written: %s\n", path_.c_str(), std::strerror(errno));
    return false;
}

} // namespace orrery::calibrate
