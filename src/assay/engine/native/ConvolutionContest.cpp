// One convolution by many kernels. A bench holds the operation and its operands
// and runs steps on them without an executor, so that only the step is timed.
#include "assay/engine/native/ConvolutionContest.h"

#include "assay/engine/native/ConvolutionOperation.h"
#include "assay/numerics/Convert.h"
#include "assay/program/PlanBuilder.h"
#include "assay/reference/Reference.h"
#include "assay/support/Random.h"

#include <cstring>
#include <map>
#include <mutex>

namespace assay::engine {

using kernels::ConvConfig;
using kernels::ConvDirection;
using kernels::ConvProblem;
using program::Value;

//===--- The bench --------------------------------------------------------===//

struct ConvolutionBench::State {
  explicit State(ThreadPool &pool) : run(pool) {}
  std::unique_ptr<ConvolutionOperation> operation;
  bool filterStays = false;
  Value operands[2], result;
  std::mutex mutex; ///< one run at a time
  program::RunContext run;
};

ConvolutionBench::~ConvolutionBench() = default;
const Tensor &ConvolutionBench::result() const {
  return state_->result.tensor();
}

/// Integers from -5 to 5, or numbers in [-1, 1).
static llvm::Expected<Tensor> filled(const TensorType &type,
                                     ConvolutionBench::Fill fill,
                                     const CounterRandom &random) {
  llvm::Expected<Tensor> made = Tensor::allocate(type);
  if (!made)
    return made;
  std::vector<float> numbers(static_cast<size_t>(made->size()));
  for (size_t i = 0; i < numbers.size(); ++i) {
    uint64_t bits = (i * 0x9e3779b97f4a7c15u) ^ random.bits(i / 4096);
    bits ^= bits >> 29;
    numbers[i] =
        fill == ConvolutionBench::Fill::Exact
            ? static_cast<float>(static_cast<int64_t>(bits % 11) - 5)
            : static_cast<float>(static_cast<int64_t>(bits & 0xffff) - 32768) /
                  32768;
  }
  numerics::convertArray(*numerics::parseElementType("f32"), numbers.data(),
                         type.element, made->mutableBytes(), made->size());
  return made;
}

llvm::Expected<std::unique_ptr<ConvolutionBench>>
ConvolutionBench::create(std::shared_ptr<NativeContext> context,
                         const ConvProblem &problem, ThreadPool &pool,
                         Fill fill, uint64_t seed) {
  if (problem.threads != pool.threads())
    return makeError(ErrorCode::InvalidArgument,
                     "{0} runs on {1} threads, the pool has {2}",
                     toString(problem), problem.threads, pool.threads());
  auto operation = ConvolutionOperation::create(std::move(context), problem);
  if (!operation)
    return operation.takeError();
  std::unique_ptr<ConvolutionBench> bench(new ConvolutionBench());
  bench->state_ = std::make_unique<State>(pool);
  State &s = *bench->state_;
  s.operation = std::move(*operation);
  s.filterStays = problem.direction == ConvDirection::Forward;
  llvm::ArrayRef<TensorType> types = s.operation->types();
  for (unsigned o : {0u, 1u}) {
    auto made = filled(types[o], fill, CounterRandom(seed, o));
    if (!made)
      return made.takeError();
    s.operands[o] = Value(std::move(*made));
  }
  auto result = Tensor::allocate(types[2]);
  if (!result)
    return result.takeError();
  s.result = Value(std::move(*result));
  return bench;
}

llvm::Expected<std::shared_ptr<const Step>>
ConvolutionBench::compile(const ConvConfig &config) const {
  auto step = state_->operation->compile(config);
  if (!step)
    return step.takeError();
  if (state_->filterStays)
    setConstantWeight(**step);
  return std::shared_ptr<const Step>(std::move(*step));
}

llvm::Error ConvolutionBench::run(const Step &step) const {
  State &s = *state_;
  std::lock_guard<std::mutex> lock(s.mutex);
  return s.operation->run(step, s.operands[0], s.operands[1], s.result, s.run);
}

llvm::Expected<Tensor> ConvolutionBench::expected() const {
  auto plan = program::buildPlan(state_->operation->program(),
                                 reference::ReferenceCompiler(), {});
  if (!plan)
    return plan.takeError();
  program::RunContext run(state_->run.threads);
  auto results = program::execute(
      **plan, {state_->operands[0].tensor(), state_->operands[1].tensor()},
      run);
  if (!results)
    return results.takeError();
  return (*results)[0].tensor().dense();
}

//===--- The check --------------------------------------------------------===//

namespace {
/// A small problem for both numbers of threads, with the reference's result.
struct CheckedSample {
  ThreadPool one{1}, two{2};
  std::unique_ptr<ConvolutionBench> onOne, onTwo;
  Tensor expected;
};
} // namespace

struct ConvolutionCheck::State {
  std::shared_ptr<NativeContext> native;
  Compile compile;
  std::mutex mutex; // guards the members below, and the runs of the benches
  std::map<std::string, std::unique_ptr<CheckedSample>> samples;
  std::map<std::string, std::optional<ErrorText>> verdicts;

