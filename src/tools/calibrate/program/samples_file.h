// The file of raw measurements: JSON, one object per line.
#pragma once

#include "tools/calibrate/program/experiments.h"
#include "tools/calibrate/program/local_costs.h"
#include "tools/calibrate/program/plan.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace orrery::calibrate {

// Where and how it was measured.
struct Facts {
    std::string hosts[2];
    std::string cpu;
    std::string mpi;
    std::string started; // UTC, ISO 8601
    long cores = 1;      // of rank 0's host
    double clock_ns = 0;
    int burst = 0;
    std::uint64_t rounds = 0; // over all experiments and sizes
    int most_bytes = 0;
    std::uint64_t seed = 0;
    std::int64_t eager_limit = 0;
};
Facts gather_facts(Pair& pair, const Plan& plan); // collective

class SamplesFile {
  public:
    explicit SamplesFile(const std::string& path);
    SamplesFile(const SamplesFile&) = delete;
    SamplesFile& operator=(const SamplesFile&) = delete;
    ~SamplesFile();

    void header(const Facts& facts);
    void series(const char* kind, int bytes, double delay, const std::vector<double>& samples);
    void local(const char* kind, const std::vector<LocalSample>& samples);
    bool close(); // writes the last line; false (and words on stderr) if anything went wrong

  private:
    std::string path_;
    std::FILE* file_;
    std::uint64_t samples_ = 0;
};

} // namespace orrery::calibrate
