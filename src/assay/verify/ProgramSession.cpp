// One problem that is no contraction, from its program to its outcome: create
// in the worker, then for each fill: arguments, run (guard pages behind the
// tensors in one run, in front of them in the next), the truth from the
// reference, judgement.
#include "assay/judge/program/ProgramFill.h"
#include "assay/judge/program/ProgramJudge.h"
#include "assay/program/Print.h"
#include "assay/program/Types.h"
#include "assay/reference/Strided.h"
#include "assay/verify/BindingValues.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/SessionData.h"

#include <algorithm>
#include <cstring>

using namespace assay;
using namespace assay::verify;
using engine::Guard;
using engine::Placement;
using engine::WorkerResult;
using tensor::Shape;
using tensor::Tensor;
using tensor::TensorType;

/// A tensor that an engine reads or writes.
struct verify::ProgramCase {
  struct Item {
    std::string role;
    TensorType type;
    Shape strides; ///< physical, in elements
    int64_t spanBytes = 0;
    bool isDense = true;
    int shared = -1; ///< of a result: the tensor whose memory it takes
  };
  const Problem *problem = nullptr;
  const BoundProgram *bound = nullptr;
  std::vector<Item> tensors; ///< inputs first
  size_t inputs = 0;
  std::vector<size_t> arguments; ///< of the program, for each input
  /// The argument that an engine finds in dst before it runs, or -1.
  int previous = -1;
  std::string driver, json;
};

/// benchdnn's spelling where it has one (s8, u8, s32), StableHLO's otherwise.
static std::string typeName(numerics::ElementType type) {
  std::string name = numerics::toString(type);
  if (name == "i8" || name == "i32" || name == "i4" || name == "i16" ||
      name == "i64")
    return "s" + name.substr(1);
  return name.substr(0, 2) == "ui" ? "u" + name.substr(2) : name;
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

/// problem_json of driver op: the program's text, and its only operation with
/// attributes where it has just one.
static std::string programJson(const Problem &problem,
                               const BoundProgram &bound) {
  std::string text;
  llvm::raw_string_ostream os(text);
  bound.program->module()->print(
      os, mlir::OpPrintingFlags().enableDebugInfo(false));
  llvm::json::Object object{{"driver", problem.driver->name},
                            {"program", text},
                            {"entry", bound.entry},
                            {"file", problem.path}};
  mlir::func::FuncOp function =
      llvm::cantFail(bound.program->function(bound.entry));
  if (mlir::Operation *op = singleOperation(function)) {
    object["op"] = op->getName().getStringRef();
    llvm::json::Object attributes;
    for (mlir::NamedAttribute attribute : op->getAttrs()) {
      std::string value;
      llvm::raw_string_ostream stream(value);
      attribute.getValue().print(stream);
      attributes[attribute.getName().getValue()] = value;
    }
    object["attributes"] = std::move(attributes);
  }
  return llvm::formatv("{0}", llvm::json::Value(std::move(object))).str();
}

static ProgramCase::Item itemOf(const Binding &binding, mlir::Type type) {
  ProgramCase::Item item;
  item.role = binding.role;
  item.type = llvm::cantFail(program::tensorTypeOf(type));
  Shape dense = tensor::rowMajorStrides(item.type.shape);
  item.strides.assign(binding.strides.begin(), binding.strides.end());
  if (item.strides.empty())
    item.strides = dense;
  int64_t last = 0;
  bool isEmpty = false;
  for (size_t d = 0; d < dense.size(); ++d) {
    int64_t size = item.type.shape[d];
    isEmpty |= size == 0;
    last += (size - 1) * item.strides[d];
    item.isDense &= size <= 1 || item.strides[d] == dense[d];
  }
  item.spanBytes = isEmpty ? 0 : (last + 1) * item.type.element.storageBytes();
  return item;
}

static ProgramCase prepare(const Problem &problem, const BoundProgram &bound,
                           const Problem *found) {
  ProgramCase c;
  c.problem = &problem;
  c.bound = &bound;
  mlir::func::FuncOp function =
      llvm::cantFail(bound.program->function(bound.entry));
  for (size_t i = 0; i < bound.inputs.size(); ++i) {
    if (found && bound.inputs[i].values == Binding::Values::Previous) {
      c.previous = static_cast<int>(i);
      continue;
    }
    c.tensors.push_back(
        itemOf(bound.inputs[i], function.getArgumentTypes()[i]));
    c.arguments.push_back(i);
  }
  c.inputs = c.tensors.size();
  for (size_t i = 0; i < bound.outputs.size(); ++i) {
    c.tensors.push_back(itemOf(bound.outputs[i], function.getResultTypes()[i]));
    for (size_t k = 0; k < c.inputs; ++k)
      if (found && bound.outputs[i].inPlaceOf == c.tensors[k].role)
        c.tensors.back().shared = static_cast<int>(k);
  }
  c.driver = found ? found->driver->name : problem.driver->name;
  c.json = found ? problemJson(*found) : programJson(problem, bound);
  return c;
}

static engine::ProblemDescription describeProgram(const ProgramCase &c,
                                                  int threads) {
  engine::ProblemDescription description;
  description.driver = c.driver;
  description.json = c.json;
  description.program = c.bound->program->toBytecode();
  description.entry = c.bound->entry;
  description.threads = threads;
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const ProgramCase::Item &item = c.tensors[i];
    description.tensors.push_back(
        {item.role, typeName(item.type.element),
         std::vector<int64_t>(item.type.shape.begin(), item.type.shape.end()),
         std::vector<int64_t>(item.strides.begin(), item.strides.end()),
         i >= c.inputs});
  }
  return description;
}

