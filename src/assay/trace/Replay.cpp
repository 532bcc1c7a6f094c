// Replay: a program on the reference engine with a shadow, and how far the recorded
// results are from it. The formulas of a step are tried on the bench; the one
// that explains it judges the target.
#include "assay/trace/Replay.h"
#include "assay/judge/SumBounds.h"
#include "assay/judge/program/ProgramTruth.h"
#include "assay/numerics/Ulp.h"
#include "assay/program/Executor.h"
#include "assay/program/Types.h"
#include "assay/reference/Reference.h"
#include "assay/trace/Places.h"
#include "assay/trace/Values.h"
#include "mlir/IR/TypeUtilities.h"

#include <algorithm>
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

/// The program's own values, without shadow or bound: for a rough comparison.
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

/// A kernel may round once more than the program does, before its epilogue or
/// after it: one unit in the last place where anything is rounded at all.
/// Results without a derived bound may differ by a share of their size.
static void allowRounding(judge::ProgramTruth &truth, size_t result,
                          llvm::ArrayRef<double> exact,
                          numerics::FloatFormat format, double roundings) {
  judge::Errors &errors = truth.errors[result];
  if (!truth.noBound.empty() && errors) {
    double share = format == numerics::FloatFormat::F64 ? 0x1p-40 : 0x1p-16;
    errors = std::make_shared<std::vector<double>>(exact.size(),
                                                   rmsOf(exact) * share);
  }
  if (!errors)
    return;
  errors = std::make_shared<std::vector<double>>(*errors);
  for (double &error : *errors)
    error *= roundings;
  double up = 1 + 2 * numerics::unitRoundoff(format); // into the next binade
  // Sums of few f32 values in f64 are exact in any order, running means
  // (Welford) are not.
  double least =
      format == numerics::FloatFormat::F64 ? 0x1p-48 * rmsOf(exact) : 0;
  // A value that is exact there by chance (a sum of one term) may be rounded elsewhere.
  bool rounds = llvm::any_of(*errors, [](double error) { return error > 0; });
  for (size_t i = 0; i < exact.size(); ++i)
    if (rounds && std::isfinite(exact[i]) &&
        ((*errors)[i] > 0 || exact[i] != 0))
      (*errors)[i] += least + numerics::ulpOf(exact[i] * up, format);
}

double Deviation::share() const {
  double largest = verdict.worstFraction;
  for (const judge::WorstPoint &point : verdict.worst)
    largest = std::max(largest,
                       point.bound > 0 ? point.error / point.bound : HUGE_VAL);
  return largest;
}

bool ReplayResult::targetWrong() const {
  // A bench beyond the bounds rounds more often than the program: the target
  // may be a few times as far off.
  constexpr double kBeyondBench = 4;
  constexpr int64_t kFew = 16;
  if (byDeviation)
    return !(targetDeviation <= 2 * benchDeviation + allowance);
  // A kernel may round once more at some elements, which in 16 bits is twice
  // the bound: a few elements barely beyond theirs are not a fault.
  double barely = isNarrow ? 2 : 1.25;
  int64_t few = isNarrow ? std::max<int64_t>(4, elements / 8)
                         : std::max<int64_t>(2, elements / 100);
  if (benchOff == 0 && targetShare <= barely)
    return targetOff > few;
  if (benchOff == 0)
    return targetOff > 0;
  return targetShare > kBeyondBench * benchShare ||
         static_cast<double>(targetOff) >
             kBeyondBench * static_cast<double>(benchOff) + kFew;
}

/// Marks the products of a program with the type of their sums, or removes the
/// mark.
static void declareSums(const program::Program &program,
                        std::optional<numerics::ElementType> type) {
  mlir::ModuleOp module = program.module();
  module.walk([&](mlir::Operation *op) {
    llvm::StringRef name = op->getName().stripDialect();
    if (name != "dot_general" && name != "convolution")
      return;
    op->removeAttr(judge::kAccumulation);
    if (type)
      op->setAttr(judge::kAccumulation,
                  mlir::TypeAttr::get(mlir::getElementTypeOrSelf(
                      program::mlirTypeOf(module.getContext(), {*type, {}}))));
  });
}

llvm::Expected<Deviation>
deviationOf(const std::shared_ptr<const program::Program> &program,
            size_t result, const ReplaySide &side, bool rough,
            double roundings, bool anyOfTies) {
  if (llvm::Error error = checkInputs(*program, side.inputs))
    return error;
  ThreadPool pool(1);
  judge::ProgramTruth truth;
  declareSums(*program, side.accumulation);
  if (rough) {
    llvm::Expected<std::vector<program::Value>> results =
        runPlainly(program, side.inputs, pool);
    if (!results)
      return results.takeError();
    truth.results = std::move(*results);
  } else {
    llvm::Expected<judge::ProgramTruth> computed = judge::computeTruth(
        program, "main", side.inputs, pool, /*maxSeconds=*/0);
    if (!computed)
      return computed.takeError();
    truth = std::move(*computed);
  }
  const program::Value &value = truth.results[result];
  Tensor output = side.output;
  if (!(value.tensor().type() == output.type()))
    return makeError(ErrorCode::Unsupported,
                     "its program gives {0}, the recording has {1}",
                     toString(value.tensor().type()), toString(output.type()));
  Deviation deviation;
  if (output.elementType().isFloat()) {
    llvm::Expected<Tensor> expected = value.shadowOrTensor().dense();
    if (!expected)
      return expected.takeError();
    std::vector<double> exact = doublesOf(*expected);
    deviation.relativeL2 = relativeDistance(doublesOf(output), exact);
    if (!rough)
      allowRounding(truth, result, exact, output.elementType().format,
                    roundings);
  }
  if (rough)
    return deviation;
  if (anyOfTies && result > 0 && !side.inputs.empty())
    output = withPlacesOfTies(side.inputs.front(), truth.results[0].tensor(),
                              value.tensor(), output);
  deviation.verdict = judge::judgeResult(truth, result, output.bytes());
  if (2 * deviation.verdict.undecided > deviation.verdict.elements)
    return makeError(ErrorCode::Unsupported,
                     "most of its elements depend on inexact decisions");
  return deviation;
}

