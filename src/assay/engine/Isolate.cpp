// An isolated engine. Its plan is one step over the program's arguments and
// results. Each run uses a free worker process (one that already has this
// program, if possible), copies the arguments into the shared arena, waits, and
// copies the results back. The worker's answer includes the checks, prints and
// errors of the run.
#include "assay/engine/Isolate.h"
#include "assay/engine/Capture.h"
#include "assay/engine/Registry.h"
#include "assay/numerics/SubByte.h"
#include "assay/program/Types.h"
#include "assay/support/Interrupt.h"

#include <atomic>
#include <cstring>

namespace assay::engine {

using program::Plan;
using program::StepContext;
using program::TensorType;

namespace {
/// One worker process and its tensors.
struct Lane {
  explicit Lane(Arena memory, const WorkerOptions &options)
      : arena(std::move(memory)), worker(arena, options) {}
  Arena arena;
  Worker worker;
  int64_t current = -1; ///< id of the step whose program the worker has
  int alignment = 0;
};

/// The lanes that are not in use. A plan that runs in several threads at once
/// uses as many processes.
class Lanes {
public:
  explicit Lanes(WorkerOptions options) : options_(std::move(options)) {}
  int64_t nextId() { return ids_++; }
  /// A free lane, if possible one that has the program of step `id`. Errors:
  /// ResourceLimit.
  llvm::Expected<std::unique_ptr<Lane>> take(int64_t id);
  void giveBack(std::unique_ptr<Lane> lane);
  std::atomic<WorkerResult::Kind> lastWorkerResult{WorkerResult::Kind::Ok};

private:
  WorkerOptions options_;
  std::atomic<int64_t> ids_{0};
  std::mutex mutex_; // guards idle_
  std::vector<std::unique_ptr<Lane>> idle_;
};

class RemoteStep final : public program::Step {
public:
  RemoteStep(std::string engine, std::shared_ptr<Lanes> lanes,
             ProblemDescription problem, ProgramSettings settings,
             std::vector<TensorType> types, size_t inputs)
      : engine_(std::move(engine)), lanes_(std::move(lanes)),
        problem_(std::move(problem)), settings_(std::move(settings)),
        types_(std::move(types)), inputs_(inputs), id_(lanes_->nextId()) {}
  llvm::ArrayRef<TensorType> results() const {
    return llvm::ArrayRef(types_).drop_front(inputs_);
  }
  llvm::Error run(StepContext &context) const override;

private:
  llvm::Error prepare(Lane &lane, const program::RunContext &run) const;
  llvm::Error runIn(Lane &lane, StepContext &context) const;
  llvm::Error failure(const WorkerResult &result) const;

  std::string engine_;
  std::shared_ptr<Lanes> lanes_;
  ProblemDescription problem_;
  ProgramSettings settings_;
  std::vector<TensorType> types_; ///< of the problem's tensors
  size_t inputs_;                 ///< the number of inputs among them
  int64_t id_;
};

class IsolatedEngine final : public Engine {
public:
  IsolatedEngine(std::string name,
                 std::shared_ptr<const program::StepCompiler> rest,
                 const EngineOptions &options, WorkerOptions worker)
      : Engine(std::move(name), std::move(rest)), threads_(options.threads),
        fastReference_(options.fastReference),
        lanes_(std::make_shared<Lanes>(std::move(worker))) {}

  llvm::Expected<Compiled> compile(const OperationRequest &) const override {
    return Refusal{ErrorCode::Unsupported,
                   "an isolated engine takes whole programs"};
  }
  llvm::Expected<std::unique_ptr<Plan>>
  makePlan(std::shared_ptr<const program::Program> program,
           const PlanRequest &request) const override;
  WorkerResult::Kind lastWorkerResult() const override {
    return lanes_->lastWorkerResult;
  }

private:
  llvm::Expected<std::unique_ptr<RemoteStep>>
  remoteStep(const program::Program &program, mlir::func::FuncOp function,
             const PlanRequest &request) const;

  int threads_;
  bool fastReference_;
  std::shared_ptr<Lanes> lanes_;
};
} // namespace

llvm::Expected<std::unique_ptr<Lane>> Lanes::take(int64_t id) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (size_t i = idle_.size(); i-- > 0;)
      if (idle_[i]->current == id || i == 0) {
        std::unique_ptr<Lane> lane = std::move(idle_[i]);
        idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
        return lane;
      }
  }
  llvm::Expected<Arena> arena = Arena::create(int64_t{1} << 40);
  if (!arena)
    return arena.takeError();
  return std::make_unique<Lane>(std::move(*arena), options_);
}

void Lanes::giveBack(std::unique_ptr<Lane> lane) {
  std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(std::move(lane));
}