static std::vector<Placement> place(const ProgramCase &c, Guard guard,
                                    int alignment) {
  llvm::SmallVector<engine::Extent, 8> extents;
  for (const ProgramCase::Item &item : c.tensors)
    extents.push_back({item.spanBytes, item.type.element.storageBytes()});
  std::vector<Placement> places =
      engine::placeTensors(extents, guard, alignment);
  for (size_t i = 0; i < places.size(); ++i)
    if (c.tensors[i].shared >= 0)
      places[i] = places[static_cast<size_t>(c.tensors[i].shared)];
  return places;
}

static unsigned char markOf(const TensorType &type) {
  return type.element.isFloat() || type.element.isComplex() ? 0xff : 0x5a;
}

/// Inputs to their places, outputs (and what is around all tensors) to a value
/// that no result has.
static void writeData(const ProgramCase &c, llvm::ArrayRef<Placement> places,
                      llvm::ArrayRef<Tensor> inputs, std::byte *arena,
                      ThreadPool &pool) {
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const ProgramCase::Item &item = c.tensors[i];
    if (item.shared >= 0)
      continue;
    std::memset(arena + places[i].fileOffset, markOf(item.type),
                static_cast<size_t>(places[i].regionBytes));
    bool isPrevious = c.previous >= 0 && i >= c.inputs && item.role == "dst";
    if (i >= c.inputs && !isPrevious)
      continue;
    const Tensor &input =
        inputs[isPrevious ? static_cast<size_t>(c.previous) : c.arguments[i]];
    std::byte *to = arena + places[i].fileOffset + places[i].dataOffset;
    if (item.isDense)
      std::memcpy(to, input.bytes(), static_cast<size_t>(input.denseBytes()));
    else
      reference::copyStrided(
          item.type.element.storageBytes(), item.type.shape, input.bytes(),
          tensor::rowMajorStrides(item.type.shape), to, item.strides, &pool);
  }
}

/// Marks the bytes of the elements of a tensor that has gaps.
static std::vector<bool> elementBytes(const ProgramCase::Item &item) {
  std::vector<bool> mine(static_cast<size_t>(item.spanBytes), item.isDense);
  if (item.isDense)
    return mine;
  int64_t width = item.type.element.storageBytes(), count = 1;
  for (int64_t size : item.type.shape)
    count *= size;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, at = 0;
    for (size_t d = item.type.shape.size(); d-- > 0;) {
      at += rest % item.type.shape[d] * item.strides[d];
      rest /= item.type.shape[d];
    }
    std::fill_n(mine.begin() + at * width, width, true);
  }
  return mine;
}

