// Replay of attention between modules. Facts that a dump lacks (the number of
// heads, rotary embedding or not, the mask) are inferred from the bench: a few
// rows of every candidate are computed, and the best one is kept. The step has
// intermediate roundings (scores, probabilities), so each side is judged by its
// distance from the formula and not element by element.
#include "assay/trace/ReplayAttention.h"
#include "assay/formulas/Softmax.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/trace/Values.h"
#include "assay/trace/aten/Emitter.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace assay::trace {

using aten::Emitter;
using aten::Value;
using tensor::Tensor;

namespace {
/// One side: queries [tokens, width], keys and values [tokens, keyWidth].
struct Parts {
  Tensor q, k, v, out;
  int64_t tokens = 0, width = 0, keyWidth = 0;
  int64_t sequence = 0; // tokens of one sequence, from the output's shape
};

enum class Mask { None, Causal, Blocks };

/// Where a rotary embedding is recorded: as angles, or as their cosines and
/// sines, of each token or of the places of a sequence, which all sequences
/// share.
struct Rotary {
  int first = -1, sines = -1; // places in others; no sines: the first are angles
  int64_t half = 0;           // turned pairs of a head
  int64_t places = 0;         // places with a row each
};
/// The rows of a rotary embedding that belong to all tokens: [tokens, half] each.
struct Turn {
  Tensor cosines, sines;
};

struct Candidate {
  int64_t heads = 1;
  std::optional<Rotary> rotary;
  int bounds = -1; // place in others
  Mask mask = Mask::None;
  int64_t sequence = 0; // tokens that see each other; 0: all
};
} // namespace

/// Columns [start, start + width) of a tensor seen as [tokens, whole].
static llvm::Expected<Tensor> columnsOf(const Tensor &tensor, int64_t whole,
                                        int64_t start, int64_t width) {
  std::vector<int64_t> blocks; // of `width` elements each
  for (int64_t t = 0; t < tensor.size() / whole; ++t)
    blocks.push_back((t * whole + start) / width);
  return rowsOf(tensor, width, blocks);
}

static std::optional<Parts> partsOf(const AttentionCall &call) {
  if (!call.output.valid() || call.output.rank() < 2 ||
      !call.output.elementType().isFloat())
    return std::nullopt;
  Parts parts;
  parts.width = call.output.shape().back();
  parts.tokens = parts.width ? call.output.size() / parts.width : 0;
  if (parts.tokens < 2)
    return std::nullopt;
  parts.sequence = call.output.shape()[call.output.shape().size() - 2];
  parts.out = call.output.reshaped({parts.tokens, parts.width});
  auto widthOf = [&](const Tensor &tensor) {
    return tensor.valid() && tensor.elementType().isFloat() &&
                   tensor.size() % parts.tokens == 0
               ? tensor.size() / parts.tokens
               : 0;
  };
  const std::vector<Tensor> &from = call.projections;
  if (from.size() == 1 && widthOf(from[0]) == 3 * parts.width) {
    parts.keyWidth = parts.width;
    Tensor *into[] = {&parts.q, &parts.k, &parts.v};
    for (int64_t i = 0; i < 3; ++i) {
      llvm::Expected<Tensor> part =
          columnsOf(from[0], 3 * parts.width, i * parts.width, parts.width);
      if (!part) {
        llvm::consumeError(part.takeError());
        return std::nullopt;
      }
      *into[i] = std::move(*part);
    }
    return parts;
  }
  if (from.size() != 3 || widthOf(from[0]) != parts.width ||
      widthOf(from[1]) != widthOf(from[2]) || widthOf(from[1]) == 0 ||
      parts.width % widthOf(from[1]) != 0)
    return std::nullopt;
  parts.keyWidth = widthOf(from[1]);
  parts.q = from[0].reshaped({parts.tokens, parts.width});
  parts.k = from[1].reshaped({parts.tokens, parts.keyWidth});
  parts.v = from[2].reshaped({parts.tokens, parts.keyWidth});
  return parts;
}

/// Turns pairs (i, i + half) of every head by the angle of its token.
static Value turned(Emitter &e, const Value &x, const Value &cosines,
                    const Value &sines) {
  int64_t tokens = x.size(0), width = x.size(1), half = cosines.size(1);
  Value pairs = e.reshape(x, {tokens, width / half / 2, 2, half});
  Value low = e.slice(pairs, 2, 0, 1), high = e.slice(pairs, 2, 1, 2);
  auto spread = [&](const Value &v) {
    return e.placed(v, low.shape(), {0, 3});
  };
  Value c = spread(cosines), s = spread(sines);
  Value first = e.sub(e.mul(low, c), e.mul(high, s)),
        second = e.add(e.mul(high, c), e.mul(low, s));
  return e.reshape(e.concatenate({first, second}, 2), {tokens, width});
}

