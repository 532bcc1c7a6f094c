// Replay: a program on the reference engine with a shadow, and how far what was
// recorded is from it. The formulas of a step are tried on the bench; the one
// that explains it judges the target.
#include "assay/trace/Replay.h"
#include "assay/judge/program/ProgramTruth.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/numerics/Ulp.h"
#include "assay/program/Executor.h"
#include "assay/program/Types.h"
#include "assay/reference/Reference.h"

#include <cmath>
#include <cstring>

namespace assay::trace {

using tensor::Tensor;

static llvm::Error checkInputs(const program::Program &program,
                               llvm::ArrayRef<Tensor> inputs) {
  llvm::Expected<mlir::func::FuncOp> main = program.function("main");
  if (!main)
    return main.takeError();
  if (main->getNumArguments() != inputs.size())
    return makeError(ErrorCode::Unsupported, "{0}: {1} arguments for {2}",
                     program.name(), inputs.size(), main->getNumArguments());
  for (auto [input, argument] : llvm::zip(inputs, main->getArgumentTypes())) {
    llvm::Expected<tensor::TensorType> type = program::tensorTypeOf(argument);
    if (!type)
      return type.takeError();
    if (!(*type == input.type()))
      return makeError(ErrorCode::Unsupported,
                       "{0}: its program takes {1}, the recording has {2}",
                       program.name(), toString(*type), toString(input.type()));
  }
  return llvm::Error::success();
}

/// The program's own values, without shadow or bound: for a rough look.
static llvm::Expected<std::vector<program::Value>>
runPlainly(const std::shared_ptr<const program::Program> &program,
           llvm::ArrayRef<Tensor> inputs, ThreadPool &pool) {
  program::PlanOptions options;
  options.entry = "main";
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      program::buildPlan(program, reference::ReferenceCompiler(), options);
  if (!plan)
    return plan.takeError();
  program::RunContext context(pool);
  return program::execute(**plan, inputs, context);
}

llvm::Expected<Tensor> rowsOf(const Tensor &tensor, int64_t width,
                              llvm::ArrayRef<int64_t> rows) {
  llvm::Expected<Tensor> result = Tensor::allocate(
      {tensor.elementType(), {static_cast<int64_t>(rows.size()), width}});
  if (!result)
    return result;
  int64_t bytes = width * tensor.elementType().storageBytes();
  std::byte *out = result->mutableBytes();
  for (int64_t row : rows) {
    std::memcpy(out, tensor.bytes() + row * bytes, static_cast<size_t>(bytes));
    out += bytes;
  }
  return result;
}

/// Others than floats: equal or not.
static Deviation differences(const Tensor &expected, const Tensor &output) {
  Deviation result;
  result.elements = output.size();
  int64_t width = output.elementType().storageBytes();
  for (int64_t i = 0; i < output.size(); ++i)
    result.off +=
        std::memcmp(expected.bytes() + i * width, output.bytes() + i * width,
                    static_cast<size_t>(width)) != 0;
  return result;
}

static std::vector<double> toDoubles(const Tensor &tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.size()));
  numerics::toDoubles(tensor.elementType(), tensor.bytes(), values.data(),
                      tensor.size());
  return values;
}

static double rmsOf(llvm::ArrayRef<double> values) {
  double squares = 0;
  int64_t finite = 0;
  for (double value : values)
    if (std::isfinite(value)) {
      squares += value * value;
      ++finite;
    }
  return finite ? std::sqrt(squares / static_cast<double>(finite)) : 0;
}

/// What an element may be off beside its units in the last place: the bound of
/// the program's operations, or, where they have none, a share of the RMS.
static std::vector<double> allowedErrors(const judge::ProgramTruth &truth,
                                         size_t result,
                                         llvm::ArrayRef<double> exact,
                                         numerics::FloatFormat format) {
  if (truth.noBound.empty())
    return truth.errors[result] ? *truth.errors[result]
                                : std::vector<double>(exact.size(), 0.0);
  double share = format == numerics::FloatFormat::F64 ? 0x1p-40 : 0x1p-16;
  return std::vector<double>(exact.size(), rmsOf(exact) * share);
}

