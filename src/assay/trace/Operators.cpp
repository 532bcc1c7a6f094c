// The operators of a dump: a list of traced PyTorch calls (dump.json) or a
// StableHLO program, each call or operation made into a small program that the
// reference engine runs with an f64 shadow.
#include "assay/trace/Operators.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/numerics/Ulp.h"
#include "assay/program/Executor.h"
#include "assay/program/Program.h"
#include "assay/reference/Reference.h"
#include "assay/trace/OneOp.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cmath>

namespace assay::trace {

using tensor::Tensor;

Operators::Operators() = default;
Operators::Operators(Operators &&) = default;
Operators::~Operators() = default;

llvm::Expected<std::vector<Tensor>> runOperator(const AtenProgram &program,
                                                llvm::ArrayRef<Tensor> inputs) {
  llvm::Expected<std::shared_ptr<const program::Program>> parsed =
      program::Program::parse(program.text, "operator");
  if (!parsed)
    return parsed.takeError();
  program::PlanOptions options;
  options.entry = "main";
  options.shadow = true;
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      program::buildPlan(*parsed, reference::ReferenceCompiler(), options);
  if (!plan)
    return plan.takeError();
  ThreadPool threads(1);
  program::RunContext context(threads);
  context.shadow = true;
  llvm::Expected<std::vector<program::Value>> results =
      program::execute(**plan, inputs, context);
  if (!results)
    return results.takeError();
  std::vector<Tensor> tensors;
  for (const program::Value &value : *results) {
    llvm::Expected<Tensor> dense = value.shadowOrTensor().dense();
    if (!dense)
      return dense.takeError();
    tensors.push_back(std::move(*dense));
  }
  return tensors;
}

/// dump.json of an operator dump, by the places where the recorder puts it.
static std::string descriptionBeside(llvm::StringRef dumpPath) {
  llvm::StringRef stem = dumpPath;
  stem.consume_back(".h5");
  std::string beside = stem.str() + "_operators.json";
  if (llvm::sys::fs::exists(beside))
    return beside;
  llvm::SmallString<256> up(llvm::sys::path::parent_path(dumpPath));
  if (up.empty())
    up = ".";
  llvm::sys::path::append(up, "..", "dump.json");
  bool recorders = llvm::sys::path::filename(dumpPath) == "operators.h5";
  return recorders && llvm::sys::fs::exists(up) ? up.str().str() : "";
}

llvm::Expected<Operators> Operators::of(llvm::StringRef dumpPath,
                                        llvm::StringRef description) {
  Operators result;
  result.description_ =
      description.empty() ? descriptionBeside(dumpPath) : description.str();
  if (result.description_.empty())
    return result;
  if (llvm::StringRef(result.description_).ends_with(".json")) {
    llvm::Expected<std::vector<TracedCall>> calls =
        readOperatorTrace(result.description_);
    if (!calls)
      return calls.takeError();
    result.calls_ = std::move(*calls);
    for (size_t i = 0; i < result.calls_.size(); ++i)
      result.byName_[result.calls_[i].name] = i;
    return result;
  }
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      program::Program::load(result.description_);
  if (!program)
    return program.takeError();
  (*program)->module().walk([&](mlir::Operation *op) {
    if (!op->getParentOfType<mlir::func::FuncOp>() || op->getNumOperands() == 0)
      return;
    if (std::string text = oneOpModule(op); !text.empty())
      result.programs_[operationPath(op) + "." +
                       op->getName().stripDialect().str()] = std::move(text);
  });
  return result;
}

llvm::Expected<AtenProgram> Operators::program(const DumpName &name) const {
  if (auto call = byName_.find(name.module); call != byName_.end())
    return atenProgram(calls_[call->second]);
  auto text = programs_.find(name.module + "." + name.className);
  if (text == programs_.end())
    return makeError(ErrorCode::Unsupported, "'{0}' is not described",
                     name.callText());
  llvm::Expected<std::shared_ptr<const program::Program>> parsed =
      program::Program::parse(text->second, "operator");
  if (!parsed)
    return parsed.takeError();
  llvm::Expected<mlir::func::FuncOp> function = (*parsed)->function("main");
  if (!function)
    return function.takeError();
  AtenProgram program;
  program.text = text->second;
  for (unsigned i = 0; i < function->getNumArguments(); ++i)
    program.inputs.push_back(std::to_string(i));
  for (unsigned i = 0; i < function->getNumResults(); ++i)
    program.outputs.push_back(i);
  return program;
}

namespace {
struct Deviation {
  int64_t off = 0;
  double worstUlp = 0;
};
} // namespace

/// The share of the RMS that an element may be off: operators that sum lose
/// more to cancellation than elementwise ones, types narrower than f32 are
/// computed in f32.
static double slackOf(const AtenProgram &program,
                      numerics::FloatFormat format) {
  llvm::StringRef text = program.text;
  bool sums = text.contains("dot") || text.contains("convolution") ||
              text.contains("reduce");
  if (format == numerics::FloatFormat::F64)
    return sums ? 0x1p-40 : 0x1p-50;
  return sums || format != numerics::FloatFormat::F32 ? 0x1p-16 : 0x1p-22;
}

static Deviation deviationOf(const Tensor &expected, const Tensor &output,
                             double share) {
  Deviation result;
  auto n = static_cast<size_t>(output.size());
  numerics::ElementType type = output.elementType();
  if (!type.isFloat()) {
    int64_t width = type.storageBytes();
    for (size_t i = 0; i < n; ++i)
      result.off += std::memcmp(expected.bytes() + i * width,
                                output.bytes() + i * width, width) != 0;
    return result;
  }
  std::vector<double> x(n), y(n);
  numerics::toDoubles(expected.elementType(), expected.bytes(), x.data(),
                      output.size());
  numerics::toDoubles(type, output.bytes(), y.data(), output.size());
  double squares = 0;
  int64_t finite = 0;
  for (double value : x)
    if (std::isfinite(value)) {
      squares += value * value;
      ++finite;
    }
  double rms = finite ? std::sqrt(squares / static_cast<double>(finite)) : 0;
  double slack = rms * share;
  double largest = numerics::maxFinite(type.format);
  for (size_t i = 0; i < n; ++i) {
    double e = std::fabs(x[i]) > largest ? std::copysign(INFINITY, x[i]) : x[i];
    if (e == y[i] || (std::isnan(e) && std::isnan(y[i])))
      continue;
    double ulp = numerics::ulpOf(x[i], type.format),
           error = std::fabs(y[i] - x[i]);
    if (error <= 4 * ulp + slack)
      continue;
    ++result.off;
    result.worstUlp = std::max(result.worstUlp,
                               std::isfinite(error) ? error / ulp : HUGE_VAL);
  }
  return result;
}

llvm::Expected<ReplayResult> replayOperator(const AtenProgram &program,
                                            size_t result,
                                            const OperatorCall &target,
                                            const OperatorCall &bench) {
  auto expected = [&](const OperatorCall &call) -> llvm::Expected<Tensor> {
    llvm::Expected<std::vector<Tensor>> results =
        runOperator(program, call.inputs);
    if (!results)
      return results.takeError();
    Tensor tensor = (*results)[result];
    bool alike = tensor.shape() == call.output.shape() &&
                 (call.output.elementType().isFloat()
                      ? tensor.elementType().isFloat()
                      : tensor.elementType() == call.output.elementType());
    if (!alike)
      return makeError(ErrorCode::Unsupported,
                       "its program gives {0}, the recording has {1}",
                       toString(tensor.type()), toString(call.output.type()));
    return tensor;
  };
  llvm::Expected<Tensor> forTarget = expected(target);
  if (!forTarget)
    return forTarget.takeError();
  llvm::Expected<Tensor> forBench = expected(bench);
  if (!forBench)
    return forBench.takeError();
  double share = slackOf(program, target.output.elementType().format);
  Deviation mine = deviationOf(*forTarget, target.output, share),
            trusted = deviationOf(*forBench, bench.output, share);
  ReplayResult replay;
  replay.formula = "what the operator gives";
  replay.elements = target.output.size();
  replay.targetOff = mine.off;
  replay.benchOff = trusted.off;
  replay.worstUlp = mine.worstUlp;
  return replay;
}

} // namespace assay::trace
