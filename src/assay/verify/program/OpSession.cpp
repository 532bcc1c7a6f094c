// One problem of driver op from its file to its outcome: parse, create in the
// worker, then for each fill: arguments, run (guard pages behind the tensors in
// one run, in front of them in the next), the truth from the reference,
// judgement.
#include "assay/judge/program/ProgramFill.h"
#include "assay/judge/program/ProgramJudge.h"
#include "assay/program/Print.h"
#include "assay/program/Types.h"
#include "assay/verify/SessionData.h"

#include <cstring>

using namespace assay;
using namespace assay::verify;
using engine::Guard;
using engine::Placement;
using engine::WorkerResult;
using tensor::Tensor;
using tensor::TensorType;

/// The program of a problem, made ready.
struct verify::OpCase {
  const Problem *problem = nullptr;
  std::string text;
  std::shared_ptr<const program::Program> program; ///< calls resolved
  std::vector<TensorType> inputs, outputs;
  std::string json;

  size_t tensors() const { return inputs.size() + outputs.size(); }
  const TensorType &type(size_t i) const {
    return i < inputs.size() ? inputs[i] : outputs[i - inputs.size()];
  }
};

static int64_t bytesOf(const TensorType &type) {
  int64_t bytes = type.element.storageBytes();
  for (int64_t size : type.shape)
    bytes *= size;
  return bytes;
}

static std::string roleOf(const OpCase &c, size_t i) {
  bool isInput = i < c.inputs.size();
  size_t number = isInput ? i : i - c.inputs.size();
  return std::string(isInput ? "src" : "dst") +
         (number ? std::to_string(number) : "");
}

/// benchdnn's spelling where it has one (s8, u8, s32), StableHLO's otherwise.
static std::string typeName(numerics::ElementType type) {
  std::string name = numerics::toString(type);
  if (name == "i8" || name == "i32" || name == "i4" || name == "i16" ||
      name == "i64")
    return "s" + name.substr(1);
  return name.substr(0, 2) == "ui" ? name.substr(1) : name;
}

/// The only operation of the entry function beside constants, or null.
static mlir::Operation *singleOperation(mlir::func::FuncOp function) {
  mlir::Operation *single = nullptr;
  for (mlir::Operation &op : function.getBody().front().without_terminator()) {
    if (op.getName().getStringRef() == "stablehlo.constant")
      continue;
    if (single)
      return nullptr;
    single = &op;
  }
  return single;
}

static std::string problemJson(const OpCase &c, mlir::func::FuncOp function) {
  llvm::json::Object object{{"driver", "op"},
                            {"program", c.text},
                            {"entry", c.problem->name},
                            {"file", c.problem->path}};
  if (mlir::Operation *op = singleOperation(function)) {
    object["op"] = op->getName().getStringRef();
    llvm::json::Object attributes;
    for (mlir::NamedAttribute attribute : op->getAttrs()) {
      std::string text;
      llvm::raw_string_ostream os(text);
      attribute.getValue().print(os);
      attributes[attribute.getName().getValue()] = text;
    }
    object["attributes"] = std::move(attributes);
  }
  return llvm::formatv("{0}", llvm::json::Value(std::move(object))).str();
}

/// The text of a module that holds the entry function alone, empty when it
/// calls others.
static std::string onlyFunction(mlir::func::FuncOp function) {
  bool hasCalls = false;
  function->walk([&](mlir::Operation *op) {
    llvm::StringRef name = op->getName().getStringRef();
    hasCalls |= name == "func.call" || name == "stablehlo.composite" ||
                name == "stablehlo.custom_call";
  });
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!hasCalls)
    function->print(os, mlir::OpPrintingFlags().enableDebugInfo(false));
  return text;
}

