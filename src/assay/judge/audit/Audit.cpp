// The cases of an audit, and an acceptance's verdicts on them. Wrong ones are
// outputs that were damaged (WrongOutputs.cpp) and results of programs with a
// fault (WrongPrograms.cpp); one within the error bound of a correct
// implementation is not a fault on this data and is left out. Right ones are
// results of correct evaluations: rounded once from the exact ones, summed in
// sequence, with other roundings, with subnormal numbers flushed.
#include "assay/judge/audit/Audit.h"
#include "assay/judge/audit/WrongOutputs.h"
#include "assay/judge/audit/WrongPrograms.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/judge/program/Evaluations.h"
#include "assay/judge/program/ProgramFill.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/numerics/Rules.h"
#include "assay/program/Executor.h"
#include "assay/reference/Reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
using program::Value;
using tensor::Tensor;

static llvm::Expected<std::vector<Tensor>>
denseTensors(llvm::ArrayRef<Value> values) {
  std::vector<Tensor> out;
  for (const Value &value : values) {
    if (!value.isTensor())
      return makeError(ErrorCode::Unsupported,
                       "a result of the program is not a tensor");
    llvm::Expected<Tensor> dense = value.tensor().dense();
    if (!dense)
      return dense.takeError();
    out.push_back(std::move(*dense));
  }
  return out;
}

llvm::Expected<std::vector<Tensor>>
Audit::results(std::shared_ptr<const program::Program> program,
               llvm::ArrayRef<Tensor> inputs, ThreadPool &pool,
               bool sequential) const {
  program::PlanOptions options;
  options.entry = entry_;
  options.numeric.accumulatePerStep = sequential;
  llvm::Expected<std::unique_ptr<program::Plan>> plan = program::buildPlan(
      std::move(program), reference::ReferenceCompiler(), options);
  if (!plan)
    return plan.takeError();
  program::RunContext context(pool);
  context.interrupt = interrupt_;
  llvm::Expected<std::vector<Value>> values =
      program::execute(**plan, inputs, context);
  if (!values)
    return values.takeError();
  return denseTensors(*values);
}

llvm::Expected<Audit>
Audit::make(std::shared_ptr<const program::Program> program, std::string entry,
            std::vector<Tensor> inputs, ThreadPool &pool, double maxSeconds) {
  Audit audit;
  audit.program_ = std::move(program);
  audit.entry_ = std::move(entry);
  audit.inputs_ = std::move(inputs);
  if (maxSeconds > 0)
    audit.interrupt_.setTimeLimit(maxSeconds);
  if (llvm::Error error = computeTruth(audit.program_, audit.entry_,
                                       audit.inputs_, pool, maxSeconds)
                              .moveInto(audit.truth_))
    return error;
  if (llvm::Error error =
          denseTensors(audit.truth_.results).moveInto(audit.expected_))
    return error;
  if (llvm::Error error = audit.addRight(pool, maxSeconds))
    return error;
  if (llvm::Error error = audit.addWrongOutputs(pool))
    return error;
  if (llvm::Error error = audit.addWrongPrograms(pool))
    return error;
  if (llvm::Error error = audit.interrupt_.check())
    return error;
  return audit;
}

/// The exact result, rounded once to the result's type.
static llvm::Expected<Tensor> roundedOnce(const Value &value) {
  if (!isFloating(value))
    return value.tensor().dense();
  ElementType type = value.tensor().elementType();
  llvm::Expected<Tensor> out = Tensor::allocate(value.tensor().type());
  if (!out)
    return out;
  std::vector<double> exact = exactValues(value);
  numerics::convertArray(wideType(type), exact.data(), type,
                         out->mutableBytes(), out->size());
  return out;
}

/// Numbers below the smallest normal one as zeros of their sign.
static llvm::Expected<Tensor> flushed(const Tensor &tensor) {
  llvm::Expected<Tensor> out = Tensor::allocate(tensor.type());
  if (!out || !tensor.elementType().isFloat())
    return tensor;
  double least = std::ldexp(
      1.0, numerics::formatInfo(tensor.elementType().format).minExponent());
  std::vector<double> values(static_cast<size_t>(tensor.size()));
  numerics::toDoubles(tensor.elementType(), tensor.bytes(), values.data(),
                      tensor.size());
  for (double &x : values)
    if (std::fabs(x) < least)
      x = std::copysign(0.0, x);
  numerics::convertArray(ElementType::floating(FloatFormat::F64), values.data(),
                         tensor.elementType(), out->mutableBytes(),
                         tensor.size());
  return out;
}

/// The largest error of a result as a share of its bound; 0 where the judge
/// sees nothing wrong.
static double shareOf(const ProgramTruth &truth, llvm::ArrayRef<Tensor> got) {
  double share = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    Verdict verdict = judgeResult(truth, i, got[i].bytes());
    for (const WorstPoint &point : verdict.worst)
      share = std::max(share,
                       point.bound > 0 ? point.error / point.bound : INFINITY);
  }
  return share;
}