static Deviation errorsOf(llvm::ArrayRef<double> x, llvm::ArrayRef<double> y,
                          llvm::ArrayRef<double> allowed,
                          numerics::FloatFormat format) {
  constexpr double kUlps = 4;
  Deviation result;
  result.elements = static_cast<int64_t>(x.size());
  double largest = numerics::maxFinite(format), squares = 0, norm = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double e = std::fabs(x[i]) > largest ? std::copysign(INFINITY, x[i]) : x[i];
    if (e == y[i] || (std::isnan(e) && std::isnan(y[i]))) {
      norm += std::isfinite(e) ? e * e : 0;
      continue;
    }
    double ulp = numerics::ulpOf(x[i], format), error = std::fabs(y[i] - x[i]);
    squares += error * error;
    norm += x[i] * x[i];
    if (error <= kUlps * ulp + allowed[i])
      continue;
    ++result.off;
    result.worstUlp = std::max(result.worstUlp,
                               std::isfinite(error) ? error / ulp : HUGE_VAL);
  }
  result.relativeL2 = squares == 0 ? 0
                      : norm > 0 && std::isfinite(squares)
                          ? std::sqrt(squares / norm)
                          : HUGE_VAL;
  return result;
}

llvm::Expected<Deviation>
deviationOf(const std::shared_ptr<const program::Program> &program,
            size_t result, const ReplaySide &side, bool rough) {
  if (llvm::Error error = checkInputs(*program, side.inputs))
    return error;
  ThreadPool pool(1);
  judge::ProgramTruth truth;
  if (rough) {
    llvm::Expected<std::vector<program::Value>> results =
        runPlainly(program, side.inputs, pool);
    if (!results)
      return results.takeError();
    truth.results = std::move(*results);
    truth.noBound = "not asked for";
  } else {
    llvm::Expected<judge::ProgramTruth> computed = judge::computeTruth(
        program, "main", side.inputs, pool, /*maxSeconds=*/0);
    if (!computed)
      return computed.takeError();
    truth = std::move(*computed);
  }
  const program::Value &value = truth.results[result];
  const Tensor &output = side.output;
  if (!(value.tensor().type() == output.type()))
    return makeError(ErrorCode::Unsupported,
                     "its program gives {0}, the recording has {1}",
                     toString(value.tensor().type()), toString(output.type()));
  llvm::Expected<Tensor> expected = value.shadowOrTensor().dense();
  if (!expected)
    return expected.takeError();
  if (!output.elementType().isFloat())
    return differences(*expected, output);
  std::vector<double> exact = toDoubles(*expected);
  numerics::FloatFormat format = output.elementType().format;
  return errorsOf(exact, toDoubles(output),
                  allowedErrors(truth, result, exact, format), format);
}

static std::optional<Deviation>
deviation(const ReplayFormula &formula, const ReplaySide &side, bool isTarget) {
  llvm::Expected<Deviation> result =
      deviationOf(isTarget && formula.targetProgram ? formula.targetProgram
                                                    : formula.program,
                  formula.result, side);
  if (result)
    return *result;
  llvm::consumeError(result.takeError());
  return std::nullopt;
}

std::optional<ReplayResult> replay(llvm::ArrayRef<ReplayFormula> formulas,
                                   const ReplaySide &target,
                                   const ReplaySide &bench, double tolerated) {
  auto explains = [](const Deviation &d, double share) {
    return static_cast<double>(d.off) <=
           share * static_cast<double>(d.elements);
  };
  const ReplayFormula *best = nullptr;
  std::optional<Deviation> trusted, mine;
  for (const ReplayFormula &formula : formulas)
    if (std::optional<Deviation> found = deviation(formula, bench, false);
        found && (!best || found->off < trusted->off)) {
      best = &formula;
      trusted = found;
    }
  if (best && explains(*trusted, tolerated))
    mine = deviation(*best, target, true);
  if (!mine)
    return std::nullopt;
  ReplayResult result;
  result.formula = best->name;
  result.elements = mine->elements;
  result.targetOff = mine->off;
  result.benchOff = trusted->off;
  result.worstUlp = mine->worstUlp;
  result.targetDeviation = mine->relativeL2;
  result.benchDeviation = trusted->relativeL2;
  result.allowance =
      0.5 * numerics::unitRoundoff(bench.output.elementType().format);
  if (!result.targetWrong())
    return result;
  for (const ReplayFormula &formula : formulas)
    if (&formula != best)
      if (std::optional<Deviation> other = deviation(formula, target, true);
          other && explains(*other, 0.001))
        result.targetFormula = formula.name;
  return result;
}

} // namespace assay::trace
