// Products and convolutions of a program on an engine under test. A step brings
// its operands into the order of the problem's tensors (batch, row, column;
// image, channel, space), lets the worker compute, and brings the result back.
// Problems are made from their text, so that the words of a failure's repro
// line are those that were run.
#include "assay/verify/Offload.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/Registry.h"
#include "assay/engine/native/Steps.h"
#include "assay/reference/Reference.h"
#include "assay/reference/Strided.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/Reader.h"

#include <cstring>
#include <mutex>

namespace assay::verify {

using engine::Placement;
using engine::WorkerResult;
using judge::bytesOf;
using program::Step;
using program::StepContext;
using program::StepSpec;
using program::TensorType;
using tensor::Shape;

class OffloadState {
public:
  OffloadState(engine::Arena arena, engine::WorkerOptions options,
               std::string name, int threads)
      : arena(std::move(arena)), worker(this->arena, std::move(options)),
        name(std::move(name)), threads(threads) {}
  std::mutex mutex;
  engine::Arena arena;
  engine::Worker worker;
  std::string name;
  int threads;
  const Step *current = nullptr; ///< whose problem the worker has
  OffloadCounts counts;
};

namespace {
/// A tensor of the program as a tensor of the problem: sizes in the problem's
/// order, and the program's strides in it.
struct View {
  Shape shape, strides;
};

/// A problem in the grammar's words, and how its three tensors are read and
/// written.
struct Description {
  std::string driver, types, text;
  View a, b, c;
};

class OffloadStep final : public Step {
public:
  OffloadStep(std::shared_ptr<OffloadState> state, Description description,
              Problem problem, std::unique_ptr<Step> fallback)
      : state_(std::move(state)), description_(std::move(description)),
        problem_(std::move(problem)), fallback_(std::move(fallback)) {}
  llvm::Error lowerProblem() {
    llvm::Expected<Lowered> lowered = lower(problem_);
    if (!lowered)
      return lowered.takeError();
    case_ = std::move(*lowered);
    return llvm::Error::success();
  }
  llvm::Error run(StepContext &context) const override;

private:
  llvm::Error keep(StepContext &context, llvm::StringRef reason) const;
  llvm::Error failure(const WorkerResult &result) const;
  std::vector<Placement> place(int alignment) const;
  void copy(const View &view, int64_t width, const void *program, void *problem,
            bool toProblem, ThreadPool &threads) const;

