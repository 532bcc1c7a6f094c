// Driver `pool`: the descriptor of a convolution without groups and output
// channels; dst is the maximum or the mean of a window. A maximum of integers
// that keeps its type is computed in integers, everything else in f32 (f64).
#include "assay/program/Builder.h"
#include "assay/reference/Windows.h"
#include "assay/formulas/Windows.h"
#include "assay/verify/drivers/Assembly.h"
#include "assay/verify/drivers/Drivers.h"
#include "assay/verify/drivers/Recognition.h"
#include "assay/verify/drivers/Sizes.h"

using namespace assay;
using namespace assay::formulas;
using namespace assay::verify;
using namespace assay::verify::drivers;

static constexpr std::pair<const char *, PoolRule> kRules[] = {
    {"max", PoolRule::Max},
    {"avg_np", PoolRule::MeanOfInside},
    {"avg_p", PoolRule::MeanOfAll}};

static llvm::Expected<std::string> readAlgorithm(llvm::StringRef value) {
  if (value == "pooling_max")
    return "max";
  if (value == "pooling_avg_exclude_padding")
    return "avg_np";
  if (value == "pooling_avg_include_padding")
    return "avg_p";
  return readWord(value, {"max", "avg_np", "avg_p"});
}

static llvm::Error parse(llvm::StringRef token, int64_t mb, Problem &problem) {
  llvm::StringRef letters = token.take_front(token.find('n'));
  if (letters.contains("oc") || letters.contains('g'))
    return makeError(ErrorCode::InvalidArgument,
                     "descriptor '{0}': a pooling has no 'oc' and no 'g'",
                     token);
  // Reads it as a convolution with one output channel, which has the same
  // sizes.
  llvm::Expected<Descriptor> read =
      readConvolution(token, false, problem.name, 1);
  if (!read)
    return read.takeError();
  problem.descriptor = *read;
  takeBatch(problem, mb);
  return llvm::Error::success();
}

static std::string text(const Problem &problem) {
  Descriptor c = problem.descriptor;
  c.oc = 1;
  std::string result = convolutionText(c);
  return result.erase(result.find("oc1"), 3);
}

static Dims dims(const Problem &problem, Role role) {
  if (role == Role::Wei)
    return {};
  return role == Role::Src ? inputDims(problem.descriptor)
                           : outputDims(problem.descriptor);
}

static PoolWindow windowOf(const Problem &problem) {
  const Descriptor &c = problem.descriptor;
  PoolWindow w;
  for (auto [name, rule] : kRules)
    if (problem.knob("alg") == name)
      w.rule = rule;
  w.axes = spatialAxes(c);
  return w;
}

/// `fromLowest`: the maximum over padding alone is dst's lowest finite number,
/// as in oneDNN, whose maxima begin there, instead of minus infinity.
static llvm::Expected<BoundProgram> buildForward(const Problem &problem,
                                                 const PoolWindow &window,
                                                 bool fromLowest) {
  auto [first, second] = pairOf(problem.knob("dt"));
  ElementType from = typeOf(first), to = typeOf(second);
  Dims src = dims(problem, Role::Src), dst = dims(problem, Role::Dst);
  Layout layout{problem.knob("tag").str(), {}};
  Assembly a(problem, from);
  bool amongIntegers =
      from.isInteger() && from == to && window.rule == PoolRule::Max;
  mlir::Value x = amongIntegers ? a.argument("src", from, src, layout)
                                : a.input("src", from, src, layout);
  mlir::Value pooled = poolForward(a.builder(), window, x);
  if (fromLowest)
    pooled = withEmptyMaximum(a.builder(), window, pooled, judge::minValue(to));
  a.finishDst(pooled, to, dst, layout);
  return a.finish(directionOf(problem));
}

static llvm::Expected<BoundProgram> build(const Problem &problem) {
  Direction direction = directionOf(problem);
  auto [first, second] = pairOf(problem.knob("dt"));
  ElementType from = typeOf(first), to = typeOf(second);
  PoolWindow window = windowOf(problem);
  if (isForward(direction)) {
    llvm::Expected<BoundProgram> bound = buildForward(problem, window, false);
    if (!bound || window.rule != PoolRule::Max || !hasEmptyWindow(window))
      return bound;
    llvm::Expected<BoundProgram> other = buildForward(problem, window, true);
    if (!other)
      return other;
    bound->alternative = other->program;
    return bound;
  }
  Dims src = dims(problem, Role::Src), dst = dims(problem, Role::Dst);
  Layout layout{problem.knob("tag").str(), {}};
  Assembly a(problem, from);
  if (!problem.attributes.empty())
    a.invalid("a backward pass takes no --attr-post-ops and no --attr-scales");
  if (from.isInteger() || to.isInteger())
    a.invalid("a backward pass takes float types");
  if (std::string why = poolBackwardRefusal(window); !why.empty()) {
    a.unsupported(why);
    return a.finish(direction);
  }
  mlir::Value x = a.input("src", from, src, layout),
              dy = a.input("diff_dst", to, dst, layout);
  a.result("diff_src", poolBackward(a.builder(), window, x, dy), from, src,
           layout);
  return a.finish(direction);
}

