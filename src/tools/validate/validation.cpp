#include "tools/validate/validation.h"

#include "engine/error.h"
#include "tools/validate/predict.h"
#include "tools/validate/runs.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace orrery {

namespace {

namespace fs = std::filesystem;

class Validation {
  public:
    Validation(const ValidationPlan& plan, const std::string& folder, const ValidationReporter& report)
        : plan_(plan), folder_(folder), report_(report), results_(plan.applications.size()),
          traces_(plan.applications.size()) {
        prepare();
    }

    std::vector<ValidationResult> take() {
        for (std::uint32_t i = 0; i < plan_.warm_ups; ++i) {
            each([&](std::size_t app) {
                const std::string name = fmt::format("warm-up-{}", i + 1);
                say(app, fmt::format("warm-up {} of {}", i + 1, plan_.warm_ups));
                (void)runs_[app].time(name);
            });
        }
        // Traced runs in even distances among the others: 1 of 7 runs stands after the third.
        std::uint32_t traced = 0;
        for (std::uint32_t i = 0; i <= plan_.runs; ++i) {
            while (traced < plan_.traces && (traced + 1) * plan_.runs < (i + 1) * (plan_.traces + 1))
                trace(traced++);
            if (i == plan_.runs) break;
            each([&](std::size_t app) {
                say(app, fmt::format("run {} of {}", i + 1, plan_.runs));
                results_[app].runs.push_back(runs_[app].time(fmt::format("run-{}", i + 1)));
            });
        }
        each([&](std::size_t app) {
            say(app, "predicting");
            finish(app);
        });
        return std::move(results_);
    }

  private:
    void prepare() {
        (void)Simulation(plan_.simulation, true); // what is wrong with it should be said before long work
        std::set<std::string> folders;
        for (const ValidationApplication& each : plan_.applications) {
            if (each.command.empty()) throw UsageError(fmt::format("{}: there is no command", each.name));
            if (!folders.insert(folder_of(each)).second)
                throw UsageError(fmt::format("two applications are called '{}'", title_of(each)));
            if (!each.trace.empty()) (void)RecordedTrace::open(each.trace);
            runs_.emplace_back(plan_, each, (fs::path(folder_) / folder_of(each)).string());
            total_ += plan_.warm_ups + plan_.runs + (each.trace.empty() ? plan_.traces : 0) + 1;
        }
    }

    template <typename Do> void each(Do&& act) {
        for (std::size_t app = 0; app < plan_.applications.size(); ++app) {
            act(app);
            ++done_;
        }
    }

    void trace(std::uint32_t number) {
        for (std::size_t app = 0; app < plan_.applications.size(); ++app) {
            if (!plan_.applications[app].trace.empty()) continue;
            say(app, fmt::format("traced run {} of {}", number + 1, plan_.traces));
            traces_[app].push_back(runs_[app].trace(fmt::format("trace-{}", number + 1)));
            ++done_;
        }
    }

    void finish(std::size_t app) {
        const ValidationApplication& application = plan_.applications[app];
        ValidationResult& result = results_[app];
        result.application = application;
        result.clean = clean_runs(result.runs);
        const std::vector<std::string> given{application.trace};
        const std::vector<std::string>& traces = application.trace.empty() ? traces_[app] : given;
        std::vector<ValidationResult> each(traces.size(), result);
        for (std::size_t i = 0; i < traces.size(); ++i) predict_one(traces[i], each[i]);
        result = each[chosen_trace(traces)];
        average_predictions(each, result);
    }

    void predict_one(const std::string& trace, ValidationResult& result) const {
        try {
            predict(plan_.simulation, trace, result);
        } catch (const SimulationError& error) {
            throw SimulationError(
                fmt::format("{}: replaying {}: {}", title_of(result.application), trace, error.what()));
        }
    }

    void say(std::size_t app, const std::string& what) const {
        if (report_) report_({done_, total_, fmt::format("{}: {}", title_of(plan_.applications[app]), what)});
    }

    const ValidationPlan& plan_;
    const std::string& folder_;
    const ValidationReporter& report_;
    std::vector<ValidationRuns> runs_;
    std::vector<ValidationResult> results_;
    std::vector<std::vector<std::string>> traces_; // per application
    std::size_t done_ = 0;
    std::size_t total_ = 0;
};

} // namespace

std::string title_of(const ValidationApplication& application) {
    return fmt::format("{}, {} rank{}", application.name, application.ranks, application.ranks == 1 ? "" : "s");
}

std::string folder_of(const ValidationApplication& application) {
    std::string out = application.name;
    std::replace_if(
        out.begin(), out.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; },
        '_');
    return fmt::format("{}-{}", out, application.ranks);
}

std::vector<ValidationResult> validate(const ValidationPlan& plan, const std::string& folder,
                                       const ValidationReporter& report) {
    return Validation(plan, folder, report).take();
}

} // namespace orrery