static llvm::Expected<OpCase>
prepare(const Problem &problem,
        std::shared_ptr<const program::Program> parsed) {
  OpCase c;
  c.problem = &problem;
  llvm::Expected<mlir::func::FuncOp> entry = parsed->function(problem.name);
  if (!entry)
    return addContext(entry.takeError(), "--op FILE@FUNCTION");
  bool isAlone =
      llvm::hasSingleElement(parsed->module().getOps<mlir::func::FuncOp>());
  c.text = isAlone ? std::string() : onlyFunction(*entry);
  if (c.text.empty()) {
    if (llvm::Error error = program::readFile(problem.path).moveInto(c.text))
      return error;
  } else if (llvm::Error error = program::Program::parse(c.text, problem.path)
                                     .moveInto(parsed)) {
    return error;
  }
  llvm::Expected<std::shared_ptr<const program::Program>> inlined =
      judge::inlineCalls(parsed, problem.name);
  if (!inlined)
    return inlined.takeError();
  c.program = *inlined;
  mlir::func::FuncOp function =
      llvm::cantFail(c.program->function(problem.name));
  auto add = [](llvm::ArrayRef<mlir::Type> types, std::vector<TensorType> &out,
                const char *what) -> llvm::Error {
    for (mlir::Type type : types) {
      llvm::Expected<TensorType> tensorType = program::tensorTypeOf(type);
      if (!tensorType) {
        ErrorText text = takeError(tensorType.takeError());
        return makeError(ErrorCode::Unsupported, "{0} {1}: {2}", what,
                         out.size(), text.message);
      }
      out.push_back(*tensorType);
    }
    return llvm::Error::success();
  };
  if (llvm::Error error =
          add(function.getArgumentTypes(), c.inputs, "argument"))
    return error;
  if (llvm::Error error = add(function.getResultTypes(), c.outputs, "result"))
    return error;
  c.json = problemJson(c, function);
  return c;
}

static engine::ProblemDescription describeProgram(const OpCase &c,
                                                  int threads) {
  engine::ProblemDescription description;
  description.driver = "op";
  description.json = c.json;
  description.threads = threads;
  for (size_t i = 0; i < c.tensors(); ++i) {
    const TensorType &type = c.type(i);
    tensor::Shape strides = tensor::rowMajorStrides(type.shape);
    description.tensors.push_back(
        {roleOf(c, i), typeName(type.element),
         std::vector<int64_t>(type.shape.begin(), type.shape.end()),
         std::vector<int64_t>(strides.begin(), strides.end()),
         i >= c.inputs.size()});
  }
  return description;
}

static std::vector<Placement> place(const OpCase &c, Guard guard,
                                    int alignment) {
  llvm::SmallVector<engine::Extent, 8> extents;
  for (size_t i = 0; i < c.tensors(); ++i)
    extents.push_back({bytesOf(c.type(i)), c.type(i).element.storageBytes()});
  return engine::placeTensors(extents, guard, alignment);
}

static unsigned char markOf(const TensorType &type) {
  return type.element.isFloat() || type.element.isComplex() ? 0xff : 0x5a;
}

/// Inputs to their places, outputs (and what is around all tensors) to a value
/// that no result has.
static void writeData(const OpCase &c, llvm::ArrayRef<Placement> places,
                      llvm::ArrayRef<Tensor> inputs, std::byte *arena) {
  for (size_t i = 0; i < c.tensors(); ++i) {
    std::memset(arena + places[i].fileOffset, markOf(c.type(i)),
                static_cast<size_t>(places[i].regionBytes));
    if (i < inputs.size())
      std::memcpy(arena + places[i].fileOffset + places[i].dataOffset,
                  inputs[i].bytes(),
                  static_cast<size_t>(inputs[i].denseBytes()));
  }
}

static bool gapsIntact(const OpCase &c, llvm::ArrayRef<Placement> places,
                       const std::byte *arena, Outcome &outcome) {
  for (size_t i = c.inputs.size(); i < c.tensors(); ++i) {
    int64_t bytes = bytesOf(c.type(i));
    const std::byte *region = arena + places[i].fileOffset;
    for (int64_t at = 0; at < places[i].regionBytes; ++at)
      if ((at < places[i].dataOffset || at >= places[i].dataOffset + bytes) &&
          region[at] != std::byte{markOf(c.type(i))}) {
        outcome.reason = "the engine wrote outside of '" + roleOf(c, i) + "'";
        return false;
      }
  }
  return true;
}

