// The dot family: C in blocks of rows x columns dot products, with vectors
// along k. B is read once from memory and nothing is packed, which suits a
// product with few rows when B is column-major; with one column it is a matrix
// times a vector. A column-major A is first copied to rows (it is small where
// this family makes sense).
#include "assay/kernels/Family.h"
#include "assay/kernels/CostConstants.h"
#include "assay/kernels/TileSpeeds.h"
#include "assay/kernels/families/tile/TileGemm.h"
#include "assay/kernels/jit/Jit.h"
#include "assay/kernels/outer/Output.h"
#include "assay/kernels/outer/Packing.h"
#include "assay/kernels/outer/Scratch.h"
#include "assay/kernels/outer/Tasks.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace assay::kernels {

namespace {
struct Shape {
  int rows, columns;
};

class DotGemm final : public PreparedGemm {
public:
  DotGemm(const GemmProblem &problem, const GemmConfig &config)
      : problem_(problem), config_(config) {}
  llvm::Error compile(const Machine &machine, Jit &jit);
  void run(const GemmPointers &pointers, ThreadPool &pool) const override;

private:
  /// A rectangle of C: the part that one thread computes.
  struct Range {
    int64_t row0, row1, column0, column1;
  };
  bool copiesA() const {
    return problem_.aStrides.column != 1 && problem_.k > 1;
  }
  void share();
  void runRange(const char *a, int64_t aRow, const char *b,
                const SumTarget &target, const Range &range) const;

  GemmProblem problem_;
  GemmConfig config_;
  DataType accumulator_ = DataType::F32;
  // By whether the rows and the columns are ragged.
  MicroFunction functions_[2][2] = {};
  std::vector<Range> ranges_;
  MicroArguments base_; // values that all calls share
  bool direct_ = false; // one range of one entry, whose sums are made in C
};
} // namespace

// rows * columns sums, `rows` registers of A, one of B.
static constexpr Shape kShapes32[] = {
    {1, 1}, {1, 2}, {1, 4}, {1, 8}, {2, 2}, {2, 4}, {2, 8}, {3, 4},
    {3, 8}, {4, 2}, {4, 4}, {4, 6}, {6, 4}, {8, 1}, {4, 1}, {8, 2}};
static constexpr Shape kShapes16[] = {{1, 1}, {1, 2}, {1, 4}, {1, 8}, {2, 2},
                                      {2, 4}, {3, 2}, {3, 3}, {4, 2}, {4, 1},
                                      {8, 1}, {2, 3}, {2, 5}, {6, 1}};

static llvm::ArrayRef<Shape> shapesFor(const Isa &isa) {
  return isa.vectorRegisters >= 32 ? llvm::ArrayRef<Shape>(kShapes32)
                                   : llvm::ArrayRef<Shape>(kShapes16);
}

static int span(TypePair types, const Isa &isa) {
  MicroMath math = mathFor(types, isa);
  return isa.lanes(accumulatorOf(math)) * groupOf(math);
}

static void enumerate(TypePair types, Layout layout, const Machine &machine,
                      std::vector<GemmConfig> &configs) {
  if (bIsRowMajor(layout) || (types.a == DataType::F16 && !machine.isa.fma))
    return;
  for (Shape shape : shapesFor(machine.isa))
    for (int unroll : {1, 2, 4})
      for (int depthBytes : {0, 2048, 8192}) {
        GemmConfig config;
        config.kc = depthBytes / static_cast<int>(sizeOf(types.a));
        config.family = Family::Dot;
        config.mr = shape.rows;
        config.nr = shape.columns;
        config.kr = unroll * span(types, machine.isa);
        config.packA = aIsRowMajor(layout) ? Packing::None : Packing::Pack;
        config.packB = Packing::None;
        configs.push_back(config);
      }
}

static std::optional<Refusal> supports(const GemmProblem &problem,
                                       const GemmConfig &config,
                                       const Machine &machine) {
  auto refuse = [](std::string text) {
    return Refusal{ErrorCode::Unsupported, std::move(text)};
  };
  int step = span(problem.types(), machine.isa);
  if (config.mr < 1 || config.mr > 8 || config.nr < 1 || config.nr > 8 ||
      config.kr < step || config.kr % step != 0 || config.kr > 8 * step)
    return refuse(llvm::formatv("a {0}x{1}x{2} block of dot products does not "
                                "consist of steps of {3} along k",
                                config.mr, config.nr, config.kr, step));
  if (problem.bStrides.row != 1 && problem.k > 1)
    return refuse("dot products need a column-major B");
  if (config.packA == Packing::None && problem.aStrides.column != 1 &&
      problem.k > 1)
    return refuse("dot products on an unpacked A need a row-major A");
  if (config.kc < 0 || (config.kc > 0 && config.kc < config.kr))
    return refuse("a block of k must be at least one step of the loop over k");
  if (config.splitK != 1 || config.gridM != 0 || config.gridN != 0)
    return refuse("dot products split neither k nor by a given grid");
  if (problem.a == DataType::F16 && !machine.isa.fma)
    return refuse("this processor cannot widen f16");
  return std::nullopt;
}

