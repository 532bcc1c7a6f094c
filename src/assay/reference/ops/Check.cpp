// The check dialect and its custom_call forms. Every check is judged by a
// numerics rule and recorded with its location, and the run continues. NaN
// equals NaN in expect_eq and +0 equals -0, except with the attribute
// `bitwise`, as its documentation says.
// Source: the check operations of StableHLO's interpreter tests.
#include "assay/formats/Npy.h"
#include "assay/numerics/Rules.h"
#include "assay/numerics/Ulp.h"
#include "assay/program/Types.h"
#include "assay/reference/Ops.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

#include <cstring>

namespace assay::reference {

using numerics::Rule;
using numerics::Verdict;

static void record(StepContext &context, bool passed, std::string message) {
  std::string location = program::describeLocation(context.op->getLoc());
  context.run.checks.push_back(
      {passed, std::move(location), std::move(message)});
}

static llvm::Error expectOneType(const Tensor &got, const Tensor &expected) {
  if (got.type() == expected.type())
    return llvm::Error::success();
  return makeError(ErrorCode::Mismatch, "types differ: {0} against {1}",
                   tensor::toString(got.type()),
                   tensor::toString(expected.type()));
}

static llvm::Expected<Verdict> judge(const Rule &rule, const Tensor &got,
                                     const Tensor &expected) {
  if (llvm::Error error = expectOneType(got, expected))
    return error;
  llvm::Expected<Tensor> a = got.dense(), b = expected.dense();
  if (!a) {
    llvm::consumeError(b.takeError());
    return a.takeError();
  }
  if (!b)
    return b.takeError();
  numerics::Judgement judgement;
  judgement.type = got.elementType();
  judgement.got = a->bytes();
  judgement.expected = b->bytes();
  judgement.n = a->size();
  judgement.shape = a->shape();
  return rule.judge(judgement);
}

static llvm::Error check(StepContext &context, const Rule &rule,
                         const Tensor &got, const Tensor &expected,
                         uint64_t minUlp = 0) {
  llvm::Expected<Verdict> verdict = judge(rule, got, expected);
  if (!verdict)
    return verdict.takeError();
  std::string message = verdict->text();
  bool passed = verdict->passed;
  uint64_t distance = verdict->worst() ? verdict->worst()->ulp : 0;
  if (passed && distance < minUlp) {
    passed = false;
    message = llvm::formatv(
                  "the largest distance is {0} ulp, at least {1} were expected",
                  distance, minUlp)
                  .str();
  }
  record(context, passed, std::move(message));
  return llvm::Error::success();
}

/// The literal attribute `value`, which replaces the second operand.
static Tensor literalOf(const StepSpec &spec) {
  auto value = spec.op->getAttrOfType<mlir::ElementsAttr>("value");
  if (!value)
    return {};
  return llvm::cantFail(
      llvm::cantFail(program::tensorOf(value, std::make_shared<int>(0)))
          .dense());
}

/// The bits of an element as text, the highest digit first.
static std::string bitsOf(const std::byte *element, int64_t width) {
  llvm::SmallVector<uint8_t> bytes;
  for (int64_t i = width; i-- > 0;)
    bytes.push_back(static_cast<uint8_t>(element[i]));
  return "0x" + llvm::toHex(bytes);
}

static llvm::Error checkBits(StepContext &context, const Tensor &got,
                             const Tensor &expected) {
  if (llvm::Error error = expectOneType(got, expected))
    return error;
  llvm::Expected<Tensor> a = got.dense();
  if (!a)
    return a.takeError();
  llvm::Expected<Tensor> b = expected.dense();
  if (!b)
    return b.takeError();
  int64_t width = a->elementType().storageBytes(), differing = 0, first = -1;
  for (int64_t i = a->size(); i-- > 0;)
    if (std::memcmp(a->bytes() + i * width, b->bytes() + i * width, width) != 0)
      ++differing, first = i;
  record(context, differing == 0,
         differing == 0
             ? "the same bits"
             : llvm::formatv("the bits of {0} of {1} elements differ: element "
                             "{2} has {3}, expected {4}",
                             differing, a->size(), first,
                             bitsOf(a->bytes() + first * width, width),
                             bitsOf(b->bytes() + first * width, width))
                   .str());
  return llvm::Error::success();
}

// Checks two operands, or one operand and the literal attribute `value`.
static std::unique_ptr<Step> makeCheck(const StepSpec &spec, Rule rule,
                                       uint64_t minUlp = 0) {
  return program::makeStep([rule, literal = literalOf(spec),
                            minUlp](StepContext &context) {
    return check(context, rule, context.operandValue(0).tensor(),
                 literal.valid() ? literal : context.operandValue(1).tensor(),
                 minUlp);
  });
}

llvm::Expected<std::unique_ptr<Step>> expectEq(const StepSpec &spec) {
  if (!spec.op->hasAttr("bitwise"))
    return makeCheck(spec, Rule::exact());
  return program::makeStep([literal = literalOf(spec)](StepContext &context) {
    return checkBits(context, context.operandValue(0).tensor(),
                     literal.valid() ? literal
                                     : context.operandValue(1).tensor());
  });
}

llvm::Expected<std::unique_ptr<Step>> expectAlmostEq(const StepSpec &spec) {
  double tolerance = 1e-4;
  if (auto attribute = spec.op->getAttrOfType<mlir::FloatAttr>("tolerance"))
    tolerance = attribute.getValueAsDouble();
  return makeCheck(spec, Rule::close(0, tolerance));
}

/// The largest distance of corresponding elements in ULP; infinite if only one
/// of a pair is finite.
static uint64_t largestDistance(const Tensor &a, const Tensor &b) {
  uint64_t largest = 0;
  int64_t width = a.elementType().storageBytes();
  for (int64_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, numerics::ulpDistance(a.elementType(),
                                                      a.bytes() + i * width,
                                                      b.bytes() + i * width));
  return largest;
}

/// A check without an upper limit: the largest distance must be at least
/// `least`.
static std::unique_ptr<Step> makeUnlimitedClose(uint64_t least) {
  return program::makeStep([least](StepContext &context) -> llvm::Error {
    llvm::Expected<Tensor> got = context.operandValue(0).tensor().dense();
    if (!got)
      return got.takeError();
    llvm::Expected<Tensor> expected = context.operandValue(1).tensor().dense();
    if (!expected)
      return expected.takeError();
    uint64_t distance = largestDistance(*got, *expected);
    record(context, distance >= least,
           llvm::formatv(
               "the largest distance is {0} ulp, at least {1} were expected",
               distance, least)
               .str());
    return llvm::Error::success();
  });
}

llvm::Expected<std::unique_ptr<Step>> expectClose(const StepSpec &spec) {
  auto most = static_cast<uint64_t>(intOf(spec.op, "max_ulp_difference", 1)),
       least = static_cast<uint64_t>(intOf(spec.op, "min_ulp_difference", 0));
  // Without a limit every distance passes, even between infinities and NaN.
  if (most == ~uint64_t{0})
    return makeUnlimitedClose(least);
  return makeCheck(spec, Rule::ulp(most), least);
}

// Finds line `iteration` among the probe's lines in index.csv (columns
// probe_id,type,path) and compares the file.
llvm::Expected<std::unique_ptr<Step>> expectSerializedEq(const StepSpec &spec) {
  return program::makeStep([probe = stringOf(spec.op, "probe_id").str(),
                            iteration = intOf(spec.op, "iteration")](
                               StepContext &context) -> llvm::Error {
    if (context.run.probeDirectory.empty())
      return makeError(
          ErrorCode::InvalidArgument,
          "there is no probe directory: give one with --probe-output-dir");
    llvm::Expected<std::string> index =
        program::readFile(context.run.probeDirectory + "/index.csv");
    if (!index)
      return index.takeError();
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(*index).split(lines, '\n', -1, false);
    int64_t seen = 0;
    for (llvm::StringRef line : lines) {
      if (line.split(',').first != probe || seen++ != iteration)
        continue;
      llvm::Expected<Tensor> saved = formats::readNpy(
          line.rsplit(',').second, context.operandValue(0).tensor().type());
      if (!saved)
        return saved.takeError();
      return check(context, Rule::exact(), *saved,
                   context.operandValue(0).tensor());
    }
    record(context, false,
           llvm::formatv("probe '{0}' has no iteration {1}", probe, iteration)
               .str());
    return llvm::Error::success();
  });
}

// custom_call @check.expect_eq and the like; null for other targets.
std::unique_ptr<Step> makeCheckCall(const StepSpec &spec,
                                    llvm::StringRef target) {
  if (target == "check.expect_eq")
    return makeCheck(spec, Rule::exact());
  if (target == "check.expect_close")
    return makeCheck(spec, Rule::ulp(3));
  if (target == "check.expect_almost_eq")
    return makeCheck(spec, Rule::close(0, 1e-3));
  if (target != "check.eq")
    return nullptr;
  return program::makeStep([](StepContext &context) -> llvm::Error {
    const Tensor &got = context.operandValue(0).tensor();
    bool exact = !got.elementType().isFloat() && !got.elementType().isComplex();
    llvm::Expected<Verdict> verdict =
        judge(exact ? Rule::exact() : Rule::close(0, 1e-4), got,
              context.operandValue(1).tensor());
    if (!verdict)
      return verdict.takeError();
    *context.out(0).mutableData<uint8_t>() = verdict->passed;
    record(context, verdict->passed, verdict->text());
    return llvm::Error::success();
  });
}

} // namespace assay::reference