static bool gapsIntact(const ProgramCase &c, llvm::ArrayRef<Placement> places,
                       const std::byte *arena, Outcome &outcome) {
  for (size_t i = c.inputs; i < c.tensors.size(); ++i) {
    const ProgramCase::Item &item = c.tensors[i];
    const std::byte *region = arena + places[i].fileOffset;
    std::vector<bool> mine = elementBytes(item);
    for (int64_t at = 0; at < places[i].regionBytes; ++at) {
      int64_t inside = at - places[i].dataOffset;
      bool isMine = inside >= 0 && inside < item.spanBytes &&
                    mine[static_cast<size_t>(inside)];
      if (!isMine && region[at] != std::byte{markOf(item.type)}) {
        outcome.reason = "the engine wrote outside of '" + item.role + "'";
        return false;
      }
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

static int64_t elementsOf(const TensorType &type) {
  int64_t count = 1;
  for (int64_t size : type.shape)
    count *= size;
  return count;
}

static int64_t totalElements(const ProgramCase &c) {
  int64_t count = 0;
  for (size_t i = c.inputs; i < c.tensors.size(); ++i)
    count += elementsOf(c.tensors[i].type);
  return count;
}

/// The results where the engine has written them; `copies` holds those with
/// gaps, made dense.
static std::vector<judge::ProgramResult>
resultsAt(const ProgramCase &c, llvm::ArrayRef<Placement> places,
          const std::byte *arena, std::vector<std::vector<std::byte>> &copies,
          ThreadPool &pool) {
  std::vector<judge::ProgramResult> results;
  copies.resize(c.tensors.size());
  for (size_t i = c.inputs; i < c.tensors.size(); ++i) {
    const ProgramCase::Item &item = c.tensors[i];
    const std::byte *at = arena + places[i].fileOffset + places[i].dataOffset;
    if (!item.isDense) {
      int64_t width = item.type.element.storageBytes();
      copies[i].resize(static_cast<size_t>(elementsOf(item.type) * width));
      reference::copyStrided(width, item.type.shape, at, item.strides,
                             copies[i].data(),
                             tensor::rowMajorStrides(item.type.shape), &pool);
      at = copies[i].data();
    }
    results.push_back({item.role, at});
  }
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
  if (verdict.status == judge::Status::Passed)
    return;
  outcome.reason = verdict.reason;
  for (std::string &finding : verdict.findings)
    outcome.after.push_back(std::move(finding));
}

namespace {
/// One run of the engine on one kind of data.
struct Round {
  FillKind kind;
  bool withNan = false; ///< normal data with NaNs that must come out
  const char *name() const { return withNan ? "nan" : nameOf(kind); }
  bool operator==(const Round &) const = default;
};
} // namespace

static std::vector<Round> roundsOf(const ProgramCase &c) {
  const RunOptions &run = *c.problem->options;
  std::vector<Round> rounds;
  for (FillKind kind : run.fills)
    rounds.push_back({kind});
  if (rounds.size() == 1 || c.inputs == 0)
    rounds = {rounds[0], rounds[0]};
  if (run.fills == RunOptions().fills && !c.problem->driver->readsFile &&
      carriesNan(*c.bound))
    rounds.push_back({FillKind::Normal, true});
  return rounds;
}

/// Arguments of one kind of data, those with a binding of their own as it says.
static llvm::Expected<std::vector<Tensor>> fill(const ProgramCase &c,
                                                const Round &round) {
  uint64_t seed = c.problem->options->seed;
  llvm::Expected<std::vector<Tensor>> inputs =
      judge::fillProgram(*c.bound->program, c.bound->entry, round.kind, seed);
  if (!inputs)
    return inputs;
  for (size_t i = 0; i < inputs->size(); ++i) {
    const Binding &binding = c.bound->inputs[i];
    if (llvm::Error error = applyBinding(binding, (*inputs)[i]))
      return error;
    if (round.withNan)
      if (llvm::Error error = plantNan(binding, seed + i, (*inputs)[i]))
        return error;
  }
  return inputs;
}

Status Session::executeProgram(const ProgramCase &c,
                               llvm::ArrayRef<Placement> places, FillKind fill,
                               engine::Worker &tested, Outcome &outcome) {
  Timer timer(*this, "execute");
  WorkerResult result =
      tested.run({static_cast<uint32_t>(places.size()), 0, 0, 0, 0, 0}, places);
  if (result.kind == WorkerResult::Kind::Ok)
    return Status::Passed;
  outcome.reason = result.reason;
  outcome.after.push_back(std::string("  while running on ") + nameOf(fill) +
                          " data");
  return result.kind == WorkerResult::Kind::Crashed   ? Status::Crashed
         : result.kind == WorkerResult::Kind::Timeout ? Status::Timeout
                                                      : Status::Failed;
}

Status Session::checkProgram(const ProgramCase &c, int alignment,
                             engine::Worker &tested, Outcome &outcome) {
  const RunOptions &run = *c.problem->options;
  std::vector<Round> rounds = roundsOf(c);
  int64_t decided = 0, total = 0;
  bool mistrusted = false;
  judge::ProgramJudge programJudge(
      c.bound->program, {c.bound->entry, run.rule, run.timeoutSeconds}, pool_);
  std::vector<std::vector<std::byte>> copies;
  for (size_t i = 0; i < rounds.size(); ++i) {
    const Round &round = rounds[i];
    llvm::Expected<std::vector<Tensor>> inputs = fill(c, round);
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
      writeData(c, places, *inputs, arena_->data(), pool_);
    }
    if (Status status = executeProgram(c, places, round.kind, tested, outcome);
        status != Status::Passed)
      return status;
    if (i == 0 || !(round == rounds[i - 1])) {
      Timer timer(*this, "expected");
      if (llvm::Error error = programJudge.prepare(*inputs)) {
        truthFailed(addContext(std::move(error), "the reference"), outcome);
        return outcome.status;
      }
    }
    Timer timer(*this, "compare");
    judge::ProgramVerdict verdict = programJudge.judge(
        resultsAt(c, places, arena_->data(), copies, pool_), round.name());
    if (round.withNan && verdict.status == judge::Status::Mistrusted)
      break; // what else the data show was judged before
    report(verdict, i == 0, run.verbosity, outcome);
    if (verdict.status == judge::Status::Failed)
      return Status::Failed;
    mistrusted |= verdict.status == judge::Status::Mistrusted;
    decided += verdict.decided;
    total += totalElements(c);
    if (!gapsIntact(c, places, arena_->data(), outcome))
      return Status::Failed;
  }
  outcome.facts["decided_fraction"] =
      total ? static_cast<double>(decided) / static_cast<double>(total) : 0.0;
  if (judge::tooFewDecided(decided, total))
    outcome.reason = judge::undecidedText(decided, total);
  else if (!mistrusted)
    return Status::Passed;
  return Status::Mistrusted;
}

/// Modes R and P.
void Session::measureProgram(const ProgramCase &c, const WorkerResult &created,
                             engine::Worker &tested, Outcome &outcome) {
  llvm::Expected<std::vector<Tensor>> inputs = fill(c, Round{FillKind::Normal});
  std::vector<Placement> places = place(c, Guard::AtStart, created.alignment);
  llvm::Error grown = arena_->grow(engine::endOf(places));
  if (!inputs || grown)
    return truthFailed(llvm::joinErrors(inputs.takeError(), std::move(grown)),
                       outcome);
  writeData(c, places, *inputs, arena_->data(), pool_);
  TimedProblem timed{c.problem, created.seconds, 0, 0, 0, 0};
  for (size_t i = 0; i < c.tensors.size(); ++i)
    (i < c.inputs ? timed.inputBytes : timed.outputBytes) +=
        static_cast<double>(c.tensors[i].spanBytes);
  outcome.status = timeRuns(timed, places, tested, outcome);
}

Outcome Session::runProgram(const Problem &problem, const BoundProgram &bound,
                            const Problem *found) {
  Outcome outcome;
  const RunOptions &run = *problem.options;
  ProgramCase c = prepare(problem, bound, found);
  double need = 0;
  for (const ProgramCase::Item &item : c.tensors)
    need += static_cast<double>(item.spanBytes);
  if (bound.outputs.empty() || totalElements(c) == 0) {
    outcome.status = Status::Skipped;
    outcome.reason =
        bound.outputs.empty()
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
    created = tested->create(describeProgram(c, options_.threads));
  }
  outcome.status = statusOf(created.kind);
  outcome.reason = created.reason;
  if (created.kind == WorkerResult::Kind::Unsupported) {
    outcome.status = Status::Unimplemented;
    outcome.reason = std::string("driver ") + c.driver + " by engine " +
                     run.engine +
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
    outcome.status = checkProgram(c, created.alignment, *tested, outcome);
  if (run.mode == Mode::Run || run.mode == Mode::Performance ||
      (run.mode == Mode::CorrectnessAndPerformance &&
       outcome.status == Status::Passed))
    measureProgram(c, created, *tested, outcome);
  checkDestroy(*tested, outcome);
  return outcome;
}