llvm::Error RemoteStep::failure(const WorkerResult &result) const {
  using Kind = WorkerResult::Kind;
  if (Interrupt::requested())
    return makeError(ErrorCode::Cancelled, "interrupted by Ctrl-C");
  switch (result.kind) {
  case Kind::Unsupported:
  case Kind::NotHere:
    return makeError(ErrorCode::Unsupported, "{0}", result.reason);
  case Kind::NoMemory:
    return makeError(ErrorCode::ResourceLimit, "{0}", result.reason);
  case Kind::Invalid:
    return makeError(ErrorCode::InvalidArgument, "{0}", result.reason);
  default:
    return makeError(ErrorCode::Mismatch, "engine '{0}' {1}: {2}", engine_,
                     result.kind == Kind::Crashed   ? "crashed"
                     : result.kind == Kind::Timeout ? "hangs"
                                                    : "failed",
                     result.reason);
  }
}

llvm::Error RemoteStep::prepare(Lane &lane,
                                const program::RunContext &run) const {
  if (lane.current == id_)
    return llvm::Error::success();
  lane.worker.destroy();
  lane.current = -1;
  ProgramSettings settings = settings_;
  settings.probeDirectory = run.probeDirectory;
  settings.maxFrames = run.maxFrames;
  settings.maxMemoryBytes = run.budget->limitBytes();
  settings.randomStream = run.randomCalls;
  ProblemDescription problem = problem_;
  problem.json = settings.toJson();
  WorkerResult created = lane.worker.create(problem);
  lanes_->lastWorkerResult = created.kind;
  if (created.kind != WorkerResult::Kind::Ok)
    return failure(created);
  lane.current = id_;
  lane.alignment = created.alignment;
  return llvm::Error::success();
}

llvm::Error RemoteStep::runIn(Lane &lane, StepContext &context) const {
  if (llvm::Error error = prepare(lane, context.run))
    return error;
  llvm::SmallVector<Extent, 8> extents;
  for (const TensorType &type : types_) {
    llvm::Expected<int64_t> count = tensor::elementCount(type.shape);
    if (!count)
      return count.takeError();
    int64_t width = type.element.storageBytes();
    extents.push_back({numerics::packedBytes(type.element, *count), width});
  }
  std::vector<Placement> places =
      placeTensors(extents, Guard::AtEnd, lane.alignment);
  if (llvm::Error error = lane.arena.grow(endOf(places)))
    return error;
  auto at = [&](size_t i) {
    return lane.arena.data() + places[i].fileOffset + places[i].dataOffset;
  };
  size_t inputs = context.operandCount();
  for (size_t i = 0; i < inputs; ++i) {
    llvm::Expected<tensor::Tensor> operand = context.dense(i);
    if (!operand)
      return operand.takeError();
    if (numerics::isPacked(types_[i].element))
      numerics::packElements(types_[i].element, operand->bytes(), at(i), 0, 1,
                             operand->size());
    else
      std::memcpy(at(i), operand->bytes(),
                  static_cast<size_t>(operand->denseBytes()));
  }
  WorkerResult result = lane.worker.run(
      {static_cast<uint32_t>(places.size()), 0, 0, 0, 0, 0}, places);
  lanes_->lastWorkerResult = result.kind;
  if (result.kind != WorkerResult::Kind::Ok) {
    lane.current = -1;
    return failure(result);
  }
  llvm::Expected<RunReport> report = RunReport::fromJson(result.report);
  if (!report)
    return addContext(report.takeError(), "the worker's report");
  llvm::append_range(context.run.checks, report->checks);
  context.run.engineSteps += report->engineSteps;
  (context.run.printStream ? *context.run.printStream : llvm::outs())
      << report->printed;
  if (report->error)
    return makeError(report->error->code, "{0}", report->error->message);
  for (size_t i = inputs; i < types_.size(); ++i) {
    tensor::Tensor &out = context.out(i - inputs);
    if (numerics::isPacked(types_[i].element))
      numerics::unpackElements(types_[i].element, at(i), 0, 1, out.size(),
                               out.mutableBytes());
    else
      std::memcpy(out.mutableBytes(), at(i),
                  static_cast<size_t>(extents[i].bytes));
  }
  return llvm::Error::success();
}

llvm::Error RemoteStep::run(StepContext &context) const {
  llvm::Expected<std::unique_ptr<Lane>> lane = lanes_->take(id_);
  if (!lane)
    return lane.takeError();
  llvm::Error error = runIn(**lane, context);
  lanes_->giveBack(std::move(*lane));
  return error;
}

static TensorDescription describe(std::string role, const TensorType &type,
                                  bool isOutput) {
  tensor::Shape strides = tensor::rowMajorStrides(type.shape);
  return {std::move(role), numerics::toString(type.element),
          std::vector<int64_t>(type.shape.begin(), type.shape.end()),
          std::vector<int64_t>(strides.begin(), strides.end()), isOutput};
}