/// The block of each token: how many bounds are at or before it.
static Value blocksOf(Emitter &e, const Value &places, const Value &bounds) {
  aten::Axes shape{places.size(0), bounds.size(0)};
  Value before = e.compare("LE", e.placed(bounds, shape, {1}),
                           e.placed(places, shape, {0}));
  return e.sum(e.convert(before, aten::i64()), {1});
}

/// softmax(q k^T / sqrt(channels) + mask) v for each head, of some rows.
/// Arguments: rows of q, k, v, the rows' places; cosines and sines of the rows
/// and of all tokens; bounds.
static llvm::Expected<std::shared_ptr<const program::Program>>
programOf(const Candidate &c, const ReplaySide &side) {
  Emitter e(aten::realFor(aten::isF64(side.output.elementType())));
  auto argument = [&](size_t i) {
    return e.widened(Value(e.ir().argument(side.inputs[i].type())));
  };
  Value q = argument(0), k = argument(1), v = argument(2), rows = argument(3);
  size_t next = 4;
  if (c.rotary) {
    for (Value *x : {&q, &k}) {
      Value cosines = argument(next++), sines = argument(next++);
      *x = turned(e, *x, cosines, sines);
    }
  }
  int64_t channels = q.size(1) / c.heads, count = q.size(0), tokens = k.size(0),
          groups = k.size(1) / channels, shared = c.heads / groups;
  q = e.reshape(q, {count, groups, shared, channels});
  k = e.reshape(k, {tokens, groups, channels});
  v = e.reshape(v, {tokens, groups, channels});
  Value scores = e.mul(e.dot(q, k, {1}, {1}, {3}, {2}),
                       e.scalar(1 / std::sqrt(static_cast<double>(channels))));
  Value all = e.iota({tokens}, 0);
  aten::Axes grid{count, tokens};
  std::optional<Value> seen;
  if (c.mask == Mask::Causal)
    seen = e.compare("LE", e.placed(all, grid, {1}), e.placed(rows, grid, {0}));
  if (c.mask == Mask::Blocks) {
    Value bounds = argument(next);
    seen = e.compare(
        "EQ",
        e.placed(e.reshape(blocksOf(e, all, bounds), {tokens}), grid, {1}),
        e.placed(e.reshape(blocksOf(e, rows, bounds), {count}), grid, {0}));
  }
  if (c.sequence > 0) {
    Value length = e.constant(c.sequence);
    Value same = e.compare("EQ", e.placed(e.div(all, length), grid, {1}),
                           e.placed(e.div(rows, length), grid, {0}));
    seen = seen ? e.binary("and", *seen, same) : same;
  }
  if (seen)
    scores = e.select(e.placed(*seen, scores.shape(), {1, 3}), scores,
                      e.scalar(-INFINITY));
  Value out = e.dot(formulas::softmaxForward(e.rules(), scores, 3), v, {0}, {1}, {3}, {0});
  out = e.reshape(e.transpose(out, {1, 0, 2, 3}), {count, c.heads * channels});
  out = e.convert(out, side.output.elementType());
  return e.ir().finish(out.handle, "attention");
}

static llvm::Expected<Turn>
turnOf(const Rotary &rotary, llvm::ArrayRef<Tensor> others, int64_t tokens) {
  const Tensor &first = others[static_cast<size_t>(rotary.first)];
  bool areAngles = rotary.sines < 0;
  std::vector<double> x = doublesOf(first),
                      y = areAngles ? std::vector<double>()
                                    : doublesOf(others[static_cast<size_t>(
                                          rotary.sines)]);
  numerics::ElementType f64 =
      numerics::ElementType::floating(numerics::FloatFormat::F64);
  llvm::Expected<Tensor> cosines =
                             Tensor::allocate({f64, {tokens, rotary.half}}),
                         sines = Tensor::allocate({f64, {tokens, rotary.half}});
  if (!cosines || !sines)
    return llvm::joinErrors(cosines.takeError(), sines.takeError());
  double *c = cosines->mutableData<double>(), *s = sines->mutableData<double>();
  int64_t width = first.size() / rotary.places;
  for (int64_t token = 0; token < tokens; ++token)
    for (int64_t i = 0; i < rotary.half; ++i) {
      auto at = static_cast<size_t>(token % rotary.places * width + i);
      *c++ = areAngles ? std::cos(x[at]) : x[at];
      *s++ = areAngles ? std::sin(x[at]) : y[at];
    }
  return Turn{std::move(*cosines), std::move(*sines)};
}

