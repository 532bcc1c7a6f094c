// The analytic selector (least estimated time over all supported kernels), and
// the one call that users of kernels need: it brings the problem to a form that
// kernels support, chooses, prepares, caches and runs.
#include "assay/kernels/Selector.h"

#include "assay/kernels/CostModel.h"
#include "assay/kernels/Family.h"
#include "assay/kernels/TileSpeeds.h"

#include "llvm/Support/FileSystem.h"

#include <utility>

namespace assay::kernels {

Cost estimate(const GemmProblem &problem, const GemmConfig &config,
              const Machine &machine) {
  return familyFunctions(config.family).estimate(problem, config, machine);
}

std::string stampOf(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status) || !llvm::sys::fs::exists(status))
    return "-";
  return std::to_string(
             status.getLastModificationTime().time_since_epoch().count()) +
         "+" + std::to_string(status.getSize());
}

std::string analyticFingerprint(const Machine &machine) {
  std::string speeds = speedsInUse(machine);
  return "caches " + std::to_string(machine.caches.l1) + " " +
         std::to_string(machine.caches.l2) + " " +
         std::to_string(machine.caches.l3) + " speeds " + speeds + " " +
         stampOf(speeds);
}

namespace {
class AnalyticSelector final : public Selector {
public:
  explicit AnalyticSelector(Registry &registry) : registry_(registry) {}
  llvm::StringRef name() const override { return "analytic"; }
  std::string fingerprint() const override {
    return analyticFingerprint(registry_.machine());
  }

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

NormalGemm normalForm(const GemmProblem &problem) {
  NormalGemm normal{problem, false};
  if (problem.cStrides.column == 1 || problem.cStrides.row != 1 ||
      problem.n <= 1 || problem.scale != Scale::None)
    return normal;
  auto turned = [](Strides s) { return Strides{s.column, s.row, s.batch}; };
  GemmProblem &p = normal.problem;
  std::swap(p.m, p.n);
  std::swap(p.a, p.b);
  p.aStrides = turned(problem.bStrides);
  p.bStrides = turned(problem.aStrides);
  p.cStrides = turned(problem.cStrides);
  if (p.bias != Bias::None)
    p.bias = p.bias == Bias::PerColumn ? Bias::PerRow : Bias::PerColumn;
  normal.turned = true;
  return normal;
}

llvm::Error gemm(const GemmProblem &problem, const GemmPointers &pointers,
                 Registry &registry, Selector &selector, ThreadPool &pool) {
  NormalGemm normal = normalForm(problem);
  GemmPointers addresses = pointers;
  if (normal.turned)
    std::swap(addresses.a, addresses.b);
  auto gemm = registry.dispatch(normal.problem, selector);
  if (!gemm)
    return gemm.takeError();
  (*gemm)->run(addresses, pool);
  return llvm::Error::success();
}

} // namespace assay::kernels