  std::shared_ptr<OffloadState> state_;
  Description description_;
  Problem problem_;
  Lowered case_;
  std::unique_ptr<Step> fallback_;
  mutable int alignment_ = 0;
  mutable std::string refused_; ///< why the engine does not do it
};
} // namespace

llvm::Error OffloadStep::keep(StepContext &context,
                              llvm::StringRef reason) const {
  ++state_->counts.kept[reason.str()];
  return fallback_->run(context);
}

llvm::Error OffloadStep::failure(const WorkerResult &result) const {
  using Kind = WorkerResult::Kind;
  state_->current = nullptr;
  const char *what = result.kind == Kind::Crashed   ? "crashed"
                     : result.kind == Kind::Timeout ? "hangs"
                                                    : "failed";
  return makeError(ErrorCode::Mismatch,
                   "engine '{0}' {1}: {2}; repro: assay verify --engine={0} "
                   "--{3} --dt={4} {5}",
                   state_->name, what, result.reason, description_.driver,
                   description_.types, description_.text);
}

std::vector<Placement> OffloadStep::place(int alignment) const {
  llvm::SmallVector<engine::Extent, 4> extents;
  for (const Slot &slot : case_.slots)
    extents.push_back({slot.spanBytes(), bytesOf(slot.type)});
  return engine::placeTensors(extents, engine::Guard::AtEnd, alignment);
}

void OffloadStep::copy(const View &view, int64_t width, const void *program,
                       void *problem, bool toProblem,
                       ThreadPool &threads) const {
  Shape dense = tensor::rowMajorStrides(view.shape);
  if (toProblem)
    reference::copyStrided(width, view.shape, program, view.strides, problem,
                           dense, &threads);
  else
    reference::copyStrided(width, view.shape, problem, dense,
                           const_cast<void *>(program), view.strides, &threads);
}

llvm::Error OffloadStep::run(StepContext &context) const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  if (!refused_.empty())
    return keep(context, refused_);
  if (state_->current != this) {
    state_->worker.destroy();
    state_->current = nullptr;
    WorkerResult created =
        state_->worker.create(describe(case_, state_->threads));
    if (created.kind == WorkerResult::Kind::Unsupported ||
        created.kind == WorkerResult::Kind::Invalid) {
      refused_ =
          created.reason.empty() ? "the engine does not do it" : created.reason;
      return keep(context, refused_);
    }
    if (created.kind != WorkerResult::Kind::Ok)
      return failure(created);
    alignment_ = created.alignment;
    state_->current = this;
  }
  std::vector<Placement> placements = place(alignment_);
  if (llvm::Error error = state_->arena.grow(engine::endOf(placements)))
    return error;
  auto at = [&](int slot) {
    return state_->arena.data() + placements[slot].fileOffset +
           placements[slot].dataOffset;
  };
  const std::pair<int, const View *> inputs[] = {{case_.a, &description_.a},
                                                 {case_.b, &description_.b}};
  for (size_t i = 0; i < 2; ++i) {
    llvm::Expected<tensor::Tensor> operand = context.dense(i);
    if (!operand)
      return operand.takeError();
    auto [slot, view] = inputs[i];
    copy(*view, bytesOf(case_.slots[slot].type), operand->bytes(), at(slot),
         true, context.run.threads);
  }
  std::memset(at(case_.out), 0xff,
              static_cast<size_t>(case_.slots[case_.out].spanBytes()));
  WorkerResult result = state_->worker.run(
      {static_cast<uint32_t>(placements.size()), 0, 0, 0, 0, 0}, placements);
  if (result.kind != WorkerResult::Kind::Ok)
    return failure(result);
  tensor::Tensor &out = context.out(0);
  copy(description_.c, bytesOf(case_.slots[case_.out].type), out.mutableBytes(),
       at(case_.out), false, context.run.threads);
  ++state_->counts.offloaded;
  return llvm::Error::success();
}

// ---- from operations to problems ----

/// The dimensions `order` of a dense tensor.
static View viewOf(const TensorType &type, llvm::ArrayRef<int64_t> order) {
  Shape strides = tensor::rowMajorStrides(type.shape);
  View view;
  for (int64_t dim : order) {
    view.shape.push_back(type.shape[dim]);
    view.strides.push_back(strides[dim]);
  }
  return view;
}

/// "f32:f32:f32". Integer sums that wrap into a narrower result than 32 bits
/// are not the grammar's, which saturates.
static std::optional<std::string> typesText(const StepSpec &spec) {
  if (spec.results[0].element.isInteger() &&
      spec.results[0].element.storageBytes() < 4)
    return std::nullopt;
  std::string text;
  for (const TensorType *type :
       {&spec.operands[0], &spec.operands[1], &spec.results[0]}) {
    std::string name = numerics::toString(type->element);
    static constexpr std::pair<const char *, const char *> kNames[] = {
        {"f32", "f32"}, {"f64", "f64"}, {"bf16", "bf16"}, {"f16", "f16"},
        {"i8", "s8"},   {"ui8", "u8"},  {"i32", "s32"}};
    auto found =
        llvm::find_if(kNames, [&](auto &pair) { return name == pair.first; });
    if (found == std::end(kNames))
      return std::nullopt;
    text += (text.empty() ? "" : ":") + std::string(found->second);
  }
  return text;
}

static int64_t product(const TensorType &type, llvm::ArrayRef<int64_t> dims) {
  int64_t size = 1;
  for (int64_t dim : dims)
    size *= type.shape[dim];
  return size;
}

