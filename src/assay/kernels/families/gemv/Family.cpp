// The gemv family: one row times a row-major B, or its mirror image, a
// column-major A times one column. The matrix is read once in the order of
// memory: a few of its rows at a time are multiplied by their factors and added
// to a stretch of sums that stays in the L1 cache. Threads divide the columns;
// with few columns, k is split.
#include "assay/kernels/Family.h"
#include "assay/kernels/CostConstants.h"
#include "assay/kernels/jit/MicroKernel.h"
#include "assay/kernels/outer/Clones.h"
#include "assay/kernels/outer/Output.h"
#include "assay/kernels/outer/Scratch.h"
#include "assay/kernels/outer/Tasks.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace assay::kernels {

namespace {
/// sums[j] += sum over p of x[p * xStride] * matrix[p * row + j], j < columns,
/// p < depth.
struct Stretch {
  const void *matrix, *x;
  int64_t row, xStride, depth, columns;
  void *sums;
};

struct LoadF32 {
  using In = float;
  using Sum = float;
  static ASSAY_INLINE Sum get(In value) { return value; }
};
struct LoadF64 {
  using In = double;
  using Sum = double;
  static ASSAY_INLINE Sum get(In value) { return value; }
};
struct LoadBf16 {
  using In = uint16_t;
  using Sum = float;
  static ASSAY_INLINE Sum get(In value) {
    uint32_t bits = uint32_t(value) << 16;
    float result;
    std::memcpy(&result, &bits, 4);
    return result;
  }
};
struct LoadF16 {
  using In = _Float16;
  using Sum = float;
  static ASSAY_INLINE Sum get(In value) { return static_cast<float>(value); }
};
struct LoadS8 {
  using In = int8_t;
  using Sum = int32_t;
  static ASSAY_INLINE Sum get(In value) { return value; }
};
struct LoadU8 {
  using In = uint8_t;
  using Sum = int32_t;
  static ASSAY_INLINE Sum get(In value) { return value; }
};
} // namespace

/// Adds four rows of the matrix at a time. Sums of bytes may wrap, as 32-bit
/// sums do.
template <typename M, typename X>
static ASSAY_INLINE void addRows(const Stretch &s) {
  using Sum = typename M::Sum;
  auto *__restrict sums = static_cast<Sum *>(s.sums);
  const auto *matrix = static_cast<const typename M::In *>(s.matrix);
  const auto *x = static_cast<const typename X::In *>(s.x);
  int64_t p = 0;
  for (; p + 4 <= s.depth; p += 4) {
    const auto *row0 = matrix + p * s.row, *row1 = row0 + s.row,
               *row2 = row1 + s.row, *row3 = row2 + s.row;
    Sum x0 = X::get(x[p * s.xStride]), x1 = X::get(x[(p + 1) * s.xStride]),
        x2 = X::get(x[(p + 2) * s.xStride]),
        x3 = X::get(x[(p + 3) * s.xStride]);
    for (int64_t j = 0; j < s.columns; ++j)
      sums[j] += (x0 * M::get(row0[j]) + x1 * M::get(row1[j])) +
                 (x2 * M::get(row2[j]) + x3 * M::get(row3[j]));
  }
  for (; p < s.depth; ++p) {
    Sum x0 = X::get(x[p * s.xStride]);
    for (int64_t j = 0; j < s.columns; ++j)
      sums[j] += x0 * M::get(matrix[p * s.row + j]);
  }
}

ASSAY_CLONES static void addF32(const Stretch &s) {
  addRows<LoadF32, LoadF32>(s);
}
ASSAY_CLONES static void addF64(const Stretch &s) {
  addRows<LoadF64, LoadF64>(s);
}
ASSAY_CLONES static void addBf16(const Stretch &s) {
  addRows<LoadBf16, LoadBf16>(s);
}
ASSAY_CLONES static void addF16(const Stretch &s) {
  addRows<LoadF16, LoadF16>(s);
}
ASSAY_CLONES static void addS8S8(const Stretch &s) {
  addRows<LoadS8, LoadS8>(s);
}
ASSAY_CLONES static void addS8U8(const Stretch &s) {
  addRows<LoadS8, LoadU8>(s);
}
ASSAY_CLONES static void addU8S8(const Stretch &s) {
  addRows<LoadU8, LoadS8>(s);
}
ASSAY_CLONES static void addU8U8(const Stretch &s) {
  addRows<LoadU8, LoadU8>(s);
}

