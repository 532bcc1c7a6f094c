// Results against expected tensors. The rule decides; the largest absolute
// error and ULP distance are shown beside. Rule `shadow` has no tolerance of
// its own making: both sides are measured against the f64 (binary128) shadow,
// and ours passes while its error is not worse than the other side's by more
// than a factor, or lies below a few ULP of the result.
#include "assay/program/Expect.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Text.h"
#include "assay/numerics/Ulp.h"
#include "assay/tensor/Npz.h"

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

static llvm::Expected<ResultVerdict> judgeOne(const Value &result,
                                              const Tensor &expected,
                                              std::string name,
                                              const numerics::Rule &rule) {
  llvm::Expected<Tensor> got = result.tensor().dense();
  if (!got)
    return got.takeError();
  ResultVerdict verdict = compareResult(*got, expected, std::move(name));
  std::vector<double> shadow;
  ElementType type = got->elementType();
  bool isShadow =
      rule.kind() == numerics::RuleKind::Shadow && result.shadow().valid();
  if (isShadow) {
    llvm::Expected<Tensor> wide = result.shadow().dense();
    if (!wide)
      return wide.takeError();
    shadow = toDoubles(wide->elementType(), wide->bytes(), wide->size(),
                       type.isComplex());
    double squares = 0;
    int64_t finite = 0;
    for (double x : shadow)
      if (std::isfinite(x)) {
        squares += x * x;
        ++finite;
      }
    double rms = finite ? std::sqrt(squares / static_cast<double>(finite)) : 0;
    verdict.errorGot = shadowError(
        toDoubles(type, got->bytes(), got->size(), type.isComplex()), shadow,
        rms);
    verdict.errorExpected = shadowError(
        toDoubles(type, expected.bytes(), got->size(), type.isComplex()),
        shadow, rms);
  }
  numerics::Judgement judgement;
  judgement.type = type;
  judgement.got = got->bytes();
  judgement.expected = expected.bytes();
  judgement.n = got->size();
  judgement.shape = got->shape();
  judgement.shadow = shadow;
  // Integers and predicates have no shadow: they must agree.
  numerics::Rule applied =
      rule.kind() == numerics::RuleKind::Shadow && !isShadow
          ? numerics::Rule::exact()
          : rule;
  llvm::Expected<numerics::Verdict> judged = applied.judge(judgement);
  if (!judged)
    return judged.takeError();
  verdict.passed = judged->passed;
  verdict.rule = judged->rule;
  verdict.text = judged->text();
  if (const numerics::JudgedPoint *worst = judged->worst()) {
    verdict.worst = numerics::printIndex(worst->index, got->shape());
    verdict.ofBound = worst->fraction;
  }
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
  llvm::Expected<tensor::NpzReader> file = tensor::NpzReader::open(npzPath);
  if (!file)
    return file.takeError();
  std::vector<NamedValue> tensors = tensorsOf(results);
  for (const std::string &member : file->names())
    if (tensor::isNumbered(member, "out") &&
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
             const numerics::RuleSet &rules) {
  llvm::Expected<std::vector<ExpectedResult>> expected =
      readExpected(results, npzPath);
  if (!expected)
    return expected.takeError();
  std::vector<ResultVerdict> verdicts;
  for (const ExpectedResult &one : *expected) {
    const Value &result = *one.value;
    llvm::Expected<ResultVerdict> verdict =
        judgeOne(result, one.tensor, one.name,
                 rules.ruleFor(one.name, result.tensor().elementType()));
    if (!verdict)
      return verdict.takeError();
    verdicts.push_back(std::move(*verdict));
  }
  return verdicts;
}

} // namespace assay::program