  llvm::Expected<CheckedSample *> sampleOf(const ConvProblem &problem);
  llvm::Error compare(const CheckedSample &sample, const ConvConfig &config);
};

ConvolutionCheck::ConvolutionCheck(std::shared_ptr<NativeContext> context,
                                   Compile compile)
    : state_(std::make_unique<State>()) {
  state_->native = std::move(context);
  state_->compile = std::move(compile);
  if (!state_->compile)
    state_->compile = [](const ConvolutionBench &bench,
                         const ConvConfig &config) {
      return bench.compile(config);
    };
}
ConvolutionCheck::~ConvolutionCheck() = default;

ConvProblem ConvolutionCheck::sampleOf(ConvProblem p) {
  constexpr int64_t kChannels = 40, kGroups = 3;
  constexpr ConvProblem::Sides kSides{2, 5, 19};
  int64_t groups = std::min(p.groups, p.groupIn() <= 2 ? kChannels : kGroups),
          in = std::min(p.groupIn(), kChannels),
          out = std::min(p.groupOut(), kChannels);
  p.channels = groups * in, p.outChannels = groups * out, p.groups = groups;
  p.batch = std::min<int64_t>(p.batch, 2);
  p.threads = 1;
  for (size_t d = 0; d < 3; ++d) {
    int64_t less = std::max<int64_t>(0, p.result[d] - kSides[d]);
    p.result[d] -= less;
    p.image[d] = std::max<int64_t>(1, p.image[d] - less * p.stride[d]);
    // The image may end before the last windows do, because padding stays
    // padding.
    while ((p.result[d] - 1) * p.stride[d] >= p.image[d] + p.low[d])
      ++p.image[d];
  }
  return p;
}

llvm::Expected<CheckedSample *>
ConvolutionCheck::State::sampleOf(const ConvProblem &problem) {
  std::unique_ptr<CheckedSample> &kept = samples[toString(problem)];
  if (kept)
    return kept.get();
  auto sample = std::make_unique<CheckedSample>();
  constexpr auto kExact = ConvolutionBench::Fill::Exact;
  if (llvm::Error error =
          ConvolutionBench::create(native, problem, sample->one, kExact, 7)
              .moveInto(sample->onOne))
    return error;
  ConvProblem onTwo = problem;
  onTwo.threads = 2;
  if (llvm::Error error =
          ConvolutionBench::create(native, onTwo, sample->two, kExact, 7)
              .moveInto(sample->onTwo))
    return error;
  if (llvm::Error error = sample->onOne->expected().moveInto(sample->expected))
    return error;
  kept = std::move(sample);
  return kept.get();
}

llvm::Error ConvolutionCheck::State::compare(const CheckedSample &sample,
                                             const ConvConfig &config) {
  for (const ConvolutionBench *bench :
       {sample.onOne.get(), sample.onTwo.get()}) {
    auto step = compile(*bench, config);
    if (!step)
      return step.takeError();
    const Tensor &got = bench->result();
    std::memset(const_cast<std::byte *>(got.bytes()), 0xee,
                static_cast<size_t>(got.denseBytes()));
    if (llvm::Error error = bench->run(**step))
      return error;
    int64_t size = got.elementType().storageBytes();
    for (int64_t i = 0; i < got.size(); ++i)
      if (std::memcmp(got.bytes() + i * size,
                      sample.expected.bytes() + i * size,
                      static_cast<size_t>(size)))
        return makeError(ErrorCode::Mismatch,
                         "{0} computes element {1} of the check's result "
                         "wrongly on this machine",
                         config.name(), i);
  }
  return llvm::Error::success();
}

llvm::Error ConvolutionCheck::check(const ConvProblem &problem,
                                    const ConvConfig &config) {
  ConvProblem small = sampleOf(problem);
  std::string key = toString(small) + "|" + config.name();
  std::lock_guard<std::mutex> lock(state_->mutex);
  auto found = state_->verdicts.find(key);
  if (found == state_->verdicts.end()) {
    auto sample = state_->sampleOf(small);
    if (!sample)
      return sample.takeError();
    std::optional<ErrorText> verdict;
    // A configuration for which the small problem is too small is judged by the
    // check of its micro-kernels.
    if (!kernels::supports(small, config, state_->native->registry.machine()))
      if (llvm::Error error = state_->compare(**sample, config))
        verdict = takeError(std::move(error));
    found = state_->verdicts.try_emplace(key, std::move(verdict)).first;
  }
  if (!found->second)
    return llvm::Error::success();
  return makeError(found->second->code, "{0}", found->second->message);
}

//===--- The contest ------------------------------------------------------===//

namespace {
class ConvolutionContender final : public select::Contender {
public:
  ConvolutionContender(std::shared_ptr<const ConvolutionBench> bench,
                       std::shared_ptr<const Step> step)
      : bench_(std::move(bench)), step_(std::move(step)) {}
  void run() const override { llvm::consumeError(bench_->run(*step_)); }

private:
  std::shared_ptr<const ConvolutionBench> bench_;
  std::shared_ptr<const Step> step_;
};

class ConvolutionContest final : public select::Contest {
public:
  ConvolutionContest(const ConvProblem &problem,
                     llvm::ArrayRef<ConvConfig> configs,
                     std::shared_ptr<const ConvolutionBench> bench,
                     std::shared_ptr<ConvolutionCheck> check,
                     const kernels::Machine &machine)
      : problem_(problem), configs_(configs), bench_(std::move(bench)),
        check_(std::move(check)), machine_(machine) {}