using AddFunction = void (*)(const Stretch &);

static AddFunction functionFor(DataType matrix, DataType x) {
  switch (matrix) {
  case DataType::F64:
    return addF64;
  case DataType::BF16:
    return addBf16;
  case DataType::F16:
    return addF16;
  case DataType::S8:
    return x == DataType::S8 ? addS8S8 : addS8U8;
  case DataType::U8:
    return x == DataType::S8 ? addU8S8 : addU8U8;
  default:
    return addF32;
  }
}

namespace {
class Gemv final : public PreparedGemm {
public:
  Gemv(const GemmProblem &problem, const GemmConfig &config)
      : problem_(problem), config_(config) {
    mirrored_ = problem.m != 1;
    function_ = mirrored_ ? functionFor(problem.a, problem.b)
                          : functionFor(problem.b, problem.a);
    columns_ = mirrored_ ? problem.m : problem.n;
    bool large = double(columns_) * double(problem.k) > kLeastShared;
    int64_t stretches = (columns_ + 63) / 64;
    columnParts_ = large && config.splitK == 1
                       ? std::min<int64_t>(problem.threads, stretches)
                       : 1;
  }
  void run(const GemmPointers &pointers, ThreadPool &pool) const override;

private:
  void runPart(const char *matrix, const char *x, char *sums, int64_t column0,
               int64_t column1, int64_t p0, int64_t p1) const;
  GemmProblem problem_;
  GemmConfig config_;
  AddFunction function_;
  bool mirrored_;
  int64_t columns_, columnParts_;
};
} // namespace

void Gemv::runPart(const char *matrix, const char *x, char *sums,
                   int64_t column0, int64_t column1, int64_t p0,
                   int64_t p1) const {
  const Strides &m = mirrored_ ? problem_.aStrides : problem_.bStrides;
  const Strides &v = mirrored_ ? problem_.bStrides : problem_.aStrides;
  DataType matrixType = mirrored_ ? problem_.a : problem_.b,
           xType = mirrored_ ? problem_.b : problem_.a;
  Stretch stretch;
  stretch.row = mirrored_ ? m.column : m.row;
  stretch.xStride = mirrored_ ? v.row : v.column;
  stretch.depth = p1 - p0;
  stretch.x = x + p0 * stretch.xStride * sizeOf(xType);
  int64_t size = sizeOf(problem_.acc);
  for (int64_t column = column0; column < column1; column += config_.nc) {
    stretch.columns = std::min<int64_t>(config_.nc, column1 - column);
    stretch.matrix = matrix + (p0 * stretch.row + column) * sizeOf(matrixType);
    stretch.sums = sums + column * size;
    std::memset(stretch.sums, 0, static_cast<size_t>(stretch.columns * size));
    function_(stretch);
  }
}