llvm::Error DotGemm::compile(const Machine &machine, Jit &jit) {
  MicroKey key;
  key.form = MicroForm::Dot;
  key.math = mathFor(problem_.types(), machine.isa);
  key.unroll = config_.kr / span(problem_.types(), machine.isa);
  key.aForm = AForm::RowMajor;
  key.bPacked = false;
  key.aType = problem_.a;
  key.bType = problem_.b;
  if (key.math == MicroMath::ByteQuads) {
    key.bUnsigned = problem_.b == DataType::U8;
    key.flipA = problem_.a == problem_.b;
  }
  accumulator_ = accumulatorOf(key.math);
  int64_t rows[2] = {config_.mr, problem_.m % config_.mr},
          columns[2] = {config_.nr, problem_.n % config_.nr};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      if (rows[i] == 0 || columns[j] == 0 || rows[i] > problem_.m ||
          columns[j] > problem_.n)
        continue;
      key.rows = static_cast<int>(rows[i]);
      key.columns = static_cast<int>(columns[j]);
      auto function = jit.get(key);
      if (!function)
        return function.takeError();
      functions_[i][j] = *function;
    }
  share();
  base_.bStride = problem_.bStrides.column * sizeOf(problem_.b);
  base_.cColumn = sizeOf(accumulator_);
  direct_ = problem_.batch == 1 && ranges_.size() == 1 && problem_.k > 0 &&
            problem_.m > 0 && problem_.n > 0 && !copiesA() &&
            !needsSumBuffer(problem_, 1) && !problem_.hasEpilogue();
  return llvm::Error::success();
}

/// Divides the longer side of C among the threads.
void DotGemm::share() {
  double work = double(problem_.m) * double(problem_.n) * double(problem_.k);
  int64_t parts = work < kLeastShared ? 1 : problem_.threads;
  bool byColumns = problem_.n >= problem_.m;
  int64_t length = byColumns ? problem_.n : problem_.m,
          step = byColumns ? config_.nr : config_.mr,
          tiles = (length + step - 1) / step;
  parts = std::clamp<int64_t>(length / step, 1, parts);
  for (int64_t part = 0; part < parts; ++part) {
    int64_t begin = std::min(length, part * tiles / parts * step),
            end = std::min(length, (part + 1) * tiles / parts * step);
    ranges_.push_back(byColumns ? Range{0, problem_.m, begin, end}
                                : Range{begin, end, 0, problem_.n});
  }
}

void DotGemm::runRange(const char *a, int64_t aRow, const char *b,
                       const SumTarget &target, const Range &range) const {
  MicroArguments arguments = base_;
  arguments.aStride = aRow;
  arguments.cRow = target.row;
  // A block of k of all rows of A stays in the first-level cache while it is
  // multiplied with the columns.
  int64_t block = config_.kc > 0 ? config_.kc : problem_.k;
  for (int64_t p = 0; p < problem_.k; p += block) {
    arguments.k = std::min(block, problem_.k - p);
    setScalars(arguments, accumulator_, target.alpha,
               p == 0 ? target.beta : 1.0);
    for (int64_t column = range.column0; column < range.column1;
         column += config_.nr)
      for (int64_t row = range.row0; row < range.row1; row += config_.mr) {
        arguments.a = a + row * aRow + p * sizeOf(problem_.a);
        arguments.b = b + column * arguments.bStride + p * sizeOf(problem_.b);
        arguments.c =
            target.data + row * target.row + column * arguments.cColumn;
        functions_[row + config_.mr > range.row1]
                  [column + config_.nr > range.column1](&arguments);
      }
  }
}

void DotGemm::run(const GemmPointers &pointers, ThreadPool &pool) const {
  if (direct_)
    return runRange(static_cast<const char *>(pointers.a),
                    problem_.aStrides.row * sizeOf(problem_.a),
                    static_cast<const char *>(pointers.b),
                    {static_cast<char *>(pointers.c),
                     problem_.cStrides.row * sizeOf(problem_.c), 0,
                     problem_.alpha, problem_.beta},
                    ranges_[0]);
  forEachEntry(
      problem_, pointers, 1, pool, [&](int64_t batch, const SumTarget &target) {
        const char *a = entryA(problem_, pointers, batch),
                   *b = entryB(problem_, pointers, batch);
        const int64_t size = sizeOf(problem_.a);
        int64_t aRow = problem_.aStrides.row * size;
        if (copiesA()) {
          aRow = (problem_.k * size + 63) / 64 * 64;
          char *rows = panelScratch().reserve(aRow * problem_.m);
          for (int64_t p = 0; p < problem_.k; ++p)
            for (int64_t row = 0; row < problem_.m; ++row)
              std::memcpy(rows + row * aRow + p * size,
                          a + (row * problem_.aStrides.row +
                               p * problem_.aStrides.column) *
                                  size,
                          static_cast<size_t>(size));
          a = rows;
        }
        auto parts = static_cast<int64_t>(ranges_.size());
        forEachTask(0, parts, parts, pool, [&](int64_t index) {
          runRange(a, aRow, b, target, ranges_[static_cast<size_t>(index)]);
        });
      });
}

