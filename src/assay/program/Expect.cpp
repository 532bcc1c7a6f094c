// Compares results with expected tensors. The rule decides; the largest
// absolute error and ULP distance are shown as well. Rule `shadow` measures
// both sides against the f64 (binary128) shadow. The result passes if its error
// exceeds the expected tensor's by at most a factor, or is below a few ULP of
// the result. In addition each side must be within that factor of the
// reference's own error, or within the tolerance of rule dtype around the
// shadow.
#include "assay/program/Expect.h"
#include "assay/formats/Npz.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FailingElements.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/numerics/Text.h"
#include "assay/numerics/Ulp.h"

#include <cmath>

namespace assay::program {

using numerics::ElementType;
using numerics::FloatFormat;

static std::vector<double> toDoubles(ElementType type, const std::byte *bytes,
                                     int64_t count, bool isComplex) {
  std::vector<double> values(
      static_cast<size_t>(isComplex ? 2 * count : count));
  ElementType wide = isComplex ? ElementType::complex(FloatFormat::F64)
                               : ElementType::floating(FloatFormat::F64);
  numerics::convertArray(type, bytes, wide, values.data(), count);
  return values;
}

static void measure(const Tensor &got, const Tensor &expected,
                    ResultVerdict &verdict) {
  int64_t width = got.elementType().storageBytes();
  bool isComplex = got.elementType().isComplex();
  std::vector<double> a =
      toDoubles(got.elementType(), got.bytes(), got.size(), isComplex);
  std::vector<double> b =
      toDoubles(got.elementType(), expected.bytes(), got.size(), isComplex);
  for (size_t i = 0; i < a.size(); ++i) {
    double error = std::fabs(a[i] - b[i]);
    if (std::isfinite(error))
      verdict.maxAbs = std::max(verdict.maxAbs, error);
  }
  for (int64_t i = 0; i < got.size(); ++i)
    verdict.maxUlp = std::max(
        verdict.maxUlp,
        numerics::ulpDistance(got.elementType(), got.bytes() + i * width,
                              expected.bytes() + i * width));
}

ResultVerdict compareResult(const Tensor &got, const Tensor &expected,
                            std::string name) {
  ResultVerdict verdict;
  verdict.name = std::move(name);
  verdict.type = got.type();
  measure(got, expected, verdict);
  return verdict;
}

/// How many of the worst points are kept.
static constexpr int kPoints = 8;

/// Applies a rule to the pair and notes which elements fail it.
static llvm::Error noteVerdict(const numerics::Rule &rule,
                               const numerics::Judgement &pair,
                               ResultVerdict &verdict) {
  llvm::Expected<numerics::Verdict> judged = rule.judge(pair);
  if (!judged)
    return judged.takeError();
  verdict.passed = judged->passed;
  verdict.rule = judged->rule;
  verdict.text = judged->text();
  verdict.elements = judged->checked;
  verdict.failures = judged->failing;
  if (const numerics::JudgedPoint *worst = judged->worst()) {
    verdict.worst = numerics::printIndex(worst->index, pair.shape);
    verdict.ofBound = worst->fraction;
  }
  for (const numerics::JudgedPoint &point : judged->points)
    if (point.fraction > 1)
      verdict.points.push_back(point);
  return judged->passed
             ? llvm::Error::success()
             : numerics::failingElements(rule, pair).moveInto(verdict.failing);
}

// Largest |x - shadow| over the RMS of the shadow.
static double shadowError(const std::vector<double> &values,
                          const std::vector<double> &shadow, double rms) {
  double worst = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i]) && std::isnan(shadow[i]))
      continue;
    double error =
        values[i] == shadow[i] ? 0 : std::fabs(values[i] - shadow[i]);
    worst = std::max(worst, std::isnan(error) ? INFINITY : error);
  }
  return rms > 0 ? worst / rms : worst;
}

namespace {
/// The true values of one result under rule shadow, and the errors allowed
/// there.
class ShadowTruth {
public:
  /// `own`: the reference's result, with its shadow.
  static llvm::Expected<ShadowTruth> make(const Value &own, double factor);

  const std::vector<double> &values() const { return shadow_; }
  double errorOf(const Tensor &side) const {
    return shadowError(
        toDoubles(type_, side.bytes(), side.size(), type_.isComplex()), shadow_,
        rms_);
  }
  /// Judges one side and adds its findings to the verdict.
  void judge(const Tensor &side, const char *name,
             ResultVerdict &verdict) const;

private:
  /// The allowed distance of a finite part from its shadow.
  double allowed(size_t part) const {
    double off = std::fabs(own_[part] - shadow_[part]);
    return std::max(factor_ * ((std::isfinite(off) ? off : 0) + ownRms_) +
                        numerics::ulpOf(shadow_[part], type_.format),
                    numerics::dtypeConstant(type_) *
                            (std::fabs(shadow_[part]) + rms_) +
                        numerics::minNormal(type_.format));
  }