/// At most `most` rows of the step, evenly spaced, in the form that the formula
/// needs.
static llvm::Expected<ReplaySide> sideOf(const Parts &parts,
                                         const AttentionCall &call,
                                         const Candidate &c, int64_t most) {
  int64_t count = std::min(most, parts.tokens);
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < count; ++i)
    rows.push_back((2 * i + 1) * parts.tokens / (2 * count));
  llvm::Expected<Tensor> places = Tensor::allocate({aten::i64(), {count}});
  if (!places)
    return places.takeError();
  llvm::copy(rows, places->mutableData<int64_t>());
  ReplaySide side;
  llvm::Error error = llvm::Error::success();
  auto add = [&](llvm::Expected<Tensor> tensor, std::vector<Tensor> &into) {
    if (tensor)
      into.push_back(std::move(*tensor));
    else
      error = llvm::joinErrors(std::move(error), tensor.takeError());
  };
  std::vector<Tensor> output;
  add(rowsOf(parts.out, parts.width, rows), output);
  add(rowsOf(parts.q, parts.width, rows), side.inputs);
  side.inputs.insert(side.inputs.end(), {parts.k, parts.v, *places});
  if (c.rotary) {
    llvm::Expected<Turn> turn = turnOf(*c.rotary, call.others, parts.tokens);
    if (!turn)
      return llvm::joinErrors(std::move(error), turn.takeError());
    add(rowsOf(turn->cosines, c.rotary->half, rows), side.inputs);
    add(rowsOf(turn->sines, c.rotary->half, rows), side.inputs);
    side.inputs.insert(side.inputs.end(), {turn->cosines, turn->sines});
  }
  if (c.mask == Mask::Blocks)
    side.inputs.push_back(call.others[static_cast<size_t>(c.bounds)]);
  if (error)
    return error;
  side.output = std::move(output.front());
  return side;
}

static bool isSorted(const Tensor &tensor) {
  std::vector<double> values = doublesOf(tensor);
  return std::is_sorted(values.begin(), values.end());
}

/// Whether one tensor holds the cosines, the other the sines, of the same angles.
static bool areSineAndCosine(const Tensor &cosines, const Tensor &sines) {
  if (!(cosines.type() == sines.type()))
    return false;
  double most =
      1e-6 + 4 * numerics::unitRoundoff(cosines.elementType().format);
  auto fits = [&](int64_t count) { // checks the first elements
    std::vector<double> x(static_cast<size_t>(count)), y = x;
    numerics::toDoubles(cosines.elementType(), cosines.bytes(), x.data(),
                        count);
    numerics::toDoubles(sines.elementType(), sines.bytes(), y.data(), count);
    return llvm::all_of(llvm::zip(x, y), [&](auto pair) {
      auto [c, s] = pair;
      return std::fabs(c * c + s * s - 1) <= most;
    });
  };
  return fits(std::min<int64_t>(cosines.size(), 8)) && fits(cosines.size());
}

static std::vector<Rotary> rotariesOf(const Parts &parts,
                                      llvm::ArrayRef<Tensor> others) {
  std::vector<Rotary> result;
  std::set<int64_t> rows{parts.tokens, parts.sequence};
  auto add = [&](int first, int sines) {
    const Tensor &table = others[static_cast<size_t>(first)];
    for (int64_t places : rows) {
      if (places < 2 || table.size() % places != 0)
        continue;
      int64_t width = table.size() / places;
      result.push_back({first, sines, width, places});
      if (sines >= 0 && width % 2 == 0) // for both halves, which are equal
        result.push_back({first, sines, width / 2, places});
    }
  };
  for (size_t i = 0; i < others.size(); ++i) {
    if (!others[i].valid() || !others[i].elementType().isFloat() ||
        others[i].size() == 0)
      continue;
    add(static_cast<int>(i), -1);
    for (size_t j = i + 1; j < others.size(); ++j)
      if (others[j].valid() && areSineAndCosine(others[i], others[j]))
        add(static_cast<int>(i), static_cast<int>(j));
  }
  return result;
}