void Gemv::run(const GemmPointers &pointers, ThreadPool &pool) const {
  // The sums are contiguous, in a buffer or in C; the epilogue applies beta,
  // alpha and strides.
  int64_t parts = std::max(1, config_.splitK), stretches = (columns_ + 63) / 64;
  for (int64_t batch = 0; batch < problem_.batch; ++batch) {
    GemmProblem entry = problem_;
    entry.batch = 1;
    GemmPointers here = pointers;
    here.a = entryA(problem_, pointers, batch);
    here.b = entryB(problem_, pointers, batch);
    here.c = entryC(problem_, pointers, batch);
    const char *matrix = static_cast<const char *>(mirrored_ ? here.a : here.b);
    const char *x = static_cast<const char *>(mirrored_ ? here.b : here.a);
    int64_t size = sizeOf(problem_.acc);
    bool direct =
        parts == 1 && problem_.alpha == 1 && problem_.beta == 0 &&
        !problem_.hasEpilogue() &&
        (mirrored_ ? problem_.cStrides.row == 1
                   : problem_.cStrides.column == 1 || problem_.n == 1);
    char *sums = direct ? static_cast<char *>(here.c)
                        : sumScratch().reserve(columns_ * size * parts);
    int64_t tasks = columnParts_ * parts;
    auto task = [&](int64_t index) {
      int64_t part = index / columnParts_, column = index % columnParts_;
      runPart(matrix, x, sums + part * columns_ * size,
              std::min(columns_, column * stretches / columnParts_ * 64),
              std::min(columns_, (column + 1) * stretches / columnParts_ * 64),
              part * problem_.k / parts, (part + 1) * problem_.k / parts);
    };
    forEachTask(0, tasks, problem_.threads, pool, task);
    if (!direct)
      finishVector(entry, here, sums, columns_, parts, mirrored_);
  }
}

static void enumerate(TypePair, Layout layout, const Machine &,
                      std::vector<GemmConfig> &configs) {
  if (!bIsRowMajor(layout) && aIsRowMajor(layout))
    return;
  for (int32_t columns : {512, 2048, 8192})
    for (int32_t parts : {1, 2, 4}) {
      GemmConfig config;
      config.family = Family::Gemv;
      config.mr = config.nr = 1;
      config.kr = 4;
      config.nc = columns;
      config.packA = config.packB = Packing::None;
      config.splitK = parts;
      configs.push_back(config);
    }
}

static std::optional<Refusal> supports(const GemmProblem &problem,
                                       const GemmConfig &config,
                                       const Machine &) {
  auto refuse = [](const char *text) {
    return Refusal{ErrorCode::Unsupported, text};
  };
  bool row = problem.m == 1 && (problem.bStrides.column == 1 || problem.n == 1);
  bool mirrored =
      problem.n == 1 && (problem.aStrides.row == 1 || problem.m == 1);
  if (!row && !mirrored)
    return refuse("gemv computes one row of C from a row-major B, or one "
                  "column from a column-major A");
  if (config.nc < 64 || config.splitK < 1 || config.gridM != 0 ||
      config.gridN != 0 || config.kr != 4)
    return refuse(
        "gemv needs stretches of at least 64 sums, kr 4 and no thread grid");
  if (config.splitK > 1 && problem.k < config.splitK * 64)
    return refuse("k is too short to be split");
  return std::nullopt;
}

static llvm::Expected<std::shared_ptr<const PreparedGemm>>
prepare(const GemmProblem &problem, const GemmConfig &config, const Machine &,
        Jit &) {
  return std::make_shared<Gemv>(problem, config);
}

static Cost estimateGemv(const GemmProblem &problem, const GemmConfig &config,
                         const Machine &machine) {
  double columns = double(std::max(problem.m, problem.n)),
         k = double(problem.k), batch = double(problem.batch);
  double tasks = config.splitK > 1            ? config.splitK
                 : columns * k > kLeastShared ? std::ceil(columns / 64)
                                              : 1;
  double threads = std::min<double>(problem.threads, tasks);
  double fits = problem.bytes() < double(machine.caches.l2) ? 40.0 : 20.0;
  Cost cost;
  cost.memoryNs = problem.bytes() / fits / threads;
  cost.computeNs = batch * columns * k /
                   double(machine.isa.lanes(problem.acc)) * 0.5 / threads;
  cost.epilogueNs = config.splitK > 1 ? columns * config.splitK * 0.2 : 0;
  cost.launchNs = 50 + (threads > 1 ? cost::kRowsLaunchNs : 0);
  return cost;
}

const FamilyFunctions kGemvFamily = {enumerate, supports, prepare,
                                     estimateGemv};

} // namespace assay::kernels