static std::optional<Deviation>
deviation(const ReplayFormula &formula, const ReplaySide &side, bool isTarget) {
  llvm::Expected<Deviation> result =
      deviationOf(isTarget && formula.targetProgram ? formula.targetProgram
                                                    : formula.program,
                  formula.result, side, /*rough=*/false, formula.roundings,
                  formula.anyOfTies);
  if (result)
    return *result;
  llvm::consumeError(result.takeError());
  return std::nullopt;
}

static ReplayResult resultOf(const ReplayFormula &formula,
                             const Deviation &mine, const Deviation &trusted,
                             const ReplaySide &target,
                             const ReplaySide &bench) {
  ReplayResult result;
  result.formula = formula.name;
  result.elements = mine.verdict.elements;
  result.targetOff = mine.verdict.failures;
  result.benchOff = trusted.verdict.failures;
  result.targetShare = mine.share();
  result.benchShare = trusted.share();
  result.pattern = judge::describePattern(
      target.output.shape(), mine.verdict.failing, mine.verdict.failures);
  result.targetDeviation = mine.relativeL2;
  result.benchDeviation = trusted.relativeL2;
  result.isNarrow = target.output.elementType().isFloat() &&
                    target.output.elementType().bits < 32;
  result.allowance =
      0.5 * numerics::unitRoundoff(bench.output.elementType().format);
  return result;
}

/// The target's side in the bench's types where those are narrower floats: a
/// module may compute in one type whatever the type of its input, and only that
/// precision is compared. Nullopt: none is narrower.
static std::optional<ReplaySide> inTypesOf(const ReplaySide &bench,
                                           const ReplaySide &target) {
  ReplaySide narrow = target;
  bool some = false;
  auto convert = [&](Tensor &mine, const Tensor &theirs) {
    numerics::ElementType from = mine.elementType(), to = theirs.elementType();
    if (!from.isFloat() || !to.isFloat() || to.bits >= from.bits)
      return true;
    std::optional<Tensor> made = convertedTo(to, mine);
    if (!made)
      return false;
    mine = std::move(*made);
    some = true;
    return true;
  };
  bool fits = target.inputs.size() == bench.inputs.size() &&
              convert(narrow.output, bench.output);
  for (size_t i = 0; fits && i < narrow.inputs.size(); ++i)
    fits = convert(narrow.inputs[i], bench.inputs[i]);
  return fits && some ? std::optional(std::move(narrow)) : std::nullopt;
}

std::optional<ReplayResult> replay(llvm::ArrayRef<ReplayFormula> formulas,
                                   const ReplaySide &target,
                                   const ReplaySide &bench, double tolerated) {
  auto explains = [](const Deviation &d, double share) {
    return static_cast<double>(d.verdict.failures) <=
           share * static_cast<double>(d.verdict.elements);
  };
  std::optional<ReplayResult> best;
  for (const ReplayFormula &formula : formulas) {
    std::optional<Deviation> trusted = deviation(formula, bench, false);
    bool better = trusted && explains(*trusted, tolerated) &&
                  (!best || trusted->verdict.failures <= best->benchOff);
    std::optional<Deviation> mine =
        better ? deviation(formula, target, true) : std::nullopt;
    if (!mine)
      continue;
    ReplayResult result = resultOf(formula, *mine, *trusted, target, bench);
    if (!best || result.benchOff < best->benchOff ||
        result.targetOff < best->targetOff)
      best = std::move(result);
    if (best->benchOff == 0 && !best->targetWrong())
      return best;
  }
  if (!best || !best->targetWrong())
    return best;
  if (std::optional<ReplaySide> narrow = inTypesOf(bench, target)) {
    std::vector<ReplayFormula> theirs(formulas.begin(), formulas.end());
    for (ReplayFormula &formula : theirs)
      formula.targetProgram = nullptr;
    std::optional<ReplayResult> again =
        replay(theirs, *narrow, bench, tolerated);
    if (again && !again->targetWrong())
      return again;
  }
  for (const ReplayFormula &formula : formulas)
    if (formula.name != best->formula)
      if (std::optional<Deviation> other = deviation(formula, target, true);
          other && explains(*other, 0.001))
        best->targetFormula = formula.name;
  return best;
}

} // namespace assay::trace
