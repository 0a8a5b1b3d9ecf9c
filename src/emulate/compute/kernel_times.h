// Times of the routines of a numerical library as functions of M, N and K: the models of
// calibration/kernel_model.h, made ready for being asked millions of times a second.
#pragma once

#include "emulate/kernels/kernel_model.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::emulate {

class KernelTime {
  public:
    // Throws InputError about a size other than M, N and K, with the line.
    KernelTime(const KernelModel& model, const std::string& file);
    // Nothing if no piece holds; never negative.
    [[nodiscard]] std::optional<double> seconds(double m, double n, double k) const;
    [[nodiscard]] const std::string& routine() const { return routine_; }

  private:
    struct Comparison {
        std::uint8_t size; // 0 M, 1 N, 2 K
        Condition::Order order;
        double bound;
    };
    struct Product {
        double coefficient; // seconds, with the factor of the term
        std::array<std::uint8_t, 3> powers;
    };
    struct Piece {
        std::vector<Comparison> when;
        std::vector<Product> sum;
    };
    std::string routine_;
    std::vector<Piece> pieces_;
};

// By name: "dgemm"; "dtrsm_left", for which "dtrsm" serves if there is no other. A routine that is not there
// takes no time.
class KernelTimes {
  public:
    KernelTimes() = default;
    KernelTimes(const std::map<std::string, KernelModel>& models, const std::string& file);
    [[nodiscard]] const KernelTime* find(std::string_view routine) const;
    [[nodiscard]] bool empty() const { return all_.empty(); }
    [[nodiscard]] std::vector<std::string> routines() const;

  private:
    std::map<std::string, KernelTime, std::less<>> all_;
};

// From a file with [[kernel.ROUTINE]] tables (docs/calibration.md), which may also be a machine file; or from
// the built-in machine of that name. Throws InputError.
KernelTimes read_kernel_times(const std::string& name);

} // namespace orrery::emulate