  ElementType type_;
  tensor::Shape shape_;
  std::vector<double> shadow_, own_;
  double rms_ = 0, ownRms_ = 0, factor_ = 0;
};
} // namespace

/// The root mean square of the finite values.
static double rmsOf(const std::vector<double> &values) {
  double squares = 0;
  int64_t finite = 0;
  for (double x : values)
    if (std::isfinite(x)) {
      squares += x * x;
      ++finite;
    }
  return finite ? std::sqrt(squares / static_cast<double>(finite)) : 0;
}

llvm::Expected<ShadowTruth> ShadowTruth::make(const Value &own, double factor) {
  llvm::Expected<Tensor> wide = own.shadow().dense(),
                         value = own.tensor().dense();
  if (!wide || !value)
    return llvm::joinErrors(wide.takeError(), value.takeError());
  ShadowTruth truth;
  truth.type_ = value->elementType();
  truth.shape_ = tensor::Shape(value->shape().begin(), value->shape().end());
  bool isComplex = truth.type_.isComplex();
  truth.shadow_ =
      toDoubles(wide->elementType(), wide->bytes(), wide->size(), isComplex);
  truth.own_ = toDoubles(truth.type_, value->bytes(), value->size(), isComplex);
  truth.factor_ = factor;
  truth.rms_ = rmsOf(truth.shadow_);
  std::vector<double> errors;
  for (size_t i = 0; i < truth.own_.size(); ++i)
    errors.push_back(truth.own_[i] - truth.shadow_[i]);
  truth.ownRms_ = rmsOf(errors);
  return truth;
}

/// Adds elements that are too far from their shadow to those that already fail.
static void noteFailing(llvm::ArrayRef<int64_t> failing, int64_t worst,
                        double got, double shadow, double allowed,
                        ResultVerdict &verdict) {
  llvm::append_range(verdict.failing, failing);
  llvm::sort(verdict.failing);
  verdict.failing.erase(
      std::unique(verdict.failing.begin(), verdict.failing.end()),
      verdict.failing.end());
  verdict.failures =
      std::max(verdict.failures, static_cast<int64_t>(verdict.failing.size()));
  double error = std::fabs(got - shadow);
  if (verdict.points.size() < kPoints)
    verdict.points.push_back({worst, numerics::printDouble(got),
                              numerics::printDouble(shadow), error, allowed,
                              error / allowed});
}

void ShadowTruth::judge(const Tensor &side, const char *name,
                        ResultVerdict &verdict) const {
  std::vector<double> got =
      toDoubles(type_, side.bytes(), side.size(), type_.isComplex());
  size_t parts = type_.isComplex() ? 2 : 1, wrong = 0, open = 0, worst = 0;
  double most = 0;
  std::vector<int64_t> failing;
  for (size_t i = 0; i < got.size(); ++i) {
    bool same =
        got[i] == own_[i] || (std::isnan(got[i]) && std::isnan(own_[i]));
    if (same && !std::isfinite(got[i]))
      continue;
    double share = 0;
    if (std::isfinite(got[i]) && std::isfinite(shadow_[i]))
      share = std::fabs(got[i] - shadow_[i]) / allowed(i);
    else if (!std::isfinite(shadow_[i]) && std::isfinite(own_[i]))
      ++open; // the shadow computation took a different branch than the values
    else
      share = INFINITY;
    wrong += share > 1;
    if (share > 1)
      failing.push_back(static_cast<int64_t>(i / parts));
    if (share > most)
      most = share, worst = i;
  }
  std::string text;
  if (wrong > 0) {
    verdict.passed = false;
    noteFailing(failing, static_cast<int64_t>(worst / parts), got[worst],
                shadow_[worst], allowed(worst), verdict);
    text = llvm::formatv("{0}: {1} of {2} numbers are further from the shadow "
                         "than rule shadow allows; worst at {3}: {4}, shadow "
                         "{5}, allowed error {6}",
                         name, wrong, got.size(),
                         numerics::printIndex(
                             static_cast<int64_t>(worst / parts), shape_),
                         numerics::printDouble(got[worst]),
                         numerics::printDouble(shadow_[worst]),
                         numerics::printDouble(allowed(worst)))
               .str();
  } else if (2 * open > got.size()) {
    verdict.mistrusted = true;
    text = llvm::formatv("{0}: {1} of {2} numbers have no finite shadow to be "
                         "judged by",
                         name, open, got.size())
               .str();
  }
  if (!text.empty())
    verdict.text += (verdict.text.empty() ? "" : "; ") + text;
}

