// Driver `softmax`: "NxCx...", exponentials over their sum along an axis, or the
// logarithm of that; backward from dst, which is filled with the result of a
// forward pass. The scale of src multiplies the result.
#include "assay/judge/program/CommonForms.h"
#include "assay/formulas/Softmax.h"
#include "assay/verify/AccurateEltwise.h"
#include "assay/verify/drivers/Assembly.h"
#include "assay/verify/drivers/Drivers.h"
#include "assay/verify/drivers/Recognition.h"
#include "assay/verify/drivers/Sizes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace assay;
using namespace assay::formulas;
using namespace assay::verify;
using namespace assay::verify::drivers;
using mlir::Value;

static constexpr llvm::StringRef kNames[] = {"SOFTMAX", "LOGSOFTMAX",
                                             "SOFTMAX_INF_AS_ZERO"};

static llvm::Expected<std::string> readAlgorithm(llvm::StringRef value) {
  std::string name =
      llvm::StringSwitch<std::string>(value.lower())
          .Case("softmax_accurate", "SOFTMAX")
          .Case("softmax_log", "LOGSOFTMAX")
          .Case("softmax_accurate_inf_as_zero", "SOFTMAX_INF_AS_ZERO")
          .Default(value.str());
  return readWord(name, kNames);
}

static SoftmaxForm formOf(llvm::StringRef name) {
  return name == "SOFTMAX"      ? SoftmaxForm::Plain
         : name == "LOGSOFTMAX" ? SoftmaxForm::Logarithm
                                : SoftmaxForm::InfAsZero;
}

static llvm::Expected<std::string> readAccumulation(llvm::StringRef value) {
  return readWord(value, {"strict", "relaxed", "any"});
}

/// The exponentials may be kept in a narrow dst, rounded, before they are
/// divided: oneDNN 2.6 always does, later versions in the modes relaxed and
/// any, which also sum the rounded values.
static judge::Accuracy accuracyOf(const Problem &p, ElementType to) {
  if (!to.isFloat() || to.bits != 16)
    return {};
  double rounding = to == types::BF16 ? 0x1p15 : 0x1p12;
  return {p.knob("attr-acc-mode") == "strict" ? rounding : 2 * rounding, 0};
}

static int64_t axisOf(const Problem &p) {
  int64_t axis = 0;
  p.knob("axis").getAsInteger(10, axis);
  return axis;
}

static llvm::Error parse(llvm::StringRef token, int64_t mb, Problem &p) {
  if (llvm::Error error = readShapes(token, 1, p))
    return error;
  takeBatch(p, mb);
  if (!isForward(p.direction) && p.knob("dtag") == "any")
    p.own["dtag"] = p.knob("stag").str();
  size_t rank = p.shapes[0].size();
  if (axisOf(p) >= static_cast<int64_t>(rank))
    p.invalid = llvm::formatv("--axis={0} of a tensor of {1} dimensions",
                              axisOf(p), rank);
  if (p.knob("alg") == "SOFTMAX_INF_AS_ZERO" && !isForward(p.direction))
    p.invalid = "--alg=SOFTMAX_INF_AS_ZERO has no backward pass";
  return llvm::Error::success();
}

static llvm::Expected<BoundProgram> build(const Problem &p) {
  if (!p.invalid.empty())
    return makeError(ErrorCode::InvalidArgument, "{0}", p.invalid);
  ElementType from = typeOf(p.knob("sdt")), to = typeOf(p.knob("ddt"));
  Layout source{p.knob("stag").str(), {}}, target{p.knob("dtag").str(), {}};
  SoftmaxForm form = formOf(p.knob("alg"));
  const Dims &sizes = p.shapes[0];
  bool isWide = llvm::is_contained({from, to}, types::F64);
  Assembly a(p, isWide ? types::F64 : types::F32);
  AccurateArithmetic arithmetic(a.builder());
  if (isForward(p.direction)) {
    Value x = a.input("src", from, sizes, source);
    x = softmaxForward(arithmetic, x, axisOf(p), form);
    x = judge::withAccuracy(x, accuracyOf(p, to));
    a.finishDst(x, to, sizes, target);
    return a.finish(p.direction);
  }
  if (!p.attributes.empty())
    a.unsupported("attributes of a backward pass");
  Value dst = a.input("dst", to, sizes, target);
  a.lastInput().values = form == SoftmaxForm::Logarithm
                             ? Binding::Values::LogSoftmax
                             : Binding::Values::Softmax;
  a.lastInput().axis = axisOf(p);
  Value gradient = a.input("diff_dst", to, sizes, target);
  a.result("diff_src",
           softmaxBackward(arithmetic, dst, gradient, axisOf(p), form), from,
           sizes, source);
  return a.finish(p.direction);
}

static std::optional<Problem> recognise(const BoundProgram &bound) {
  Reading r(bound);
  if (!r.isValid() || r.operations("reduce").empty() ||
      bound.outputs.size() != 1)
    return std::nullopt;
  bool forward = r.input("src") >= 0;
  llvm::StringRef before = forward ? "src" : "diff_src",
                  after = forward ? "dst" : "diff_dst";
  Dims axes = integersOf(r.operations("reduce")[0], "dimensions");
  if (!r.has(before) || !r.has(after) || axes.size() != 1)
    return std::nullopt;
  Problem p = candidateOf(kSoftmax, r);
  p.shapes = {r.dimsOf(before)};
  p.own["axis"] = std::to_string(axes[0]);
  takeTensor(p, r, before, "sdt", "stag");
  takeTensor(p, r, after, "ddt", "dtag");
  std::vector<Problem> candidates;
  for (llvm::StringRef name : kNames) {
    p.own["alg"] = name.str();
    candidates.push_back(p);
  }
  return firstThatBuilds(r, kSoftmax, candidates);
}

static void json(const Problem &p, llvm::json::Object &object) {
  shapeJson(p, {p.knob("sdt"), p.knob("ddt")}, object);
  object["axis"] = axisOf(p);
}

static constexpr OwnKnob kKnobs[] = {
    kPassKnob,
    kSrcTypeKnob,
    kDstTypeKnob,
    kSrcTagKnob,
    kDstTagKnob,
    {"alg", "SOFTMAX", "SOFTMAX LOGSOFTMAX SOFTMAX_INF_AS_ZERO", readAlgorithm},
    {"attr-acc-mode", "strict", "strict relaxed any", readAccumulation},
    {"axis", "1", "N,...: the dimension that sums to 1", readSize},
    kFirstSizeKnob,
    kInPlaceKnob};

const Driver drivers::kSoftmax = {.name = "softmax",
                                  .parse = parse,
                                  .text = shapesText,
                                  .build = build,
                                  .recognise = recognise,
                                  .dims = firstDims,
                                  .json = json,
                                  .knobs = kKnobs,
                                  .hasAttributes = true,
                                  .namePrefix = "_n"};