/// Not checkable: what the reference says about the program.
static void truthFailed(llvm::Error error, Outcome &outcome) {
  ErrorText text = takeError(std::move(error));
  outcome.status = text.code == ErrorCode::ResourceLimit ? Status::Skipped
                   : text.code == ErrorCode::Unsupported
                       ? Status::Unimplemented
                       : Status::InvalidArguments;
  outcome.reason = text.message;
}

static int64_t totalElements(const OpCase &c) {
  int64_t count = 0;
  for (const TensorType &type : c.outputs)
    count += bytesOf(type) / type.element.storageBytes();
  return count;
}

/// The results where the engine has written them.
static std::vector<judge::ProgramResult>
resultsAt(const OpCase &c, llvm::ArrayRef<Placement> places,
          const std::byte *arena) {
  std::vector<judge::ProgramResult> results;
  for (size_t i = c.inputs.size(); i < c.tensors(); ++i)
    results.push_back(
        {roleOf(c, i), arena + places[i].fileOffset + places[i].dataOffset});
  return results;
}

/// What the judge said, into the report.
static void report(judge::ProgramVerdict &verdict, bool first, int verbosity,
                   Outcome &outcome) {
  outcome.judge = verdict.judge;
  for (auto &[key, value] : verdict.facts)
    outcome.facts[key] = std::move(value);
  if (verbosity > 0)
    for (std::string &note : verdict.notes)
      if (first || !llvm::StringRef(note).starts_with("  no bound for "))
        outcome.before.push_back(std::move(note));
  if (verdict.status != judge::Status::Failed)
    return;
  outcome.reason = verdict.reason;
  for (std::string &finding : verdict.findings)
    outcome.after.push_back(std::move(finding));
}

Status Session::checkProgram(const OpCase &c, int alignment,
                             engine::Worker &tested, Outcome &outcome) {
  const RunOptions &run = *c.problem->options;
  std::vector<FillKind> fills(run.fills.begin(), run.fills.end());
  if (fills.size() == 1 || c.inputs.empty())
    fills = {fills[0], fills[0]};
  int64_t decided = 0;
  judge::ProgramJudge programJudge(
      c.program, {c.problem->name, run.rule, run.timeoutSeconds}, pool_);
  for (size_t i = 0; i < fills.size(); ++i) {
    llvm::Expected<std::vector<Tensor>> inputs =
        judge::fillProgram(*c.program, c.problem->name, fills[i], run.seed);
    std::vector<Placement> places =
        place(c, i % 2 ? Guard::AtStart : Guard::AtEnd, alignment);
    llvm::Error grown = arena_->grow(engine::endOf(places));
    if (!inputs || grown) {
      outcome.reason =
          takeError(llvm::joinErrors(inputs.takeError(), std::move(grown)))
              .message;
      return Status::Skipped;
    }
    {
      Timer timer(*this, "fill");
      writeData(c, places, *inputs, arena_->data());
    }
    WorkerResult result;
    {
      Timer timer(*this, "execute");
      result = tested.run({static_cast<uint32_t>(places.size()), 0, 0, 0, 0, 0},
                          places);
    }
    if (result.kind != WorkerResult::Kind::Ok) {
      outcome.reason = result.reason;
      outcome.after.push_back(std::string("  while running on ") +
                              nameOf(fills[i]) + " data");
      return result.kind == WorkerResult::Kind::Crashed   ? Status::Crashed
             : result.kind == WorkerResult::Kind::Timeout ? Status::Timeout
                                                          : Status::Failed;
    }
    if (i == 0 || fills[i] != fills[i - 1]) {
      Timer timer(*this, "expected");
      if (llvm::Error error = programJudge.prepare(*inputs)) {
        truthFailed(addContext(std::move(error), "the reference"), outcome);
        return outcome.status;
      }
    }
    Timer timer(*this, "compare");
    judge::ProgramVerdict verdict = programJudge.judge(
        resultsAt(c, places, arena_->data()), nameOf(fills[i]));
    report(verdict, i == 0, run.verbosity, outcome);
    if (verdict.status == judge::Status::Failed)
      return Status::Failed;
    decided += verdict.decided;
    if (!gapsIntact(c, places, arena_->data(), outcome))
      return Status::Failed;
  }
  int64_t total = totalElements(c) * static_cast<int64_t>(fills.size());
  outcome.facts["decided_fraction"] =
      total ? static_cast<double>(decided) / static_cast<double>(total) : 0.0;
  if (!judge::tooFewDecided(decided, total))
    return Status::Passed;
  outcome.reason = judge::undecidedText(decided, total);
  return Status::Mistrusted;
}

