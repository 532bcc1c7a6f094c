// Assay's own engines in a worker process: create() reads and plans a program,
// run() executes it. Arguments are views of the shared, read-only tensors where
// these are row-major, and dense copies where they are not; results are copied
// into the outputs, along their strides.
#include "assay/engine/Isolate.h"
#include "assay/engine/Registry.h"
#include "assay/engine/all/Engines.h"
#include "assay/engine/pjrt/PjrtEngine.h"
#include "assay/numerics/SubByte.h"
#include "assay/program/Executor.h"
#include "assay/program/Types.h"
#include "assay/reference/Physical.h"
#include "assay/reference/Reference.h"

#include <chrono>
#include <cstring>

namespace assay::engine {

using program::Value;
using tensor::Buffer;
using tensor::Shape;
using tensor::Tensor;
using tensor::TensorType;

namespace {
/// A tensor of the problem, with the argument or result of the program that it
/// is.
struct Bound {
  size_t tensor = 0; ///< index in the problem, inputs first
  TensorType type;   ///< the program's
  Shape dims, strides;
  bool isDense = true; ///< dense, with whole bytes for every element
  int64_t bytes() const {
    int64_t count = type.element.storageBytes();
    for (int64_t size : dims)
      count *= size;
    return count;
  }
};

/// A problem that is ready to run.
struct Prepared {
  explicit Prepared(int threads) : pool(threads) {}
  ThreadPool pool;
  ProgramSettings settings;
  bool reports = false; ///< for an isolated engine: every run returns a
                        ///< RunReport
  std::unique_ptr<program::Plan> plan;
  size_t inputs = 0;
  std::vector<Bound> arguments, results;
  double seconds = 0;
};

class ProgramHost final : public Host {
public:
  explicit ProgramHost(std::string name) : name_(std::move(name)) {}
  int create(const HostProblem &problem, std::string &text) override;
  int run(const assay_tensor_t *inputs, const assay_tensor_t *outputs,
          std::string &text) override;
  void destroy() override { prepared_.reset(); }
  int64_t leastGrowthBytes() const override {
    return pjrtPlugin(name_) ? kRuntimeGrowthBytes : Host::leastGrowthBytes();
  }
  double lastRunSeconds() const override {
    return prepared_ ? prepared_->seconds : 0;
  }

private:
  llvm::Error useEngine(bool fastReference);
  llvm::Error prepare(const HostProblem &problem);
  llvm::Error execute(const assay_tensor_t *inputs,
                      const assay_tensor_t *outputs, RunReport &report);

