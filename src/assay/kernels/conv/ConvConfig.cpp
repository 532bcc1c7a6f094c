// The list of convolution kernels: algorithms times the parameters of each.
// Sizes are shares of this machine's caches, so all machines of a class have
// the same list.
#include "assay/kernels/conv/ConvConfig.h"

#include "assay/kernels/Depthwise.h"
#include "assay/support/Math.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

namespace assay::kernels {

static constexpr struct {
  const char *name;
  bool isTuned;
  const char *description;
} kAlgorithms[] = {
    {"rule", true, "the native engine's own choice"},
#define ASSAY_CONV_ALGORITHM(id, name, isTuned, description)                   \
  {name, isTuned, description},
#include "assay/kernels/conv/ConvAlgorithms.def"
#undef ASSAY_CONV_ALGORITHM
};

const char *toString(ConvAlgorithm algorithm) {
  return kAlgorithms[static_cast<int>(algorithm)].name;
}
const char *describe(ConvAlgorithm algorithm) {
  return kAlgorithms[static_cast<int>(algorithm)].description;
}

std::string ConvConfig::name() const {
  std::string text = toString(algorithm);
  switch (algorithm) {
  case ConvAlgorithm::Windows:
    return text + llvm::formatv("_v{0}p{1}_w{2}_f{3}_t{4}", vectors, positions,
                                workKb, filterKb, together)
                      .str();
  case ConvAlgorithm::Rows:
    return text + llvm::formatv("_v{0}_w{1}", vectors, workKb).str();
  case ConvAlgorithm::Channels:
    return text +
           llvm::formatv("_v{0}p{1}_w{2}", vectors, positions, workKb).str();
  case ConvAlgorithm::Columns:
    return text + llvm::formatv("_w{0}_c{1}", workKb, columns).str();
  default:
    return text;
  }
}

llvm::Expected<ConvConfig> parseConvConfig(llvm::StringRef name) {
  auto refuse = [&](const llvm::Twine &what) {
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is not a convolution kernel: {1}", name, what.str());
  };
  auto [algorithm, rest] = name.split('_');
  ConvConfig config;
  bool known = false;
  for (size_t i = 0; i < std::size(kAlgorithms); ++i)
    if (kAlgorithms[i].isTuned && algorithm == kAlgorithms[i].name) {
      config.algorithm = static_cast<ConvAlgorithm>(i);
      known = true;
    }
  if (!known)
    return refuse("its algorithm is '" + algorithm + "'");
  const std::pair<char, int32_t ConvConfig::*> kFields[] = {
      {'v', &ConvConfig::vectors}, {'p', &ConvConfig::positions},
      {'w', &ConvConfig::workKb},  {'f', &ConvConfig::filterKb},
      {'c', &ConvConfig::columns}, {'t', &ConvConfig::together}};
  while (!rest.empty()) {
    char letter = rest.front();
    rest = rest.drop_front();
    auto *field = llvm::find_if(
        kFields, [&](const auto &entry) { return entry.first == letter; });
    if (field == std::end(kFields) ||
        rest.consumeInteger(10, config.*(field->second)))
      return refuse("a field is '" + llvm::Twine(letter) + rest.str() + "'");
    rest.consume_front("_");
  }
  if (config.name() != name)
    return refuse("written out it is '" + config.name() + "'");
  return config;
}

namespace {
struct Block {
  int32_t vectors, positions;
};
} // namespace

/// Register blocks: as many positions as registers allow, and about half of
/// that; (0, 0) stands for the rule's.
static std::vector<Block> blocksOf(const Machine &machine, int mostPositions) {
  std::vector<Block> blocks{{0, 0}};
  for (int vectors = 1; vectors <= 4; ++vectors) {
    int most = std::min(mostPositions,
                        (machine.isa.vectorRegisters - vectors - 2) / vectors);
    if (most < 1)
      break;
    blocks.push_back({vectors, most});
    if (int fewer = (most + 1) / 2; fewer < most && fewer * vectors >= 6)
      blocks.push_back({vectors, fewer});
  }
  return blocks;
}

static void addWindows(const Machine &machine, std::vector<ConvConfig> &out) {
  auto l2 = static_cast<int32_t>(machine.caches.l2 >> 10);
  for (Block block : blocksOf(machine, 28))
    for (int32_t work : {0, l2 / 8, 2 * l2})
      for (int32_t filter : {0, l2 / 4})
        for (int32_t together : {0, 1, 2})
          out.push_back({ConvAlgorithm::Windows, block.vectors, block.positions,
                         work, filter, 0, together});
}

static void addRows(const Machine &machine, std::vector<ConvConfig> &out) {
  auto l2 = static_cast<int32_t>(machine.caches.l2 >> 10);
  for (int32_t vectors : {0, 1, 3, 4})
    for (int32_t work : {0, l2 / 8, l2 / 2, 4 * l2})
      out.push_back({ConvAlgorithm::Rows, vectors, 0, work});
}

std::vector<ConvConfig> convKernels(ConvDirection direction,
                                    const Machine &machine) {
  auto l2 = static_cast<int32_t>(machine.caches.l2 >> 10);
  std::vector<ConvConfig> out;
  if (direction != ConvDirection::BackwardWeights) {
    addWindows(machine, out);
    addRows(machine, out);
  } else {
    for (int32_t work : {0, l2 / 2, l2, 16 * l2})
      for (int32_t columns : {0, 256, 512, 4096})
        out.push_back({ConvAlgorithm::Columns, 0, 0, work, 0, columns});
    out.push_back({ConvAlgorithm::GroupColumns});
  }
  for (Block block : blocksOf(machine, 16))
    for (int32_t work : {0, l2 / 8, 2 * l2})
      out.push_back(
          {ConvAlgorithm::Channels, block.vectors, block.positions, work});
  return out;
}

/// If a tap has fewer channels, several taps are read together
/// (ChannelsLast.cpp).
static constexpr int64_t kFewChannels = 32, kMostTogether = 128;

/// Whether each channel is convolved with a filter of its own.
static bool areAlone(const ConvProblem &p) {
  return p.groups > 1 && p.groupIn() == 1 && p.groupOut() == 1;
}

static bool takesChannels(const ConvProblem &p, const Machine &machine) {
  if (p.groups < 2)
    return false;
  bool weights = p.direction == ConvDirection::BackwardWeights;
  if (areSpread(p.groupIn(), p.groupOut(),
                machine.isa.lanes(accumulatorOf(p.type))) &&
      !(weights && p.isPointwise()))
    return true;
  return weights ? areAlone(p)
         : p.direction == ConvDirection::Forward
             ? p.groupIn() <= kMostThinInputs &&
                   p.groupOut() <= kMostThinOutputs
             : p.groupOut() <= kMostThinInputs &&
                   p.groupIn() <= kMostThinOutputs;
}

static bool takesGroupColumns(const ConvProblem &p) {
  return takesGroupColumns(p.groups, p.groupIn(), p.groupOut(),
                           p.isPointwise());
}

static bool isDilated(const ConvProblem &p) {
  return p.direction == ConvDirection::BackwardData &&
         p.stride != ConvProblem::Sides{1, 1, 1};
}

/// The channels of a tap: of the image, or of the gradient in its place.
static int64_t channelsOfATap(const ConvProblem &p) {
  return p.direction == ConvDirection::Forward ? p.groupIn() : p.groupOut();
}

static std::optional<Refusal> refusalOfWindows(const ConvProblem &p,
                                               const ConvConfig &c,
                                               const Machine &machine) {
  auto refuse = [](const char *text) {
    return Refusal{ErrorCode::Unsupported, text};
  };
  bool mayBeTogether = p.groups == 1 && p.dilation[2] == 1 && p.filter[2] > 1 &&
                       !isDilated(p) && channelsOfATap(p) <= kMostTogether;
  bool byRule = mayBeTogether && channelsOfATap(p) < kFewChannels;
  if (c.together != 0 && !mayBeTogether)
    return refuse("a row of the window is not one run of few channels");
  if (c.together != 0 && (c.together == 1) == byRule)
    return refuse("the rule does so");
  int64_t columns = p.direction == ConvDirection::Forward ? p.groupOut()
                                                          : p.groupIn(),
          lanes = machine.isa.lanes(accumulatorOf(p.type));
  if (c.vectors > 1 && (c.vectors - 1) * lanes >= columns)
    return refuse("the register block is wider than the channels");
  return std::nullopt;
}

std::optional<Refusal> supports(const ConvProblem &problem,
                                const ConvConfig &config,
                                const Machine &machine) {
  auto refuse = [](const char *text) {
    return Refusal{ErrorCode::Unsupported, text};
  };
  if (auto refusal = validate(problem))
    return refusal;
  bool weights = problem.direction == ConvDirection::BackwardWeights;
  int64_t lanes = machine.isa.lanes(accumulatorOf(problem.type));
  switch (config.algorithm) {
  case ConvAlgorithm::Rule:
    return std::nullopt;
  case ConvAlgorithm::Windows:
    return weights ? refuse("windows make no gradient of a filter")
                   : refusalOfWindows(problem, config, machine);
  case ConvAlgorithm::Rows:
    if (weights)
      return refuse("rows make no gradient of a filter");
    if (const char *text =
            refusalOfRows(problem.taps() * channelsOfATap(problem),
                          problem.direction == ConvDirection::Forward
                              ? problem.groupOut()
                              : problem.groupIn()))
      return refuse(text);
    if (problem.isPointwise() && config.workKb != 0 &&
        problem.direction == ConvDirection::Forward && problem.groups == 1)
      return refuse("nothing is gathered");
    if (config.vectors != 0 &&
        (problem.groups > 1 || problem.direction != ConvDirection::Forward))
      return refuse("the product's own tile is chosen as any product's");
    return std::nullopt;
  case ConvAlgorithm::Channels:
    if (!takesChannels(problem, machine))
      return refuse("groups of many channels, or one group");
    if (config.vectors > 1 && config.vectors * lanes > problem.outChannels)
      return refuse("the register block is wider than the channels");
    return std::nullopt;
  case ConvAlgorithm::Columns:
    if (!weights)
      return refuse("columns make the gradient of a filter");
    if (areAlone(problem))
      return refuse("each channel would be a product of its own");
    if (problem.isPointwise() && (config.workKb || config.columns))
      return refuse("nothing is gathered");
    return std::nullopt;
  case ConvAlgorithm::GroupColumns:
    if (!weights || !takesGroupColumns(problem))
      return refuse("groups of many channels, or one of many");
    if (areAlone(problem))
      return refuse("each channel would be a product of its own");
    return std::nullopt;
  default:
    return refuse("its problems are not described by sizes alone");
  }
}

/// A processor that computes one 512-bit vector product per cycle, which
/// broadcasts its element of the image as it reads it. One vector of channels
/// by 14 positions then needs the fewest other instructions, and a filter that
/// streams from the second level costs nothing. Source: 385 forward layers on
/// one core, Zen 4, 23 November 2026 (docs/tune_conv.md): these blocks reach 98
/// % of the speed of the best of 205 kernels, blocks as wide as registers allow
/// 92 %, and products of rows, for 1 x 1 windows, 82 %. Windows also gain in
/// 268 gradients of the data, whose filter is packed into panels each time:
/// 97.4 % instead of 95 %.
static bool prefersNarrowBlocks(const Machine &machine) {
  return llvm::StringRef(machine.isa.cpu).starts_with("znver4") &&
         machine.isa.vectorBytes == 64;
}

/// A processor with sixteen registers of 256 bits. Source: 149 forward layers
/// on one core, Zen 1, 23 November 2026 (docs/tune_conv.md): windows of one
/// element reach 94.6 % of the best of some 50 kernels when they are read in
/// place, and 66.6 % when they are gathered into rows. Bands of twice the
/// second level, with a quarter of it for the filter, reach 96.6 %, the general
/// rule 95.4 %. For depthwise layers blocks of four vectors reach 91.1 %
/// instead of 88.4 %.
static bool hasFewRegisters(const Machine &machine) {
  return machine.isa.vectorBytes == 32;
}

/// In all other cases: a quarter of the second level for the filter, and bands
/// of an eighth, except for forward windows, whose filter does not change.
/// Source: 385 forward layers and 381 gradients of the data on one core, Xeon
/// with AMX, 23 November 2026 (docs/tune_conv.md): this reaches 96.7 % of the
/// best of some 50 kernels, the previous rule 92.1 %; windows of one element
/// reach 94.4 % read in place and 69.5 % gathered into rows; gradients 98.1 %
/// instead of 96.5 %, those with few channels 97.4 % instead of 95.9 %.
static ConvConfig windowsRule(const ConvProblem &p, const Machine &machine) {
  auto l2 = static_cast<int32_t>(machine.caches.l2 >> 10);
  bool forward = p.direction == ConvDirection::Forward, one = p.taps() == 1;
  if (prefersNarrowBlocks(machine))
    return {ConvAlgorithm::Windows, 1, 14, forward ? 2 * l2 : 0, l2 / 4};
  if (!hasFewRegisters(machine))
    return {ConvAlgorithm::Windows, 0, 0, forward && !one ? 0 : l2 / 8, l2 / 4};
  if (!forward)
    return {ConvAlgorithm::Windows};
  return p.groups == 1 && one
             ? ConvConfig{ConvAlgorithm::Windows, 0, 0, l2 / 8}
             : ConvConfig{ConvAlgorithm::Windows, 0, 0, 2 * l2, l2 / 4};
}

/// Whether to read windows in place for windows of one element, and for short
/// lines, where narrow blocks are preferred. The gradient of the data packs its
/// filter into panels each time, which does not pay for few channels. Source:
/// 75 layers of that kind (as above).
static bool areWindowsFaster(const ConvProblem &p) {
  return p.direction == ConvDirection::Forward || p.channels >= 128 ||
         p.channels > p.outChannels;
}

/// The parameters of an algorithm where no model chooses them; none for Rule.
static ConvConfig ruleOf(ConvAlgorithm algorithm, const ConvProblem &p,
                         const Machine &machine) {
  auto l2 = static_cast<int32_t>(machine.caches.l2 >> 10);
  bool weights = p.direction == ConvDirection::BackwardWeights;
  switch (algorithm) {
  case ConvAlgorithm::Windows:
    return windowsRule(p, machine);
  case ConvAlgorithm::Channels: {
    // The block with the lowest estimated cost. Where narrow blocks are not preferred, bands
    // of an eighth of the second level reach 97.5 % of the best, the general rule 96.7 % (as
    // above, by kernels that took taps one at a time). Gradients of the filter choose their
    // own blocks.
    bool ownBands =
        weights || prefersNarrowBlocks(machine) || hasFewRegisters(machine);
    return {algorithm, 0, 0, ownBands ? 0 : l2 / 8};
  }
  case ConvAlgorithm::Columns: {
    // Windows that half of the second level holds: 99.0 % of the best instead of 97.7 %
    // over 15 layers on Zen 4, 96.7 % instead of 89.8 % over 25 on a Xeon (as above).
    bool half = !hasFewRegisters(machine) && !p.isPointwise();
    return {algorithm, 0, 0, half ? l2 / 2 : 0};
  }
  default:
    return {algorithm};
  }
}

/// Windows of one element are a product of rows where registers are few, in gradients
/// of the data; so are short lines.
static bool areRowsFaster(const ConvProblem &p, const Machine &machine) {
  bool forward = p.direction == ConvDirection::Forward;
  int64_t line = forward ? p.result[2] : p.image[2];
  if (p.groups > 1 || isDilated(p) ||
      (p.taps() > 1 && line >= kFewestLinePositions))
    return false;
  if (prefersNarrowBlocks(machine))
    return !areWindowsFaster(p);
  return p.taps() > 1 || (hasFewRegisters(machine) && !forward);
}

/// Gradients of 1 x 1 filters in groups, where nothing is gathered. A product
/// for each group had 1.39 to 2.4 times the speed of group columns in nine
/// layers with four or more inputs and an even number of outputs per group, and
/// 0.3 to 0.67 times in three others (Xeon with AMX, 23 November 2026).
static bool areProductsFaster(const ConvProblem &p) {
  return p.isPointwise() && p.groupIn() >= 4 && p.groupOut() % 2 == 0;
}

/// Gradients of a filter without groups whose windows are better gathered than
/// read in place. Source: 24 layers on a Zen 5, one thread (24 November 2026):
/// for 16 to 256 channels in f32, reading in place had 0.93 to 2.1 times the
/// speed, least with 7 x 7 positions. Vectors of 256 bits allow twelve rows of
/// sums instead of 28.
static bool areGatheredFaster(const ConvProblem &p, const Machine &machine) {
  constexpr int64_t kShortestLine = 12;
  return p.groups == 1 && p.channels > kFewImageChannels &&
         (p.type != DataType::F32 || machine.isa.vectorBytes < 64 ||
          p.result[2] < kShortestLine);
}

double costOf(const ConvProblem &p, ConvAlgorithm algorithm,
              const Machine &machine) {
  constexpr double kLess = 0.9, kMore = 1.1;
  switch (algorithm) {
  case ConvAlgorithm::Channels: // in products of groups most lanes are empty
    return 0.5;
  case ConvAlgorithm::GroupColumns:
    return areProductsFaster(p) || areGatheredFaster(p, machine) ? kMore : kLess;
  case ConvAlgorithm::Windows:
    return areRowsFaster(p, machine) ? kMore : 1;
  case ConvAlgorithm::Rows:
    if (p.direction == ConvDirection::BackwardWeights)
      return 1.2;
    return areRowsFaster(p, machine) ? 1 : kMore;
  default:
    return 1;
  }
}

ConvConfig ruleFor(const ConvProblem &p, const Machine &machine) {
  auto best = ConvAlgorithm::Rule;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 1; i < std::size(kAlgorithms); ++i) {
    auto algorithm = static_cast<ConvAlgorithm>(i);
    if (supports(p, {algorithm}, machine))
      continue;
    if (double cost = costOf(p, algorithm, machine); cost < least)
      best = algorithm, least = cost;
  }
  return ruleOf(best, p, machine);
}

int differences(const ConvConfig &a, const ConvConfig &b) {
  return (a.algorithm != b.algorithm) +
         (a.vectors != b.vectors || a.positions != b.positions) +
         (a.workKb != b.workKb) + (a.filterKb != b.filterKb) +
         (a.columns != b.columns) + (a.together != b.together);
}

} // namespace assay::kernels