static std::vector<Candidate> candidatesOf(const Parts &parts,
                                           const AttentionCall &call) {
  std::vector<std::pair<int64_t, std::optional<Rotary>>> heads;
  std::vector<int> bounds;
  for (const Rotary &rotary : rotariesOf(parts, call.others))
    if (int64_t channels = 2 * rotary.half;
        channels <= parts.width && parts.keyWidth % channels == 0)
      heads.emplace_back(parts.width / channels, rotary);
  for (size_t i = 0; i < call.others.size(); ++i)
    if (const Tensor &other = call.others[i];
        other.valid() && other.elementType().isInteger() && other.rank() == 1 &&
        other.size() > 0 && other.size() <= parts.tokens / 2 && isSorted(other))
      bounds.push_back(static_cast<int>(i));
  for (int64_t channels = 8; channels <= parts.width && channels <= 256;
       channels += 8)
    if (parts.width % channels == 0 && parts.keyWidth % channels == 0)
      heads.emplace_back(parts.width / channels, std::nullopt);
  std::vector<Candidate> result;
  bool several = parts.sequence > 1 && parts.sequence < parts.tokens;
  for (const auto &[count, rotary] : heads) {
    for (Mask mask : {Mask::None, Mask::Causal}) {
      if (several)
        result.push_back({count, rotary, -1, mask, parts.sequence});
      result.push_back({count, rotary, -1, mask});
    }
    for (int bound : bounds)
      result.push_back({count, rotary, bound, Mask::Blocks});
  }
  return result;
}

/// The distance of a few rows from a candidate; infinite when it cannot run.
static double trial(const Candidate &c, const Parts &parts,
                    const AttentionCall &call) {
  constexpr int64_t kTrialRows = 3;
  llvm::Expected<ReplaySide> side = sideOf(parts, call, c, kTrialRows);
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      side ? programOf(c, *side) : side.takeError();
  llvm::Expected<Deviation> deviation =
      program ? deviationOf(*program, 0, *side, /*rough=*/true)
              : program.takeError();
  if (deviation)
    return deviation->relativeL2;
  llvm::consumeError(deviation.takeError());
  return HUGE_VAL;
}

std::optional<ReplayResult> replayAttention(const AttentionCall &target,
                                            const AttentionCall &bench) {
  constexpr int64_t kRows = 24;
  constexpr double kExplained = 0.01;
  std::optional<Parts> t = partsOf(target), b = partsOf(bench);
  if (!t || !b || t->tokens != b->tokens || t->width != b->width ||
      t->keyWidth != b->keyWidth ||
      !llvm::equal(target.others, bench.others,
                   [](const Tensor &x, const Tensor &y) {
                     return x.valid() == y.valid() && x.type() == y.type();
                   }))
    return std::nullopt;
  std::optional<Candidate> best;
  double least = kExplained;
  for (const Candidate &candidate : candidatesOf(*b, bench))
    if (double deviation = trial(candidate, *b, bench); deviation < least) {
      least = deviation;
      best = candidate;
    }
  if (!best)
    return std::nullopt;
  llvm::Expected<ReplaySide> targetSide = sideOf(*t, target, *best, kRows),
                             benchSide = sideOf(*b, bench, *best, kRows);
  auto programFor = [&](llvm::Expected<ReplaySide> &side)
      -> llvm::Expected<std::shared_ptr<const program::Program>> {
    if (!side)
      return side.takeError();
    return programOf(*best, *side);
  };
  llvm::Expected<std::shared_ptr<const program::Program>> benchProgram =
                                                              programFor(
                                                                  benchSide),
                                                          targetProgram =
                                                              programFor(
                                                                  targetSide);
  if (!targetProgram || !benchProgram) {
    llvm::consumeError(
        llvm::joinErrors(targetProgram.takeError(), benchProgram.takeError()));
    return std::nullopt;
  }
  static const char *kMasks[] = {"", ", causal", ", blocks"};
  ReplayFormula formula{llvm::formatv("attention ({0} heads{1}{2})",
                                      best->heads,
                                      best->rotary ? ", rotary" : "",
                                      kMasks[static_cast<int>(best->mask)])
                            .str(),
                        *benchProgram, *targetProgram, 0};
  std::optional<ReplayResult> result =
      replay(formula, *targetSide, *benchSide, /*tolerated=*/1);
  if (!result)
    return result;
  result->byDeviation = true;
  // Scores and probabilities each round once on a device that stores every
  // operator's result; a softmax in 16 bits has a larger error.
  constexpr double kStages = 2;
  result->allowance =
      kStages * numerics::unitRoundoff(bench.output.elementType().format);
  return result;
}

} // namespace assay::trace