static std::optional<Description>
describeDot(const StepSpec &spec, const engine::DotDimensions &dot) {
  const TensorType &lhs = spec.operands[0], &rhs = spec.operands[1],
                   &result = spec.results[0];
  auto order = [](const TensorType &type, llvm::ArrayRef<int64_t> first,
                  llvm::ArrayRef<int64_t> contracted, bool freeFirst) {
    Shape dims(first.begin(), first.end()), free;
    for (int64_t d = 0; d < static_cast<int64_t>(type.shape.size()); ++d)
      if (!llvm::is_contained(first, d) && !llvm::is_contained(contracted, d))
        free.push_back(d);
    for (llvm::ArrayRef<int64_t> part :
         {freeFirst ? llvm::ArrayRef<int64_t>(free) : contracted,
          freeFirst ? contracted : free})
      dims.append(part.begin(), part.end());
    return dims;
  };
  int64_t batch = product(lhs, dot.lhsBatch),
          k = product(lhs, dot.lhsContracted);
  if (batch * k == 0 || product(result, {}) == 0 ||
      llvm::is_contained(result.shape, 0))
    return std::nullopt; // nothing to compute: the grammar has no empty
                         // products
  int64_t m = 1, n = 1;
  for (int64_t size : lhs.shape)
    m *= size;
  for (int64_t size : rhs.shape)
    n *= size;
  m /= batch * k;
  n /= batch * k;
  Description d;
  d.driver = "matmul";
  std::string prefix = dot.lhsBatch.empty() ? "" : std::to_string(batch) + "x";
  d.text = llvm::formatv("{0}{1}x{2}:{0}{2}x{3}", prefix, m, k, n).str();
  d.a = viewOf(lhs, order(lhs, dot.lhsBatch, dot.lhsContracted, true));
  d.b = viewOf(rhs, order(rhs, dot.rhsBatch, dot.rhsContracted, false));
  d.c = {result.shape, tensor::rowMajorStrides(result.shape)};
  return d;
}

static std::optional<Description>
describeConvolution(const StepSpec &spec, stablehlo::ConvolutionOp op) {
  auto dims = op.getDimensionNumbers();
  const TensorType &lhs = spec.operands[0], &rhs = spec.operands[1],
                   &result = spec.results[0];
  auto rank = static_cast<int64_t>(dims.getInputSpatialDimensions().size());
  auto strides = reference::intsOf(op, "window_strides", rank, 1),
       low = reference::intsOf(op, "padding", 2 * rank, 0),
       base = reference::intsOf(op, "lhs_dilation", rank, 1),
       taps = reference::intsOf(op, "rhs_dilation", rank, 1),
       reversal = reference::intsOf(op, "window_reversal", rank, 0);
  auto groups = reference::intOf(op, "feature_group_count", 1);
  auto isOne = [](int64_t x) { return x == 1; };
  if (rank < 1 || rank > 3 || !llvm::all_of(base, isOne) ||
      llvm::any_of(reversal, [](int64_t x) { return x != 0; }) ||
      reference::intOf(op, "batch_group_count", 1) != 1 ||
      llvm::any_of(low, [](int64_t x) { return x < 0; }) ||
      llvm::is_contained(result.shape, 0) || llvm::is_contained(lhs.shape, 0) ||
      llvm::is_contained(rhs.shape, 0))
    return std::nullopt;
  Description d;
  d.driver = "conv";
  Shape a{dims.getInputBatchDimension(), dims.getInputFeatureDimension()},
      b{dims.getKernelOutputFeatureDimension(),
        dims.getKernelInputFeatureDimension()},
      c{dims.getOutputBatchDimension(), dims.getOutputFeatureDimension()};
  d.text =
      llvm::formatv("{0}mb{1}ic{2}oc{3}",
                    groups > 1 ? "g" + std::to_string(groups) : std::string(),
                    lhs.shape[a[0]], lhs.shape[a[1]], rhs.shape[b[0]])
          .str();
  for (int64_t i = 0; i < rank; ++i) {
    int64_t in = dims.getInputSpatialDimensions()[i],
            window = dims.getKernelSpatialDimensions()[i],
            out = dims.getOutputSpatialDimensions()[i];
    char letter = "dhw"[3 - rank + i];
    d.text +=
        llvm::formatv("i{0}{1}o{0}{2}k{0}{3}s{0}{4}p{0}{5}d{0}{6}", letter,
                      lhs.shape[in], result.shape[out], rhs.shape[window],
                      strides[i], low[2 * i], taps[i] - 1)
            .str();
    a.push_back(in), b.push_back(window), c.push_back(out);
  }
  d.a = viewOf(lhs, a), d.b = viewOf(rhs, b), d.c = viewOf(result, c);
  return d;
}