/// Judges by rule shadow: got against expected, and both against the shadow.
static llvm::Error judgeByShadow(const Value &trusted, const Tensor &got,
                                 const Tensor &expected,
                                 const numerics::Rule &rule,
                                 numerics::Judgement &judgement,
                                 ResultVerdict &verdict) {
  llvm::Expected<ShadowTruth> truth = ShadowTruth::make(trusted, rule.factor());
  if (!truth)
    return truth.takeError();
  judgement.shadow = truth->values();
  verdict.errorGot = truth->errorOf(got);
  verdict.errorExpected = truth->errorOf(expected);
  if (llvm::Error error = noteVerdict(rule, judgement, verdict))
    return error;
  std::string agree; // the text that is used where neither side is wrong
  if (verdict.passed)
    std::swap(agree, verdict.text);
  truth->judge(expected, "expected", verdict);
  truth->judge(got, "got", verdict);
  if (verdict.text.empty())
    verdict.text = std::move(agree);
  verdict.mistrusted &= verdict.passed;
  verdict.passed &= !verdict.mistrusted;
  return llvm::Error::success();
}

static llvm::Expected<ResultVerdict>
judgeOne(const Value &result, const Value &trusted, const Tensor &expected,
         std::string name, const numerics::Rule &rule) {
  llvm::Expected<Tensor> got = result.tensor().dense();
  if (!got)
    return got.takeError();
  ResultVerdict verdict = compareResult(*got, expected, std::move(name));
  numerics::Judgement judgement;
  judgement.type = got->elementType();
  judgement.got = got->bytes();
  judgement.expected = expected.bytes();
  judgement.n = got->size();
  judgement.shape = got->shape();
  judgement.maxPoints = kPoints;
  if (rule.kind() == numerics::RuleKind::Shadow && trusted.shadow().valid()) {
    if (llvm::Error error =
            judgeByShadow(trusted, *got, expected, rule, judgement, verdict))
      return error;
    return verdict;
  }
  // Integers and predicates have no shadow: they must agree.
  numerics::Rule applied = rule.kind() == numerics::RuleKind::Shadow
                               ? numerics::Rule::exact()
                               : rule;
  if (llvm::Error error = noteVerdict(applied, judgement, verdict))
    return error;
  return verdict;
}

static void addTensors(const Value &value, size_t index, std::string name,
                       std::vector<NamedValue> &tensors) {
  if (value.isTensor())
    tensors.push_back({index, std::move(name), &value});
  else if (value.isTuple())
    for (auto [i, part] : llvm::enumerate(value.tuple()))
      addTensors(part, index, name + "." + std::to_string(i), tensors);
}

std::vector<NamedValue> tensorsOf(llvm::ArrayRef<Value> results) {
  std::vector<NamedValue> tensors;
  for (auto [i, value] : llvm::enumerate(results))
    addTensors(value, i, "out" + std::to_string(i), tensors);
  return tensors;
}

llvm::Expected<std::vector<ExpectedResult>>
readExpected(llvm::ArrayRef<Value> results, llvm::StringRef npzPath) {
  llvm::Expected<formats::NpzReader> file = formats::NpzReader::open(npzPath);
  if (!file)
    return file.takeError();
  std::vector<NamedValue> tensors = tensorsOf(results);
  for (const std::string &member : file->names())
    if (formats::isNumbered(member, "out") &&
        llvm::none_of(tensors, [&](const NamedValue &value) {
          return value.name == member;
        }))
      return makeError(
          ErrorCode::InvalidArgument,
          "'{0}' has '{1}', which the program does not make: its "
          "{2}",
          npzPath, member,
          results.size() == 1
              ? "only result is out0"
              : llvm::formatv("results are out0 to out{0}", results.size() - 1)
                    .str());
  std::vector<ExpectedResult> members;
  for (NamedValue &result : tensors) {
    const tensor::TensorType &type = result.value->tensor().type();
    llvm::Expected<Tensor> expected = file->read(result.name, type);
    if (!expected)
      return expected.takeError();
    llvm::Expected<Tensor> dense = expected->dense();
    if (!dense)
      return dense.takeError();
    members.push_back({result.index, std::move(result.name), result.value,
                       std::move(*dense)});
  }
  return members;
}

llvm::Expected<std::vector<ResultVerdict>>
judgeResults(llvm::ArrayRef<Value> results, llvm::StringRef npzPath,
             const numerics::RuleSet &rules, llvm::ArrayRef<Value> trusted) {
  llvm::Expected<std::vector<ExpectedResult>> expected =
      readExpected(results, npzPath);
  if (!expected)
    return expected.takeError();
  std::vector<ResultVerdict> verdicts;
  std::vector<NamedValue> own = tensorsOf(trusted);
  for (auto [i, one] : llvm::enumerate(*expected)) {
    const Value &result = *one.value;
    llvm::Expected<ResultVerdict> verdict = judgeOne(
        result, i < own.size() ? *own[i].value : result, one.tensor, one.name,
        rules.ruleFor(one.name, result.tensor().elementType()));
    if (!verdict)
      return verdict.takeError();
    verdicts.push_back(std::move(*verdict));
  }
  return verdicts;
}

} // namespace assay::program