  std::string name_;
  std::unique_ptr<Engine> engine_; ///< made once, and with it its kernels
  bool isFast_ = false;            ///< EngineOptions::fastReference of engine_
  std::unique_ptr<Prepared> prepared_;
};
} // namespace

int ProgramHost::create(const HostProblem &problem, std::string &text) {
  prepared_.reset();
  llvm::Error error = prepare(problem);
  if (!error)
    return ASSAY_PLUGIN_OK;
  prepared_.reset();
  ErrorText why = takeError(std::move(error));
  text = why.message;
  return why.code == ErrorCode::Unsupported ? ASSAY_PLUGIN_UNSUPPORTED
                                            : ASSAY_PLUGIN_INVALID;
}

/// Describes the tensor in the program's type. Errors: InvalidArgument when the
/// two hold different numbers of elements.
static llvm::Expected<Bound> bind(const assay_problem_t &problem, size_t index,
                                  mlir::Type type) {
  auto inputs = static_cast<size_t>(problem.n_inputs);
  size_t count = inputs + static_cast<size_t>(problem.n_outputs);
  if (index >= count)
    return makeError(ErrorCode::InvalidArgument,
                     "the program has more arguments or results than the "
                     "problem has tensors");
  const assay_tensor_t &tensor =
      index < inputs ? problem.inputs[index] : problem.outputs[index - inputs];
  Bound bound;
  bound.tensor = index;
  if (llvm::Error error = program::tensorTypeOf(type).moveInto(bound.type))
    return error;
  bound.dims.assign(tensor.dims, tensor.dims + tensor.rank);
  bound.strides.assign(tensor.strides, tensor.strides + tensor.rank);
  Shape dense = tensor::rowMajorStrides(bound.dims);
  for (size_t d = 0; d < dense.size(); ++d)
    bound.isDense &= bound.dims[d] <= 1 || bound.strides[d] == dense[d];
  bound.isDense &= !numerics::isPacked(bound.type.element);
  llvm::Expected<int64_t> here = tensor::elementCount(bound.dims),
                          there = tensor::elementCount(bound.type.shape);
  if (!here)
    return here.takeError();
  if (!there)
    return there.takeError();
  if (*here != *there)
    return makeError(ErrorCode::InvalidArgument,
                     "tensor '{0}' has {1} elements, the program's {2} has {3}",
                     tensor.role, *here, tensor::toString(bound.type), *there);
  return bound;
}

llvm::Error ProgramHost::useEngine(bool fastReference) {
  if (engine_ && isFast_ == fastReference)
    return llvm::Error::success();
  EngineOptions options;
  options.fastReference = isFast_ = fastReference;
  // A device's plugin is loaded here, where it can do no harm.
  std::optional<std::string> plugin = pjrtPlugin(name_);
  auto made =
      plugin ? makePjrtEngine(*plugin,
                              std::make_shared<reference::ReferenceCompiler>())
             : makeEngine(name_, options);
  return std::move(made).moveInto(engine_);
}

llvm::Error ProgramHost::prepare(const HostProblem &problem) {
  auto prepared = std::make_unique<Prepared>(problem.problem.threads);
  if (llvm::Error error =
          ProgramSettings::fromJson(problem.problem.problem_json)
              .moveInto(prepared->settings))
    return addContext(std::move(error), "the problem's text");
  const ProgramSettings &settings = prepared->settings;
  prepared->reports = llvm::StringRef(problem.problem.driver) == kProgramDriver;
  if (llvm::Error error = useEngine(settings.fastReference))
    return error;
  if (problem.program.empty())
    return makeError(ErrorCode::InvalidArgument,
                     "the problem comes without the program that engine {0} "
                     "runs",
                     name_);
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      program::Program::fromBytecode(
          problem.program, settings.file.empty() ? "program" : settings.file);
  if (!program)
    return program.takeError();
  llvm::Expected<mlir::func::FuncOp> function =
      (*program)->function(problem.entry);
  if (!function)
    return function.takeError();
  prepared->inputs = static_cast<size_t>(problem.problem.n_inputs);
  for (unsigned i = 0; i < function->getNumArguments(); ++i) {
    auto index = i < problem.arguments.size()
                     ? static_cast<size_t>(problem.arguments[i])
                     : i;
    llvm::Expected<Bound> bound =
        bind(problem.problem, index, function->getArgumentTypes()[i]);
    if (!bound)
      return bound.takeError();
    prepared->arguments.push_back(std::move(*bound));
  }
  for (unsigned i = 0; i < function->getNumResults(); ++i) {
    llvm::Expected<Bound> bound = bind(problem.problem, prepared->inputs + i,
                                       function->getResultTypes()[i]);
    if (!bound)
      return bound.takeError();
    prepared->results.push_back(std::move(*bound));
  }
  PlanRequest request;
  request.entry = problem.entry.str();
  request.numeric.accumulatePerStep = settings.accumulatePerStep;
  request.numeric.convolution =
      program::parseConvolutionAlgorithm(settings.algorithm)
          .value_or(program::ConvolutionAlgorithm::Direct);
  request.numeric.foldsScales = settings.foldsScales;
  request.keepsArguments = false; // the parent writes new data into the arena
  if (llvm::Error error =
          engine_->makePlan(*program, request).moveInto(prepared->plan))
    return error;
  prepared_ = std::move(prepared);
  return llvm::Error::success();
}

/// The argument's values, dense: the shared memory itself, or a copy.
static llvm::Expected<Tensor> read(const Bound &bound, const void *data,
                                   ThreadPool &pool) {
  static const auto kOwner = std::make_shared<const int>(0);
  if (bound.isDense)
    return Tensor::fromBuffer(bound.type,
                              Buffer::view(data, bound.bytes(), kOwner));
  llvm::Expected<Tensor> copy = Tensor::allocate(bound.type);
  if (copy)
    reference::loadPhysical({bound.type.element, bound.dims}, data,
                            bound.strides, copy->mutableBytes(), &pool);
  return copy;
}

static llvm::Error write(const Bound &bound, const Value &value, void *data,
                         ThreadPool &pool) {
  llvm::Expected<Tensor> dense = value.tensor().dense();
  if (!dense)
    return dense.takeError();
  if (bound.isDense)
    std::memcpy(data, dense->bytes(), static_cast<size_t>(bound.bytes()));
  else
    reference::storePhysical({bound.type.element, bound.dims}, dense->bytes(),
                             data, bound.strides, &pool);
  return llvm::Error::success();
}

llvm::Error ProgramHost::execute(const assay_tensor_t *inputs,
                                 const assay_tensor_t *outputs,
                                 RunReport &report) {
  Prepared &p = *prepared_;
  auto data = [&](const Bound &bound) {
    return bound.tensor < p.inputs ? inputs[bound.tensor].data
                                   : outputs[bound.tensor - p.inputs].data;
  };
  std::vector<Tensor> arguments;
  for (const Bound &bound : p.arguments) {
    llvm::Expected<Tensor> argument = read(bound, data(bound), p.pool);
    if (!argument)
      return argument.takeError();
    arguments.push_back(std::move(*argument));
  }
  program::RunContext context(p.pool);
  llvm::raw_string_ostream sink(report.printed);
  context.printStream = &sink;
  context.probeDirectory = p.settings.probeDirectory;
  context.randomCalls = p.settings.randomStream;
  if (p.settings.maxFrames > 0)
    context.maxFrames = p.settings.maxFrames;
  if (p.settings.maxMemoryBytes > 0)
    context.budget = std::make_shared<MemoryBudget>(p.settings.maxMemoryBytes);
  auto start = std::chrono::steady_clock::now();
  llvm::Expected<std::vector<Value>> results =
      program::execute(*p.plan, arguments, context);
  p.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  report.checks = std::move(context.checks);
  report.engineSteps = context.engineSteps;
  report.peakBytes = context.budget->peakBytes();
  if (!results)
    return results.takeError();
  for (auto [value, bound] : llvm::zip(*results, p.results))
    if (llvm::Error error = write(bound, value, data(bound), p.pool))
      return error;
  return llvm::Error::success();
}

int ProgramHost::run(const assay_tensor_t *inputs,
                     const assay_tensor_t *outputs, std::string &text) {
  if (!prepared_) {
    text = "the engine has no program to run";
    return ASSAY_PLUGIN_FAILED;
  }
  RunReport report;
  llvm::Error error = execute(inputs, outputs, report);
  if (prepared_->reports) {
    if (error)
      report.error = takeError(std::move(error));
    text = report.toJson();
    return ASSAY_PLUGIN_OK;
  }
  if (!error)
    return ASSAY_PLUGIN_OK;
  text = takeError(std::move(error)).message;
  return ASSAY_PLUGIN_FAILED;
}

std::unique_ptr<Host> makeProgramHost(llvm::StringRef name) {
  if (!takesPrograms(name))
    return nullptr;
  return std::make_unique<ProgramHost>(name.str());
}

} // namespace assay::engine