llvm::Error Audit::addRight(ThreadPool &pool, double maxSeconds) {
  auto add = [&](const char *name, std::vector<Tensor> got) {
    cases_.push_back({name, true, std::move(got), expected_});
  };
  add("same_bits", expected_);
  std::vector<Tensor> exact, small;
  for (size_t i = 0; i < expected_.size(); ++i) {
    llvm::Expected<Tensor> once = roundedOnce(truth_.results[i]),
                           zeros = flushed(expected_[i]);
    if (!once || !zeros)
      return llvm::joinErrors(once.takeError(), zeros.takeError());
    exact.push_back(std::move(*once));
    small.push_back(std::move(*zeros));
  }
  add("rounded_once", std::move(exact));
  add("subnormals_flushed", std::move(small));
  llvm::Expected<std::vector<Tensor>> sequential =
      results(program_, inputs_, pool, /*sequential=*/true);
  if (!sequential)
    return sequential.takeError();
  add("summed_in_sequence", std::move(*sequential));
  llvm::Expected<std::vector<Evaluation>> others =
      evaluateInOtherWays(program_, entry_, inputs_, pool, maxSeconds);
  if (!others)
    return others.takeError();
  // These evaluations move the arguments too: a result that leaves the bound
  // because of that is not a right result for the original arguments.
  int64_t number = 0;
  for (const Evaluation &evaluation : *others) {
    if (evaluation.amplitude != 1)
      continue;
    llvm::Expected<std::vector<Tensor>> got = denseTensors(evaluation.results);
    if (!got)
      return got.takeError();
    ++number;
    if (shareOf(truth_, *got) <= 1)
      add(number == 1 ? "other_roundings" : "other_roundings_again",
          std::move(*got));
  }
  return llvm::Error::success();
}

void Audit::addWrong(std::string name, std::vector<Tensor> got,
                     std::vector<Tensor> expected, bool hasTruth) {
  double share = hasTruth ? shareOf(truth_, got) : INFINITY;
  bool differs = false;
  for (size_t i = 0; i < got.size(); ++i)
    differs |= std::memcmp(got[i].bytes(), expected[i].bytes(),
                           static_cast<size_t>(got[i].denseBytes())) != 0;
  if (share > 1 && differs)
    cases_.push_back({std::move(name), false, std::move(got),
                      std::move(expected), share, hasTruth});
}

llvm::Error Audit::addWrongOutputs(ThreadPool &pool) {
  llvm::Expected<std::vector<Tensor>> others =
      fillProgram(*program_, entry_, FillKind::Normal, /*seed=*/77);
  if (!others)
    return others.takeError();
  llvm::Expected<std::vector<Tensor>> stale = results(program_, *others, pool);
  if (!stale)
    return stale.takeError();
  for (size_t i = 0; i < expected_.size(); ++i) {
    llvm::Expected<std::vector<WrongOutput>> wrong =
        wrongOutputs(expected_[i], inputs_, (*stale)[i]);
    if (!wrong)
      return wrong.takeError();
    for (WrongOutput &one : *wrong) {
      if (llvm::Error error = interrupt_.check())
        return error;
      std::vector<Tensor> got = expected_, expected = expected_;
      bool hasTruth = one.expected.bytes() == expected_[i].bytes();
      got[i] = std::move(one.got);
      expected[i] = std::move(one.expected);
      std::string name = one.name;
      if (expected_.size() > 1)
        name += " of out" + std::to_string(i);
      addWrong(std::move(name), std::move(got), std::move(expected), hasTruth);
    }
  }
  return llvm::Error::success();
}

/// Float arguments times 64.
static llvm::Expected<std::vector<Tensor>>
enlarged(llvm::ArrayRef<Tensor> inputs) {
  std::vector<Tensor> out;
  for (const Tensor &input : inputs) {
    if (!input.elementType().isFloat()) {
      out.push_back(input);
      continue;
    }
    llvm::Expected<Tensor> dense = input.dense(),
                           large = Tensor::allocate(input.type());
    if (!dense || !large)
      return llvm::joinErrors(dense.takeError(), large.takeError());
    std::vector<double> values(static_cast<size_t>(dense->size()));
    numerics::toDoubles(dense->elementType(), dense->bytes(), values.data(),
                        dense->size());
    for (double &x : values)
      x *= 64;
    numerics::convertArray(ElementType::floating(FloatFormat::F64),
                           values.data(), dense->elementType(),
                           large->mutableBytes(), dense->size());
    out.push_back(std::move(*large));
  }
  return out;
}

llvm::Error Audit::addWrongPrograms(ThreadPool &pool) {
  llvm::Expected<std::vector<WrongProgram>> wrong = wrongPrograms(*program_);
  if (!wrong)
    return wrong.takeError();
  for (const WrongProgram &one : *wrong) {
    if (llvm::Error error = interrupt_.check())
      return error;
    std::vector<Tensor> inputs = inputs_, expected = expected_;
    if (one.needsLargeData) {
      if (llvm::Error error = enlarged(inputs_).moveInto(inputs))
        return error;
      if (llvm::Error error =
              results(program_, inputs, pool).moveInto(expected))
        return error;
    }
    llvm::Expected<std::vector<Tensor>> got =
        results(one.program, inputs, pool);
    if (!got) {
      llvm::consumeError(got.takeError()); // the edit made a program that does not run
      continue;
    }
    if (!one.needsLargeData) {
      addWrong(one.name, std::move(*got), std::move(expected), true);
      continue;
    }
    // There is no truth for these arguments here: a NaN where there should be none is wrong.
    bool hasNan = false;
    for (size_t i = 0; i < got->size(); ++i)
      hasNan |= !llvm::cantFail(
                     numerics::Rule::close(1e30, 1e30)
                         .judge({(*got)[i].elementType(), (*got)[i].bytes(),
                                 expected[i].bytes(), expected[i].size()}))
                     .passed;
    if (hasNan)
      addWrong(one.name, std::move(*got), std::move(expected), false);
  }
  return llvm::Error::success();
}
