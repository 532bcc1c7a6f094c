// Driver `eltwise`: "NxNxN", dst = f(src), or diff_src = f'(src) * diff_dst; for
// the "_dst" functions the slope comes from dst. Formulas: formulas/Eltwise.h.
#include "assay/support/Nearest.h"
#include "assay/verify/AccurateEltwise.h"
#include "assay/verify/EltwiseMatch.h"
#include "assay/verify/drivers/Assembly.h"
#include "assay/verify/drivers/Drivers.h"
#include "assay/verify/drivers/Recognition.h"
#include "assay/verify/drivers/Sizes.h"
#include "llvm/ADT/StringExtras.h"

using namespace assay;
using namespace assay::formulas;
using namespace assay::verify;
using namespace assay::verify::drivers;
using mlir::Value;

static EltwiseFunction functionOf(const Problem &p) {
  return {p.knob("alg").str(), realOf(p.knob("alpha")), realOf(p.knob("beta"))};
}

/// What a mistyped function may be, or all functions.
static std::string instead(llvm::StringRef word,
                           llvm::ArrayRef<llvm::StringRef> names) {
  llvm::StringRef near = nearestName(word, names);
  return near.empty() ? "expected " + llvm::join(names, " ")
                      : ("did you mean '" + near + "'?").str();
}

static llvm::Expected<std::string> readFunction(llvm::StringRef value) {
  std::string name = value.lower();
  llvm::StringRef stem = name;
  stem.consume_front("eltwise_");
  std::string shortened;
  if (stem.consume_back("_use_dst_for_bwd"))
    stem = shortened = stem.str() + "_dst";
  if (!isEltwiseFunction(stem))
    return makeError(ErrorCode::InvalidArgument,
                     "eltwise function '{0}' is unknown; {1}", value,
                     instead(stem, eltwiseNames()));
  return stem == "srelu" ? "soft_relu" : stem.str();
}

static llvm::Error parse(llvm::StringRef token, int64_t mb, Problem &p) {
  if (llvm::Error error = readShapes(token, 1, p))
    return error;
  takeBatch(p, mb);
  bool backward = !isForward(p.direction);
  EltwiseFunction function = functionOf(p);
  // Forward, "_dst" is the same function; numbers that a function does not use
  // are not part of the problem.
  if (!backward)
    p.own["alg"] = function.stem().str();
  if (!usesAlpha(function.name))
    p.own["alpha"] = "0";
  if (!usesBeta(function.name, backward))
    p.own["beta"] = "0";
  p.invalid = eltwiseContradiction(function, backward);
  return llvm::Error::success();
}

static llvm::Expected<BoundProgram> build(const Problem &p) {
  ElementType type = typeOf(p.knob("dt"));
  Layout layout{p.knob("tag").str(), {}};
  EltwiseFunction function = functionOf(p);
  const Dims &sizes = p.shapes[0];
  Assembly a(p, type);
  if (isForward(p.direction)) {
    Value src = a.input("src", type, sizes, layout);
    a.finishDst(accurateEltwise(a.builder(), function, src), type, sizes,
                layout);
    return a.finish(p.direction);
  }
  if (!p.attributes.empty())
    a.unsupported("attributes of a backward pass");
  Value data = a.input(function.usesDst() ? "dst" : "src", type, sizes, layout);
  Value gradient = a.input("diff_dst", type, sizes, layout);
  a.result("diff_src", accurateEltwiseGradient(a.builder(), function, data, gradient),
           type, sizes, layout);
  return a.finish(p.direction);
}

/// Every operation may end the driver's function; the operations after it are
/// post-ops and the rounding.
static std::optional<Problem> recognise(const BoundProgram &bound) {
  Reading r(bound);
  bool backward = r.isValid() && r.input("diff_dst") >= 0;
  llvm::StringRef role = backward && r.input("dst") >= 0 ? "dst" : "src";
  if (!r.isValid() || r.input(role) < 0 || bound.outputs.size() != 1)
    return std::nullopt;
  Problem p = candidateOf(kEltwise, r);
  p.shapes = {r.dimsOf(role)};
  takeTensor(p, r, role, "dt", "tag");
  std::vector<Problem> candidates;
  for (mlir::Operation &op : r.block()) {
    if (op.getNumResults() != 1)
      continue;
    for (const EltwiseMatch &match : matchEltwise(op.getResult(0), backward)) {
      bool usesDst = match.function.usesDst();
      if ((backward ? usesDst != (role == "dst") : usesDst) ||
          (match.data && !r.isArgument(match.data, role)))
        continue;
      p.own["alg"] = match.function.name;
      p.own["alpha"] = realText(match.function.alpha);
      p.own["beta"] = realText(match.function.beta);
      candidates.push_back(p);
    }
  }
  return firstThatBuilds(r, kEltwise, candidates);
}

static void json(const Problem &p, llvm::json::Object &object) {
  shapeJson(p, {p.knob("dt")}, object);
  object["alpha"] = realOf(p.knob("alpha"));
  object["beta"] = realOf(p.knob("beta"));
}

static constexpr OwnKnob kKnobs[] = {
    kPassKnob,
    {"dt", "f32", "T,...: data type of all tensors", readType},
    {"tag", "abx", "TAG,...: memory format of all tensors", readTag},
    {"alg", "relu", "NAME,...: the function", readFunction},
    {"alpha", "0", "X,...: its first number", readReal},
    {"beta", "0", "X,...: its second number", readReal},
    kFirstSizeKnob,
    kInPlaceKnob};

const Driver drivers::kEltwise = {.name = "eltwise",
                                  .parse = parse,
                                  .text = shapesText,
                                  .build = build,
                                  .recognise = recognise,
                                  .dims = firstDims,
                                  .json = json,
                                  .knobs = kKnobs,
                                  .hasAttributes = true,
                                  .namePrefix = "_n"};