/// The taps of a dilated maximum's gradient: each is one slice.
static geometry::Windows readTaps(const Reading &r) {
  std::vector<mlir::Operation *> slices = r.operations("slice"),
                                 pads = r.operations("pad");
  geometry::Windows w;
  if (slices.empty() || pads.empty())
    return w;
  Dims strides = integersOf(slices[0], "strides"),
       low = integersOf(pads[0], "edge_padding_low"),
       last = integersOf(slices.back(), "start_indices");
  if (low.size() != strides.size() || last.size() != strides.size())
    return w;
  for (size_t d = 0; d < last.size(); ++d) {
    geometry::Axis &axis = w.axes.emplace_back();
    axis.stride = strides[d], axis.low = low[d];
    for (mlir::Operation *slice : slices) {
      int64_t start = integersOf(slice, "start_indices")[d];
      if (start > 0 && axis.kernel == 1) {
        axis.dilation = start;
        axis.kernel = last[d] / start + 1;
      }
    }
  }
  return w;
}

/// The window of reduce_window or select_and_scatter, seen from the forward pass.
static geometry::Windows readWindow(mlir::Operation *op, bool transposed) {
  geometry::Windows w = reference::windowsOf(
      op, program::Builder::typeOf(op->getOperand(0)));
  for (geometry::Axis &axis : w.axes)
    if (transposed)
      axis = axis.transposed();
  return w;
}

static void describe(const geometry::Windows &w, const Dims &src,
                     const Dims &dst, Descriptor &c) {
  c.mb = src[0], c.ic = src[1], c.ndims = static_cast<int>(src.size());
  for (size_t d = 2; d < src.size(); ++d) {
    geometry::Axis axis = w.axes[d];
    axis.in = src[d], axis.out = dst[d];
    setAxis(c, d + 3 - src.size(), axis);
  }
}

static std::optional<Problem> recognise(const BoundProgram &bound) {
  Reading r(bound);
  bool forward = r.has("dst");
  if (!r.isValid() || (!forward && !r.has("diff_src")))
    return std::nullopt;
  Dims src = r.dimsOf("src"), dst = r.dimsOf(forward ? "dst" : "diff_dst");
  if (src.size() < 3 || src.size() > 5 || dst.size() != src.size())
    return std::nullopt;
  auto windows = r.operations("reduce_window"),
       scatters = r.operations("select_and_scatter");
  geometry::Windows window =
      !scatters.empty() ? readWindow(scatters[0], false)
      : windows.empty() ? readTaps(r)
                        : readWindow(windows[0], !forward);
  if (window.axes.size() != src.size())
    return std::nullopt;
  Problem p = candidateOf(kPool, r);
  describe(window, src, dst, p.descriptor);
  p.own["tag"] = r.tagOf("src");
  p.own["dt"] = joined(nameOf(r.typeOf("src")),
                       nameOf(r.typeOf(forward ? "dst" : "diff_dst")));
  std::vector<Problem> candidates;
  for (auto [name, rule] : kRules) {
    p.own["alg"] = name;
    candidates.push_back(p);
  }
  return firstThatBuilds(r, kPool, candidates);
}

static void json(const Problem &problem, llvm::json::Object &object) {
  windowJson(problem.descriptor, object);
}

static constexpr OwnKnob kKnobs[] = {
    kPassKnob,
    {"dt", "f32", "T or SRC:DST,...: data types", readTypePair},
    {"tag", "abx", "TAG,...: memory format of src and dst", readTag},
    {"alg", "max", "max avg_np avg_p", readAlgorithm},
    {"mb", "0", "N,...: replaces the descriptor's mb (0: keeps it)", readSize},
};

const Driver drivers::kPool = {.name = "pool",
                               .parse = parse,
                               .text = text,
                               .build = build,
                               .recognise = recognise,
                               .dims = dims,
                               .json = json,
                               .knobs = kKnobs,
                               .hasAttributes = true};
