// Evaluates ConvFeatures.def: facts of the problem once, of a kernel once, of
// both together for each pair. Source: CK Tile's convolution features, as its
// code computes them; register blocks as WindowProduct.cpp cuts them.
#include "assay/select/ConvFeatures.h"
#include "assay/kernels/WindowProduct.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

static double max(double a, double b) { return a > b ? a : b; }
static double ratio(double a, double b) { return a / max(b, 1); }
static double mod(double a, double b) { return a - b * std::floor(a / b); }

namespace {
struct Base {
  double lanes, registers, l1, l2, l3;
  explicit Base(const Machine &machine)
      : lanes(machine.isa.lanes(DataType::F32)),
        registers(machine.isa.vectorRegisters), l1(double(machine.caches.l1)),
        l2(double(machine.caches.l2)),
        l3(double(std::min(machine.caches.l3, kGreatestL3))) {}
};

struct ProblemSide {
  double n, c, k, g, threads, image, window, positions, flops, bytes, gemmM,
      gemmN, gemmK, line, pointwise, phases, imageBytes, filterBytes,
      resultBytes, pixelBytes;
  double in[3], filter[3], out[3], stride[3], low[3], dilation[3];
};

struct KernelSide {
  double algorithm, vectors, positions, work, chunk, columns, together;
};

struct BothSides {
  double isRule, vectors, rows, blocks, panels, run, runs, panelBytes, chunks,
      work, workAll, columnBlocks, cycles;
};
} // namespace

static ProblemSide sideOf(const ConvProblem &problem) {
  ProblemSide p{};
  p.n = double(problem.batch), p.c = double(problem.channels);
  p.k = double(problem.outChannels), p.g = double(problem.groups);
  p.threads = problem.threads;
  for (size_t d = 0; d < 3; ++d) {
    p.in[d] = double(problem.image[d]), p.filter[d] = double(problem.filter[d]);
    p.out[d] = double(problem.result[d]);
    p.stride[d] = double(problem.stride[d]), p.low[d] = double(problem.low[d]);
    p.dilation[d] = double(problem.dilation[d]);
  }
  p.image = p.in[0] * p.in[1] * p.in[2];
  p.window = double(problem.taps()), p.positions = double(problem.positions());
  p.flops = problem.flops(), p.bytes = problem.bytes();
  p.pointwise = problem.isPointwise();
  double size = double(sizeOf(problem.type));
  p.imageBytes = p.c * p.image * size;
  p.filterBytes = p.k * (p.c / p.g) * p.window * size;
  p.resultBytes = p.k * p.positions * size;
  p.phases = 1;
  p.line = p.out[2];
  p.pixelBytes = p.c * size;
  switch (problem.direction) {
  case ConvDirection::Forward:
    p.gemmM = p.n * p.positions, p.gemmN = p.k / p.g;
    p.gemmK = p.window * p.c / p.g;
    break;
  case ConvDirection::BackwardData:
    p.gemmM = p.n * p.image, p.gemmN = p.c / p.g;
    p.gemmK = p.window * p.k / p.g;
    p.phases = p.stride[0] * p.stride[1] * p.stride[2];
    p.line = std::ceil(p.in[2] / p.stride[2]);
    p.pixelBytes = p.k * size;
    break;
  case ConvDirection::BackwardWeights:
    p.gemmM = p.window * p.c / p.g, p.gemmN = p.k / p.g;
    p.gemmK = p.n * p.positions;
    break;
  }
  return p;
}

static KernelSide sideOf(const ConvConfig &config) {
  return {double(config.algorithm),       double(config.vectors),
          double(config.positions),       double(config.workKb) * 1024,
          double(config.filterKb) * 1024, double(config.columns),
          double(config.together)};
}

static bool takenTogether(const ConvProblem &problem, const ConvConfig &config,
                          const ProblemSide &p) {
  if (config.algorithm != ConvAlgorithm::Windows)
    return false;
  if (config.together)
    return config.together == 1;
  double channels = p.gemmK / p.window;
  return problem.groups == 1 && problem.dilation[2] == 1 && p.filter[2] > 1 &&
         p.phases == 1 && channels < 32;
}

/// The register block of the kernel's algorithm on the problem.
static WindowBlock blockOf(const ConvProblem &problem, const ConvConfig &config,
                           const ProblemSide &p, const Machine &machine) {
  WindowProblem window;
  window.types = {problem.type, problem.type};
  window.columns = int64_t(p.gemmN);
  window.positions = int64_t(p.line);
  int64_t registers = machine.isa.vectorRegisters;
  if (config.algorithm == ConvAlgorithm::Rows) {
    int64_t vectors = config.vectors ? config.vectors : 2,
            most = std::max<int64_t>(1, (registers - vectors - 2) / vectors),
            rows = std::max<int64_t>(1, int64_t(p.gemmM));
    return {ceilDiv(rows, ceilDiv(rows, most)), vectors};
  }
  if (config.algorithm == ConvAlgorithm::Channels)
    window.columns = problem.channels;
  return windowBlock(window, machine.isa, {config.vectors, config.positions, 0})
      .value_or(WindowBlock());
}