static llvm::Expected<std::shared_ptr<const PreparedGemm>>
prepare(const GemmProblem &problem, const GemmConfig &config,
        const Machine &machine, Jit &jit) {
  auto gemm = std::make_shared<DotGemm>(problem, config);
  if (llvm::Error error = gemm->compile(machine, jit))
    return error;
  return gemm;
}

/// In each block of k, the streams of the columns of B (of the rows of A if
/// there are more) restart if they come from beyond the second level.
static double flowNs(const GemmProblem &problem, const GemmConfig &config,
                     const Machine &machine) {
  if (config.kc <= 0 || problem.k <= config.kc ||
      problem.bytes() <= double(machine.caches.l2))
    return 0;
  return double(problem.batch) *
         (std::ceil(double(problem.k) / config.kc) - 1) *
         double(std::max(problem.m, problem.n)) * cost::kFlowNs;
}

/// The loads limit the block, with one vector of A or B per load; then memory
/// does.
static Cost estimateDot(const GemmProblem &problem, const GemmConfig &config,
                        const Machine &machine) {
  using namespace cost;
  double m = double(problem.m), n = double(problem.n), k = double(problem.k),
         batch = double(problem.batch), ghz = clockGhz(machine);
  double step = span(problem.types(), machine.isa);
  double steps = std::ceil(k / step), rows = std::ceil(m / config.mr),
         columns = std::ceil(n / config.nr);
  // Ragged blocks have their own kernels, so nothing is computed that does not
  // exist.
  double blockRows = std::min<double>(config.mr, m),
         blockColumns = std::min<double>(config.nr, n);
  bool widened =
      sizeOf(problem.a) != packedBytesOf(mathFor(problem.types(), machine.isa));
  double products = blockRows * blockColumns *
                    cyclesPerProduct(mathFor(problem.types(), machine.isa)),
         loads = (blockRows + blockColumns) * (widened ? 1 : kDotLoadCycles);
  double cycles =
      std::max({products, loads,
                products < 4 ? kProductLatency * step / config.kr : 0.0});
  bool parallel = problem.threads > 1 && m * n * k >= kLeastShared;
  double threads =
      parallel ? std::min<double>(problem.threads, std::max(rows, columns)) : 1;
  Cost cost;
  // Adding up costs about two cycles per sum; stores and the call are added to
  // that.
  cost.computeNs = batch * rows * columns *
                   (cycles * steps + std::ceil(k / config.kr) * kDotLoopCycles +
                    2.0 * blockRows * blockColumns + 16) /
                   ghz / threads;
  cost.computeNs += flowNs(problem, config, machine) / threads;
  // Rows of A that do not fit the first level are read from beyond it for each
  // block of columns; the arithmetic hides two fifths of that (16 x 512 x 4096
  // in f32: 667 us, of which 345 are arithmetic; Sapphire Rapids class,
  // 2026-11).
  double depth = config.kc > 0 ? std::min<double>(config.kc, k) : k;
  double slice = m * depth * double(sizeOf(problem.a));
  if (rows > 1 && slice > 0.6 * double(machine.caches.l1))
    cost.computeNs +=
        batch * (columns - 1) * m * k * double(sizeOf(problem.a)) /
        (slice > 0.7 * double(machine.caches.l2) ? 8.0
                                                 : l2BytesPerNs(machine) / 0.6) /
        threads;
  // The same for a block's columns of B, for each block of rows.
  if (rows > 1 && blockColumns * depth * double(sizeOf(problem.b)) >
                      0.6 * double(machine.caches.l1))
    cost.computeNs += batch * (rows - 1) * n * k * double(sizeOf(problem.b)) /
                      (l2BytesPerNs(machine) / 0.6) / threads;
  if (config.kc > 0 && k > config.kc)
    cost.computeNs += batch * rows * columns * std::ceil(k / config.kc - 1) *
                      (2.0 * blockRows * blockColumns + 16) / ghz / threads;
  cost.memoryNs =
      problem.bytes() / operandBytesPerNs(problem, machine) / threads;
  if (problem.aStrides.column != 1 && problem.k > 1)
    cost.packingNs = batch * m * k * 1.0;
  if (needsSumBuffer(problem, 1) || problem.hasEpilogue())
    cost.epilogueNs = m * n * batch * 2 * kEpilogueNs;
  cost.launchNs = 50 + (parallel ? kRowsLaunchNs : 0);
  return cost;
}

const FamilyFunctions kDotFamily = {enumerate, supports, prepare, estimateDot};

} // namespace assay::kernels
