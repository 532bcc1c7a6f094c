// The analytic selector (least estimated time over all supported kernels) and
// the one call that users of kernels need: bring the problem to a form that
// kernels take, choose, prepare, remember, run.
#include "assay/kernels/Selector.h"

#include "assay/kernels/CostModel.h"
#include "assay/kernels/Family.h"

#include <map>
#include <mutex>
#include <shared_mutex>

namespace assay::kernels {

Cost estimate(const GemmProblem &problem, const GemmConfig &config,
              const Machine &machine) {
  return familyFunctions(config.family).estimate(problem, config, machine);
}

namespace {
class AnalyticSelector final : public Selector {
public:
  explicit AnalyticSelector(Registry &registry) : registry_(registry) {}
  llvm::StringRef name() const override { return "analytic"; }

  GemmConfig choose(const GemmProblem &problem) override {
    Layout layout = problem.layout().value_or(Layout::RCR);
    const GemmConfig *best = nullptr;
    double bestNs = 0;
    for (const GemmConfig &config :
         registry_.enumerate(problem.types(), layout)) {
      if (registry_.supports(problem, config))
        continue;
      double ns = estimate(problem, config, registry_.machine()).totalNs();
      if (!best || ns < bestNs) {
        best = &config;
        bestNs = ns;
      }
    }
    return best ? *best : GemmConfig();
  }

private:
  Registry &registry_;
};
} // namespace

std::unique_ptr<Selector> makeAnalyticSelector(Registry &registry) {
  return std::make_unique<AnalyticSelector>(registry);
}

} // namespace assay::kernels
