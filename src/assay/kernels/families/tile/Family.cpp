// The tile family: the register tiles that fit the registers of the machine,
// the configurations that are worth having, and the problems that each
// supports. The lists are the cross product of a few independent choices, so
// that a model can learn each choice from all kernels that share it.
#include "assay/kernels/Family.h"
#include "assay/kernels/families/tile/TileGemm.h"

#include <algorithm>

namespace assay::kernels {

namespace {
struct Shape {
  int rows, vectors;
};
} // namespace

// rows * vectors sums, `vectors` registers for B, one spare register. Largest
// first.
static constexpr Shape kTiles32[] = {
    {14, 2}, {12, 2}, {10, 2}, {8, 2},  {6, 2}, {4, 2}, {2, 2},
    {28, 1}, {20, 1}, {16, 1}, {12, 1}, {8, 1}, {4, 1}, {9, 3},
    {6, 3},  {4, 3},  {6, 4},  {4, 4},  {2, 4}, {1, 4}};
static constexpr Shape kTiles16[] = {
    {6, 2}, {5, 2}, {4, 2}, {3, 2}, {2, 2}, {1, 2}, {12, 1}, {10, 1},
    {8, 1}, {6, 1}, {4, 1}, {4, 3}, {3, 3}, {2, 4}, {1, 4},  {1, 8}};

static llvm::ArrayRef<Shape> tilesFor(const Isa &isa) {
  return isa.vectorRegisters >= 32 ? llvm::ArrayRef<Shape>(kTiles32)
                                   : llvm::ArrayRef<Shape>(kTiles16);
}

static bool isWidened(TypePair types, MicroMath math) {
  return sizeOf(types.a) != packedBytesOf(math);
}

static int32_t roundUp(int32_t value, int32_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// Enumerates everything but packing and edge for one register tile.
static void enumerateOuter(GemmConfig config, MicroMath math,
                           std::vector<GemmConfig> &configs) {
  struct Schedule {
    int32_t gridM, gridN, splitK;
  };
  for (Pipeline pipeline :
       {Pipeline::Plain, Pipeline::Pipelined, Pipeline::Prefetch})
    for (int32_t depthBytes : {768, 1536, 3072})
      for (int32_t inner : {96, 480})
        for (LoopOrder order : {LoopOrder::NKM, LoopOrder::MKN})
          for (Schedule schedule : {Schedule{0, 0, 1}, Schedule{0, 1, 1},
                                    Schedule{1, 0, 1}, Schedule{0, 0, 4}}) {
            config.pipeline = pipeline;
            config.prefetch = pipeline == Pipeline::Prefetch ? 8 : 0;
            config.kc = depthBytes / packedBytesOf(math);
            config.mc =
                roundUp(order == LoopOrder::NKM ? inner : 3072, config.mr);
            config.nc =
                roundUp(order == LoopOrder::NKM ? 3072 : inner, config.nr);
            config.order = order;
            config.gridM = schedule.gridM;
            config.gridN = schedule.gridN;
            config.splitK = schedule.splitK;
            configs.push_back(config);
          }
}

static void enumerate(TypePair types, Layout layout, const Machine &machine,
                      std::vector<GemmConfig> &configs) {
  MicroMath math = mathFor(types, machine.isa);
  int lanes = machine.isa.lanes(accumulatorOf(math)), group = groupOf(math);
  bool plainA = !isWidened(types, math) && (group == 1 || aIsRowMajor(layout));
  bool plainB = !isWidened(types, math) && group == 1 && bIsRowMajor(layout);
  for (Shape shape : tilesFor(machine.isa))
    for (Packing packA : {Packing::Pack, Packing::None})
      for (Packing packB : {Packing::Pack, Packing::None})
        for (Edge edge : {Edge::Exact, Edge::Padded}) {
          bool allPacked = packA == Packing::Pack && packB == Packing::Pack;
          if ((packA == Packing::None && !plainA) ||
              (packB == Packing::None && !plainB) ||
              (edge == Edge::Padded && !allPacked))
            continue;
          GemmConfig config;
          config.family = Family::Tile;
          config.mr = shape.rows;
          config.nr = shape.vectors * lanes;
          config.kr = 4 * group;
          config.packA = packA;
          config.packB = packB;
          config.edge = edge;
          enumerateOuter(config, math, configs);
        }
}

static Refusal refuse(std::string text) {
  return {ErrorCode::Unsupported, std::move(text)};
}

/// Why the register tile cannot be used in a configuration.
static std::optional<Refusal> checkShape(const GemmConfig &config,
                                         MicroMath math, const Isa &isa) {
  int lanes = isa.lanes(accumulatorOf(math)), group = groupOf(math);
  if (config.mr < 1 || config.nr < lanes || config.nr % lanes != 0 ||
      config.kr < group || config.kr % group != 0 || config.kr > 64 * group)
    return refuse(llvm::formatv("a {0}x{1}x{2} tile does not consist of "
                                "vectors of {3} sums and groups of {4} along k",
                                config.mr, config.nr, config.kr, lanes, group));
  int vectors = config.nr / lanes;
  if (config.mr * vectors > isa.vectorRegisters * 2 || config.mr > 64 ||
      vectors > 16)
    return refuse(llvm::formatv(
        "a {0}x{1} tile needs {2} vector registers, {3} has {4}", config.mr,
        config.nr, config.mr * vectors, isa.name, isa.vectorRegisters));
  if (config.mc < 1 || config.nc < 1 || config.kc < 1)
    return refuse("the cache blocks of a tile kernel are at least 1");
  if (config.edge == Edge::Padded &&
      (config.packA == Packing::None || config.packB == Packing::None))
    return refuse("padded edges need both operands packed");
  return std::nullopt;
}

static std::optional<Refusal> supports(const GemmProblem &problem,
                                       const GemmConfig &config,
                                       const Machine &machine) {
  MicroMath math = mathFor(problem.types(), machine.isa);
  if (auto refusal = checkShape(config, math, machine.isa))
    return refusal;
  int group = groupOf(math);
  if (config.packA == Packing::None) {
    bool row = problem.aStrides.column == 1, column = problem.aStrides.row == 1;
    if (isWidened(problem.types(), math))
      return refuse(
          "elements of A are converted while packing, so A must be packed");
    if (!row && !(column && group == 1))
      return refuse("unpacked A needs consecutive k adjacent in memory, or "
                    "(one element a step) consecutive rows");
    if (group > 1 && problem.k % group != 0)
      return refuse(
          llvm::formatv("unpacked A needs k to be a multiple of {0}, k is {1}",
                        group, problem.k));
  }
  if (config.packB == Packing::None &&
      (group > 1 || problem.bStrides.column != 1 ||
       isWidened(problem.types(), math)))
    return refuse(
        "unpacked B needs a row-major B whose elements need no conversion");
  if (int64_t(config.gridM) * config.gridN > problem.threads)
    return refuse(llvm::formatv(
        "a grid of {0}x{1} threads is more than the problem's {2}",
        config.gridM, config.gridN, problem.threads));
  if (problem.threads == 1 && (config.gridM != 0 || config.gridN != 0))
    return refuse("a thread grid needs more than one thread");
  return whyNotCut(problem, config);
}

const FamilyFunctions kTileFamily = {enumerate, supports, prepareTile,
                                     estimateTile};

} // namespace assay::kernels
