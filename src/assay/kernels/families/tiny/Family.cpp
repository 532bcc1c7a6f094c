// The tiny family: the register tile directly on A and a row-major B, without
// packing, buffers, or threads within a product (the entries of a batch are
// divided among threads). For products of a few thousand multiply-adds, the
// calls and copies of the blocked loops would cost more than the arithmetic.
#include "assay/kernels/Family.h"
#include "assay/kernels/CostConstants.h"
#include "assay/kernels/TileSpeeds.h"
#include "assay/kernels/families/tile/TileGemm.h"
#include "assay/kernels/outer/Output.h"

#include <algorithm>
#include <cmath>

namespace assay::kernels {

namespace {
class TinyGemm final : public PreparedGemm {
public:
  TinyGemm(const GemmProblem &problem, const GemmConfig &config)
      : problem_(problem), config_(config) {}
  llvm::Error compile(const Machine &machine, Jit &jit);
  void run(const GemmPointers &pointers, ThreadPool &pool) const override;

private:
  void compute(const char *a, const char *b, const SumTarget &target) const;
  GemmProblem problem_;
  GemmConfig config_;
  DataType accumulator_ = DataType::F32;
  MicroFunction functions_[2][2] = {}; // by ragged rows, ragged columns
};
} // namespace

llvm::Error TinyGemm::compile(const Machine &machine, Jit &jit) {
  accumulator_ = problem_.acc;
  int rest = static_cast<int>(problem_.m % config_.mr);
  for (int ragged = 0; ragged < 2; ++ragged)
    for (int masked = 0; masked < 2; ++masked) {
      int rows = ragged ? rest : config_.mr;
      if (rows == 0 || rows > problem_.m ||
          (masked ? problem_.n % config_.nr == 0 : problem_.n < config_.nr))
        continue;
      MicroKey key = tileKey(problem_, config_, machine.isa, rows);
      key.bMasked = masked;
      auto function = jit.get(key);
      if (!function)
        return function.takeError();
      functions_[ragged][masked] = *function;
    }
  return llvm::Error::success();
}

void TinyGemm::compute(const char *a, const char *b,
                       const SumTarget &target) const {
  int64_t size = sizeOf(accumulator_);
  MicroArguments arguments;
  arguments.k = problem_.k;
  arguments.aStride =
      (problem_.aStrides.column == 1 ? problem_.aStrides.row
                                     : problem_.aStrides.column) *
      size;
  arguments.bStride = problem_.bStrides.row * size;
  arguments.cRow = target.row;
  setScalars(arguments, accumulator_, target.alpha, target.beta);
  for (int64_t row = 0; row < problem_.m; row += config_.mr)
    for (int64_t column = 0; column < problem_.n; column += config_.nr) {
      arguments.a = a + row * problem_.aStrides.row * size;
      arguments.b = b + column * size;
      arguments.c = target.data + row * target.row + column * size;
      arguments.n = std::min<int64_t>(config_.nr, problem_.n - column);
      functions_[row + config_.mr > problem_.m]
                [column + config_.nr > problem_.n](&arguments);
    }
}

void TinyGemm::run(const GemmPointers &pointers, ThreadPool &pool) const {
  auto compute = [&](const GemmProblem &problem, const GemmPointers &at) {
    forEachEntry(problem, at, 1, pool,
                 [&](int64_t batch, const SumTarget &target) {
                   this->compute(entryA(problem, at, batch),
                                 entryB(problem, at, batch), target);
                 });
  };
  if (problem_.batch == 1)
    return compute(problem_, pointers);
  auto entries = [&](int64_t first, int64_t last) {
    GemmProblem some = problem_;
    some.batch = last - first;
    some.threads = 1;
    GemmPointers here = pointers;
    here.a = entryA(problem_, pointers, first);
    here.b = entryB(problem_, pointers, first);
    here.c = entryC(problem_, pointers, first);
    compute(some, here);
  };
  double work =
      double(problem_.m) * double(problem_.n) * double(problem_.k + 8);
  if (problem_.threads > 1)
    pool.parallelFor(
        problem_.batch,
        std::max<int64_t>(1, static_cast<int64_t>(100000 / (work + 1))),
        entries);
  else
    entries(0, problem_.batch);
}

static constexpr double kMostWork = 256.0 * 256 * 256, kMostElements = 65536;

static void enumerate(TypePair types, Layout layout, const Machine &machine,
                      std::vector<GemmConfig> &configs) {
  if (!bIsRowMajor(layout) ||
      (types.a != DataType::F32 && types.a != DataType::F64))
    return;
  int lanes = machine.isa.lanes(types.a);
  struct Shape {
    int rows, vectors;
  };
  static constexpr Shape kShapes[] = {
      {1, 1}, {2, 1}, {4, 1}, {8, 1}, {12, 1}, {1, 2},  {2, 2}, {4, 2},
      {6, 2}, {1, 4}, {2, 4}, {4, 3}, {12, 2}, {14, 2}, {6, 4}, {8, 3}};
  for (Shape shape : kShapes) {
    if (shape.rows * shape.vectors + shape.vectors + 1 >
        machine.isa.vectorRegisters)
      continue;
    GemmConfig config;
    config.family = Family::Tiny;
    config.mr = shape.rows;
    config.nr = shape.vectors * lanes;
    config.kr = 4;
    config.packA = config.packB = Packing::None;
    configs.push_back(config);
  }
}

static std::optional<Refusal> supports(const GemmProblem &problem,
                                       const GemmConfig &config,
                                       const Machine &machine) {
  auto refuse = [](std::string text) {
    return Refusal{ErrorCode::Unsupported, std::move(text)};
  };
  if (problem.a != DataType::F32 && problem.a != DataType::F64)
    return refuse("tiny kernels exist for f32 and f64");
  if (double(problem.m) * double(problem.n) * double(problem.k) > kMostWork ||
      double(problem.k) * double(std::max(problem.m, problem.n)) >
          kMostElements)
    return refuse("the product is too large for a kernel without cache blocks");
  int lanes = machine.isa.lanes(problem.acc);
  if (config.mr < 1 || config.nr < lanes || config.nr % lanes != 0 ||
      config.kr < 1 || config.kr > 64 ||
      config.mr * (config.nr / lanes) > 2 * machine.isa.vectorRegisters)
    return refuse(
        "the tile does not consist of whole vectors that fit the registers");
  if (problem.bStrides.column != 1 && problem.n > 1)
    return refuse("tiny kernels need a row-major B");
  if (problem.aStrides.column != 1 && problem.aStrides.row != 1)
    return refuse("tiny kernels need a unit stride in A");
  if (config.splitK != 1 || config.gridM != 0 || config.gridN != 0 ||
      config.packA == Packing::Pack || config.packB == Packing::Pack)
    return refuse("tiny kernels neither pack nor split");
  return std::nullopt;
}

static llvm::Expected<std::shared_ptr<const PreparedGemm>>
prepare(const GemmProblem &problem, const GemmConfig &config,
        const Machine &machine, Jit &jit) {
  auto gemm = std::make_shared<TinyGemm>(problem, config);
  if (llvm::Error error = gemm->compile(machine, jit))
    return error;
  return gemm;
}

static Cost estimateTiny(const GemmProblem &problem, const GemmConfig &config,
                         const Machine &machine) {
  double lanes = machine.isa.lanes(problem.acc), vectors = config.nr / lanes;
  double rowTiles = std::ceil(double(problem.m) / config.mr),
         columnTiles = std::ceil(double(problem.n) / config.nr);
  double rows = double(problem.m) / rowTiles; // exact edges
  double cycles = std::max({rows * vectors * 0.5, (rows + vectors) * 0.5,
                            rows * vectors < 8 ? cost::kProductLatency : 0.0});
  double threads =
      problem.threads > 1 && problem.batch > 1 ? problem.threads : 1;
  double spread =
      double(problem.k) * double(problem.n) * double(sizeOf(problem.b)) > 32768
          ? 1.4
          : 1.0;
  Cost cost;
  // Data beyond the first level are written at the second level's rate.
  if (problem.bytes() > double(machine.caches.l1))
    cost.memoryNs = (problem.bytes() / operandBytesPerNs(problem, machine) +
                     aliasedWritesNs(problem, config, machine)) /
                    threads;
  cost.computeNs = double(problem.batch) * rowTiles * columnTiles *
                   (cycles * double(problem.k) * spread + 6 + rows * vectors) /
                   clockGhz(machine) / threads;
  cost.epilogueNs = problem.hasEpilogue()
                        ? double(problem.m * problem.n * problem.batch) * 2 *
                              cost::kEpilogueNs / threads
                        : 0;
  cost.launchNs = 20 + (threads > 1 ? cost::kRowsLaunchNs : 0);
  return cost;
}

const FamilyFunctions kTinyFamily = {enumerate, supports, prepare,
                                     estimateTiny};

} // namespace assay::kernels