static BothSides both(const Base &b, const ConvProblem &problem,
                      const ConvConfig &config, const ProblemSide &p,
                      const KernelSide &t, const Machine &machine) {
  BothSides q{};
  q.isRule = config == ruleFor(problem, machine);
  WindowBlock block = blockOf(problem, config, p, machine);
  q.vectors = double(block.vectors), q.rows = double(block.rows);
  q.blocks = ceilRatio(p.line, q.rows);
  q.panels = ceilRatio(p.gemmN, q.vectors * b.lanes);
  bool together = takenTogether(problem, config, p);
  double channels = problem.direction == ConvDirection::BackwardWeights
                        ? p.c / p.g
                        : p.gemmK / p.window;
  q.run = together ? channels * p.filter[2] : channels;
  q.runs = together ? p.window / p.filter[2] : p.window;
  q.panelBytes = q.run * q.runs * q.vectors * b.lanes * 4;
  q.chunks = ceilRatio(q.panelBytes, t.chunk > 0 ? t.chunk : b.l1 * 2 / 3);
  bool gathers = config.algorithm == ConvAlgorithm::Rows ||
                 config.algorithm == ConvAlgorithm::Columns;
  double rule = config.algorithm == ConvAlgorithm::Windows    ? b.l2 / 2
                : config.algorithm == ConvAlgorithm::Rows     ? 1 << 20
                : config.algorithm == ConvAlgorithm::Channels ? 3 << 17
                                                              : 4 << 20;
  q.work = t.work > 0 ? t.work : rule;
  q.workAll =
      gathers ? (p.pointwise != 0 ? 0 : p.positions * p.window * channels * 4)
              : p.imageBytes;
  q.columnBlocks =
      ceilRatio(p.window * channels, t.columns > 0 ? t.columns : 1152);
  q.cycles = (max(q.rows * q.vectors, 8) + (q.rows + q.vectors) / 4) *
             q.blocks * q.panels * p.gemmK;
  return q;
}

llvm::ArrayRef<FeatureInfo> select::convFeatures() {
  constexpr bool Number = false, Category = true;
  static constexpr FeatureInfo kFeatures[] = {
#define ASSAY_CONV_FEATURE(name, axis, kind, formula, expression)              \
  {#name, Axis::axis, kind, formula},
#include "assay/select/ConvFeatures.def"
#undef ASSAY_CONV_FEATURE
  };
  return kFeatures;
}

/// Writes the entries of one axis into out[feature]. Does not read facts that
/// the axis does not depend on.
template <Axis kAxis>
static void axisInto(const Base &b, const ProblemSide &p, const KernelSide &t,
                     const BothSides &q, float *out) {
  (void)b, (void)p, (void)t, (void)q;
  int at = 0;
#define ASSAY_CONV_FEATURE(name, axis, kind, formula, expression)              \
  if constexpr (kAxis == Axis::axis)                                           \
    out[at] = static_cast<float>(expression);                                  \
  ++at;
#include "assay/select/ConvFeatures.def"
#undef ASSAY_CONV_FEATURE
}

std::vector<float> ConvFeatures::row(const ConvProblem &problem,
                                     const ConvConfig &config) const {
  std::vector<float> row(convFeatures().size());
  Base b(machine_);
  ProblemSide p = sideOf(problem);
  KernelSide t = sideOf(config);
  axisInto<Axis::Problem>(b, p, {}, {}, row.data());
  axisInto<Axis::Tile>(b, {}, t, {}, row.data());
  axisInto<Axis::Mixed>(b, p, {}, both(b, problem, config, p, t, machine_),
                        row.data());
  return row;
}

ForestGrid ConvFeatures::grid(llvm::ArrayRef<ConvConfig> configs) const {
  ForestGrid grid;
  grid.tiles = static_cast<int64_t>(configs.size());
  grid.traits = 1;
  llvm::ArrayRef<FeatureInfo> infos = convFeatures();
  for (const FeatureInfo &info : infos)
    grid.axes.push_back(info.axis);
  grid.constant.resize(infos.size());
  std::vector<float> row(infos.size());
  Base b(machine_);
  for (size_t i = 0; i < configs.size(); ++i) {
    grid.tileOf.push_back(static_cast<int32_t>(i));
    grid.traitOf.push_back(0);
    axisInto<Axis::Tile>(b, {}, sideOf(configs[i]), {}, row.data());
    for (size_t f = 0; f < infos.size(); ++f)
      if (infos[f].axis == Axis::Tile)
        grid.constant[f].push_back(row[f]);
  }
  return grid;
}

void ConvFeatures::fill(const ConvProblem &problem,
                        llvm::ArrayRef<ConvConfig> configs, int64_t paddedTiles,
                        ForestQuery &query) const {
  llvm::ArrayRef<FeatureInfo> infos = convFeatures();
  query.problem.resize(infos.size());
  query.mixed.resize(infos.size());
  std::vector<std::pair<size_t, float *>> mixed;
  for (size_t f = 0; f < infos.size(); ++f)
    if (infos[f].axis == Axis::Mixed) {
      query.mixed[f].resize(static_cast<size_t>(paddedTiles));
      mixed.push_back({f, query.mixed[f].data()});
    }
  Base b(machine_);
  ProblemSide p = sideOf(problem);
  axisInto<Axis::Problem>(b, p, {}, {}, query.problem.data());
  std::vector<float> row(infos.size());
  for (size_t i = 0; i < configs.size(); ++i) {
    axisInto<Axis::Mixed>(
        b, p, {}, both(b, problem, configs[i], p, sideOf(configs[i]), machine_),
        row.data());
    for (auto [f, values] : mixed)
      values[i] = row[f];
  }
}