Outcome Session::runProgram(const Problem &problem) {
  Outcome outcome;
  const RunOptions &run = *problem.options;
  if (programPath_ != problem.path || !program_) {
    if (llvm::Error error =
            program::Program::load(problem.path).moveInto(program_)) {
      program_.reset();
      truthFailed(std::move(error), outcome);
      return outcome;
    }
    programPath_ = problem.path;
  }
  llvm::Expected<OpCase> c = prepare(problem, program_);
  if (!c) {
    truthFailed(c.takeError(), outcome);
    return outcome;
  }
  double need = 0;
  for (size_t i = 0; i < c->tensors(); ++i)
    need += static_cast<double>(bytesOf(c->type(i)));
  if (c->outputs.empty() || totalElements(*c) == 0) {
    outcome.status = Status::Skipped;
    outcome.reason =
        c->outputs.empty()
            ? "the program has no results; `assay test` runs its checks"
            : "the results have no elements";
    return outcome;
  }
  if (std::string why;
      !fits(16 * need, why) ||
      !makeArena(why)) { // the reference keeps values, shadows and bounds
    outcome.status = Status::Skipped;
    outcome.reason = why;
    return outcome;
  }
  engine::Worker *tested = worker(run.engine, run, outcome.reason);
  if (!tested) {
    outcome.status = Status::InvalidArguments;
    return outcome;
  }
  WorkerResult created;
  {
    Timer timer(*this, "create");
    created = tested->create(describeProgram(*c, options_.threads));
  }
  outcome.status = statusOf(created.kind);
  outcome.reason = created.reason;
  if (created.kind == WorkerResult::Kind::Unsupported) {
    outcome.status = Status::Unimplemented;
    outcome.reason = "driver op by engine " + run.engine +
                     (created.reason.empty() ? "" : ": " + created.reason);
  }
  if (created.kind != WorkerResult::Kind::Ok)
    return outcome;
  if (run.mode == Mode::Initialize) {
    outcome.status = Status::Initialized;
    checkDestroy(*tested, outcome);
    return outcome;
  }
  if (run.mode == Mode::Correctness ||
      run.mode == Mode::CorrectnessAndPerformance)
    outcome.status = checkProgram(*c, created.alignment, *tested, outcome);
  if (run.mode == Mode::Run || run.mode == Mode::Performance ||
      (run.mode == Mode::CorrectnessAndPerformance &&
       outcome.status == Status::Passed)) {
    llvm::Expected<std::vector<Tensor>> inputs = judge::fillProgram(
        *c->program, problem.name, FillKind::Normal, run.seed);
    std::vector<Placement> places =
        place(*c, Guard::AtStart, created.alignment);
    llvm::Error grown = arena_->grow(engine::endOf(places));
    if (!inputs || grown) {
      truthFailed(llvm::joinErrors(inputs.takeError(), std::move(grown)),
                  outcome);
      return outcome;
    }
    writeData(*c, places, *inputs, arena_->data());
    TimedProblem timed{&problem, created.seconds, 0, 0, 0, 0};
    for (size_t i = 0; i < c->tensors(); ++i)
      (i < c->inputs.size() ? timed.inputBytes : timed.outputBytes) +=
          static_cast<double>(bytesOf(c->type(i)));
    outcome.status = timeRuns(timed, places, *tested, outcome);
  }
  checkDestroy(*tested, outcome);
  return outcome;
}