std::unique_ptr<Plan>
wholeProgramPlan(std::shared_ptr<const program::Program> program,
                 mlir::func::FuncOp function,
                 llvm::ArrayRef<TensorType> results,
                 std::unique_ptr<program::Step> step) {
  auto plan = std::make_unique<Plan>();
  plan->program = std::move(program);
  auto body = std::make_unique<program::FunctionPlan>();
  body->name = function.getSymName().str();
  body->op = function;
  program::BlockPlan &block = body->blocks.emplace_back();
  program::StepNode &node = block.steps.emplace_back();
  node.op = function;
  node.name = function->getName().getStringRef();
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    block.arguments.push_back(body->slots);
    node.operands.push_back(body->slots++);
    node.dying.push_back(false);
  }
  for (const TensorType &type : results) {
    node.results.push_back(body->slots);
    node.resultTypes.push_back(type);
    block.returns.push_back(body->slots++);
    block.returnMoves.push_back(true);
  }
  node.step = std::move(step);
  plan->functions.push_back(std::move(body));
  return plan;
}

/// Tells a user how to run the program in this process.
static std::string wayIntoThisProcess(llvm::StringRef engine) {
  return pjrtPlugin(engine)
             ? llvm::formatv("engine '{0}' has one of its own: take another "
                             "engine",
                             engine)
                   .str()
             : "leave out --isolate";
}

llvm::Expected<std::unique_ptr<Plan>>
IsolatedEngine::makePlan(std::shared_ptr<const program::Program> program,
                         const PlanRequest &request) const {
  if (request.shadow)
    return makeError(ErrorCode::Unsupported,
                     "a shadow is computed in this process; {0}",
                     wayIntoThisProcess(name()));
  llvm::Expected<mlir::func::FuncOp> function =
      program->function(request.entry);
  if (!function)
    return function.takeError();
  if (!request.wanted) {
    llvm::Expected<std::unique_ptr<RemoteStep>> step = remoteStep(*program, *function, request);
    if (!step)
      return step.takeError();
    llvm::ArrayRef<TensorType> results = (*step)->results();
    return wholeProgramPlan(std::move(program), *function, results, std::move(*step));
  }
  llvm::Expected<Capture> capture = Capture::make(std::move(program), *function);
  if (!capture)
    return capture.takeError();
  llvm::Expected<std::unique_ptr<RemoteStep>> step = remoteStep(capture->copy(), capture->copiedFunction(), request);
  if (!step)
    return step.takeError();
  return capture->plan(std::move(*step));
}

llvm::Expected<std::unique_ptr<RemoteStep>>
IsolatedEngine::remoteStep(const program::Program &program,
                           mlir::func::FuncOp function,
                           const PlanRequest &request) const {
  ProblemDescription problem;
  problem.driver = kProgramDriver;
  problem.program = program.toBytecode();
  problem.threads = threads_;
  std::vector<TensorType> types;
  auto add = [&](llvm::ArrayRef<mlir::Type> list, const char *role,
                 bool isOutput) -> llvm::Error {
    for (auto [i, mlirType] : llvm::enumerate(list)) {
      llvm::Expected<TensorType> type = program::tensorTypeOf(mlirType);
      if (!type)
        return addContext(type.takeError(),
                          "--isolate: " + llvm::Twine(role) + llvm::Twine(i));
      types.push_back(*type);
      problem.tensors.push_back(
          describe(role + std::to_string(i), *type, isOutput));
    }
    return llvm::Error::success();
  };
  if (llvm::Error error = add(function.getArgumentTypes(), "argument ", false))
    return error;
  size_t inputs = types.size();
  if (llvm::Error error = add(function.getResultTypes(), "result ", true))
    return error;
  ProgramSettings settings;
  problem.entry = function.getSymName().str();
  settings.file = program.name();
  settings.accumulatePerStep = request.numeric.accumulatePerStep;
  settings.algorithm = toString(request.numeric.convolution);
  settings.foldsScales = request.numeric.foldsScales;
  settings.fastReference = fastReference_;
  return std::make_unique<RemoteStep>(name(), lanes_, std::move(problem),
                                      std::move(settings), std::move(types),
                                      inputs);
}

llvm::Expected<std::unique_ptr<Engine>>
isolate(llvm::StringRef name, std::shared_ptr<const program::StepCompiler> rest,
        const EngineOptions &options) {
  WorkerOptions worker;
  worker.program = options.workerProgram;
  worker.module = "builtin:" + name.str();
  worker.timeoutSeconds =
      options.timeoutSeconds > 0 ? options.timeoutSeconds : 1e9;
  worker.timeoutFlag = "--max-seconds";
  worker.stopsAtInterrupt = true;
  return std::make_unique<IsolatedEngine>(name.str(), std::move(rest), options,
                                          std::move(worker));
}

} // namespace assay::engine