  select::ProblemRef problem() const override {
    return select::problemOf(problem_);
  }
  std::vector<int32_t> candidates() const override;
  std::string name(int32_t kernel) const override {
    return config(kernel).name();
  }
  int differences(int32_t a, int32_t b) const override {
    return kernels::differences(config(a), config(b));
  }
  llvm::Expected<std::shared_ptr<const select::Contender>>
  prepare(int32_t kernel) override;

private:
  const ConvConfig &config(int32_t kernel) const {
    return configs_[static_cast<size_t>(kernel)];
  }

  ConvProblem problem_;
  llvm::ArrayRef<ConvConfig> configs_;
  std::shared_ptr<const ConvolutionBench> bench_;
  std::shared_ptr<ConvolutionCheck> check_;
  const kernels::Machine &machine_;
};
} // namespace

/// The rule's configuration first, then the others by the number of choices in
/// which they differ from it: there is no estimate of times.
std::vector<int32_t> ConvolutionContest::candidates() const {
  std::vector<int32_t> out;
  for (size_t i = 0; i < configs_.size(); ++i)
    if (!kernels::supports(problem_, configs_[i], machine_))
      out.push_back(static_cast<int32_t>(i));
  ConvConfig rule = kernels::ruleFor(problem_, machine_);
  llvm::stable_sort(out, [&](int32_t a, int32_t b) {
    return kernels::differences(config(a), rule) <
           kernels::differences(config(b), rule);
  });
  return out;
}

llvm::Expected<std::shared_ptr<const select::Contender>>
ConvolutionContest::prepare(int32_t kernel) {
  if (llvm::Error error = check_->check(problem_, config(kernel)))
    return error;
  auto step = bench_->compile(config(kernel));
  if (!step)
    return step.takeError();
  // A kernel whose run fails is not a contender.
  if (llvm::Error error = bench_->run(**step))
    return error;
  return std::make_shared<ConvolutionContender>(bench_, std::move(*step));
}

ConvolutionSource::ConvolutionSource(ConvDirection direction,
                                     std::shared_ptr<NativeContext> context)
    : direction_(direction), context_(std::move(context)),
      check_(std::make_shared<ConvolutionCheck>(context_)),
      configs_(kernels::convKernels(direction, machine())) {}

const kernels::Machine &ConvolutionSource::machine() const {
  return context_->registry.machine();
}

select::SpaceContext spacesOf(std::shared_ptr<NativeContext> context) {
  kernels::Registry &registry = context->registry;
  return {registry,
          [context](llvm::StringRef op, llvm::StringRef) -> select::ContestMaker {
            auto direction = kernels::parseConvDirection(op);
            if (!direction)
              return nullptr;
            return [source = std::make_shared<ConvolutionSource>(*direction,
                                                                 context)](
                       const select::ProblemRef &problem, ThreadPool &pool,
                       uint64_t seed) {
              return source->contest(problem, pool, seed);
            };
          }};
}

llvm::Expected<std::unique_ptr<select::Contest>>
ConvolutionSource::contest(const select::ProblemRef &asked, ThreadPool &pool,
                           uint64_t seed) {
  if (asked->space().op() != toString(direction_))
    return makeError(ErrorCode::InvalidArgument, "{0} is not a problem of {1}",
                     asked->key(), toString(direction_));
  const ConvProblem &problem = select::convolutionOf(*asked);
  // A step uses the whole pool that it runs on.
  ThreadPool *fitting = &pool;
  if (problem.threads != pool.threads()) {
    std::shared_ptr<ThreadPool> &own = pools_[problem.threads];
    if (!own)
      own = std::make_shared<ThreadPool>(problem.threads);
    fitting = own.get();
  }
  auto bench = ConvolutionBench::create(context_, problem, *fitting,
                                        ConvolutionBench::Fill::Random, seed);
  if (!bench)
    return bench.takeError();
  return std::make_unique<ConvolutionContest>(
      problem, configs_,
      std::shared_ptr<const ConvolutionBench>(std::move(*bench)), check_,
      machine());
}

} // namespace assay::engine