/// The problem that the words stand for; nullopt when the grammar does not take
/// them.
static std::optional<Problem> readProblem(const Description &d) {
  std::optional<Problem> problem;
  Reader reader({}, [&](Problem read) {
    problem = std::move(read);
    return llvm::Error::success();
  });
  std::string driver = "--" + d.driver, types = "--dt=" + d.types,
              direction = "--dir=FWD_D";
  std::vector<const char *> words{driver.c_str(), types.c_str()};
  if (d.driver == "conv")
    words.push_back(direction.c_str());
  words.push_back(d.text.c_str());
  if (llvm::Error error = reader.readArguments(words)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  if (problem && (!problem->invalid.empty() || !problem->unimplemented.empty()))
    return std::nullopt;
  return problem;
}

llvm::Expected<std::unique_ptr<OffloadCompiler>>
OffloadCompiler::create(llvm::StringRef engineName, int threads,
                        double timeoutSeconds) {
  llvm::Expected<std::string> module = engine::resolveEngine(engineName);
  if (!module)
    return module.takeError();
  llvm::Expected<engine::Arena> arena = engine::Arena::create(int64_t{1} << 40);
  if (!arena)
    return arena.takeError();
  engine::WorkerOptions options;
  options.module = *module;
  if (timeoutSeconds > 0)
    options.timeoutSeconds = timeoutSeconds;
  return std::unique_ptr<OffloadCompiler>(
      new OffloadCompiler(std::make_shared<OffloadState>(
          std::move(*arena), std::move(options), engineName.str(), threads)));
}

const OffloadCounts &OffloadCompiler::counts() const { return state_->counts; }

llvm::Expected<std::unique_ptr<Step>>
OffloadCompiler::compile(const StepSpec &spec) const {
  llvm::Expected<std::unique_ptr<Step>> fallback =
      reference::ReferenceCompiler().compile(spec);
  if (!fallback || spec.shadow || spec.operands.size() != 2)
    return fallback;
  std::optional<Description> description;
  if (std::optional<engine::DotDimensions> dot =
          engine::dotDimensions(spec.op, spec.operands[0]))
    description = describeDot(spec, *dot);
  else if (auto convolution = mlir::dyn_cast<stablehlo::ConvolutionOp>(spec.op))
    description = describeConvolution(spec, convolution);
  std::optional<std::string> types =
      description ? typesText(spec) : std::nullopt;
  if (!types)
    return fallback;
  description->types = *types;
  std::optional<Problem> problem = readProblem(*description);
  if (!problem)
    return fallback;
  auto step =
      std::make_unique<OffloadStep>(state_, std::move(*description),
                                    std::move(*problem), std::move(*fallback));
  if (llvm::Error error = step->lowerProblem())
    return error;
  return std::unique_ptr<Step>(std::move(step));
}

std::unique_ptr<program::LaneFunction>
OffloadCompiler::compileLanes(mlir::Region &region, bool withShadow) const {
  return reference::ReferenceCompiler().compileLanes(region, withShadow);
}

} // namespace assay::verify
