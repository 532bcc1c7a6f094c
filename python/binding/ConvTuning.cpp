// Choosing and running the kernels of convolutions in this process, for
// `assay.tune.Predictor`: over one native context, whose steps are kept by problem.
#include "Tuning.h"
#include "assay/engine/native/ConvolutionOperation.h"
#include "assay/select/spaces/Conv.h"

#include <cstring>
#include <map>
#include <mutex>

namespace nb = nanobind;
using namespace assay;
using namespace assay::kernels;

static const std::shared_ptr<engine::NativeContext> &context() {
  static auto one = std::make_shared<engine::NativeContext>();
  return one;
}

/// The direction and the type that kernels are listed for.
static ConvDirection directionOf(const std::string &op,
                                 const std::string &dtype,
                                 const std::string &layout) {
  auto direction = parseConvDirection(op);
  if (!direction)
    python::raise(makeError(ErrorCode::InvalidArgument,
                            "op '{0}' is none of gemm, conv_fwd, conv_bwd_data "
                            "and conv_bwd_weight",
                            op));
  if (dtype != "f32" || layout != select::kConvLayout)
    python::raise(
        makeError(ErrorCode::Unsupported,
                  "kernels of convolutions are of f32 and nhwc, asked "
                  "for is {0} {1}",
                  dtype, layout));
  return *direction;
}

namespace {
/// op, dtype, layout, and the problem in words.
using ProblemKey =
    std::tuple<std::string, std::string, std::string, std::string>;

/// threads 0: all cores.
ConvProblem problemOf(const ProblemKey &asked, int threads) {
  auto [op, dtype, layout, words] = asked;
  return python::valueOf(
      parseConvProblem(words, directionOf(op, dtype, layout), DataType::F32,
                       threads > 0 ? threads : availableCores()));
}

std::vector<std::string> namesOf(ConvDirection direction,
                                 const ConvProblem *problem) {
  const Machine &machine = context()->registry.machine();
  std::vector<std::string> names;
  for (const ConvConfig &config : convKernels(direction, machine))
    if (!problem || !supports(*problem, config, machine))
      names.push_back(config.name());
  return names;
}

/// A problem's operation with the step of the kernel that was chosen.
struct Prepared {
  std::unique_ptr<engine::ConvolutionOperation> operation;
  std::unique_ptr<engine::Step> step;
};

class ConvTuner {
public:
  /// `folder` empty: the models that dispatch looks at.
  explicit ConvTuner(const std::string &folder)
      : rankings_(context()->registry, folder),
        selector_(context()->registry,
                  folder.empty() ? std::vector<std::string>()
                                 : std::vector<std::string>{folder},
                  /*anyMachine=*/!folder.empty()) {}

  nb::tuple rank(const ProblemKey &asked, int threads, size_t top) {
    return rankings_.rank(select::problemOf(problemOf(asked, threads)), top);
  }

  nb::dict predict(const ProblemKey &asked, int threads,
                   const std::string &kernel) {
    return rankings_.predict(select::problemOf(problemOf(asked, threads)),
                             kernel);
  }

  static std::vector<std::string> kernels(const std::string &op,
                                          const std::string &dtype,
                                          const std::string &layout) {
    return namesOf(directionOf(op, dtype, layout), nullptr);
  }
  static std::vector<std::string> candidates(const ProblemKey &asked,
                                             int threads) {
    ConvProblem problem = problemOf(asked, threads);
    return namesOf(problem.direction, &problem);
  }

  /// The choice of dispatch as (kernel, by, why).
  nb::tuple choose(const ProblemKey &asked, int threads) {
    ConvProblem problem = problemOf(asked, threads);
    select::ConvChoice choice =
        python::unlocked([&] { return selector_.choose(problem); });
    return nb::make_tuple(choice.config.name(), choice.by, choice.why);
  }

  /// (sizes of both operands and of the result, groups)
  static nb::tuple shapes(const ProblemKey &asked) {
    ConvProblem problem = problemOf(asked, 1);
    auto operation = python::valueOf(
        engine::ConvolutionOperation::create(context(), problem));
    std::vector<std::vector<int64_t>> shapes;
    for (const tensor::TensorType &type : operation->types())
      shapes.emplace_back(type.shape.begin(), type.shape.end());
    return nb::make_tuple(shapes, problem.groups);
  }

  /// The result of two dense operands at these addresses, written to the third.
  void run(const ProblemKey &asked, const std::vector<uintptr_t> &addresses,
           int threads) {
    ConvProblem problem = problemOf(asked, threads);
    if (addresses.size() != 3)
      throw nb::value_error("three addresses are needed");
    llvm::Error error =
        python::unlocked([&] { return compute(problem, addresses); });
    if (error)
      python::raise(std::move(error));
  }

private:
  /// Made at the first run of a problem. Errors: those of the kernel
  llvm::Expected<Prepared *> preparedFor(const ConvProblem &problem) {
    std::unique_ptr<Prepared> &kept = prepared_[toString(problem)];
    if (kept)
      return kept.get();
    auto operation = engine::ConvolutionOperation::create(context(), problem);
    if (!operation)
      return operation.takeError();
    auto step = (*operation)->compile(selector_.choose(problem).config);
    if (!step)
      return step.takeError();
    kept = std::make_unique<Prepared>(
        Prepared{std::move(*operation), std::move(*step)});
    return kept.get();
  }

  llvm::Error compute(const ConvProblem &problem,
                      llvm::ArrayRef<uintptr_t> addresses) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto prepared = preparedFor(problem);
    if (!prepared)
      return prepared.takeError();
    const engine::ConvolutionOperation &operation = *(*prepared)->operation;
    program::Value operands[2];
    for (size_t i : {0, 1}) {
      auto view = python::viewAt(operation.types()[i], addresses[i]);
      if (!view)
        return view.takeError();
      operands[i] = program::Value(std::move(*view));
    }
    auto made = tensor::Tensor::allocate(operation.types()[2]);
    if (!made)
      return made.takeError();
    program::Value result(std::move(*made));
    program::RunContext run(python::poolOf(problem.threads));
    if (llvm::Error error = operation.run(*(*prepared)->step, operands[0],
                                          operands[1], result, run))
      return error;
    const tensor::Tensor &got = result.tensor();
    std::memcpy(reinterpret_cast<void *>(addresses[2]), got.bytes(),
                static_cast<size_t>(got.denseBytes()));
    return llvm::Error::success();
  }

  python::Rankings rankings_;
  select::ConvSelector selector_;
  std::mutex mutex_; ///< guards the members below, and the runs of its steps
  std::map<std::string, std::unique_ptr<Prepared>> prepared_;
};
} // namespace

void python::bindConvTuning(nb::module_ &module) {
  nb::class_<ConvTuner>(module, "ConvTuner",
                        "Chooses and runs kernels of convolutions.")
      .def(nb::init<const std::string &>(), nb::arg("folder"))
      .def("rank", &ConvTuner::rank, nb::arg("asked"), nb::arg("threads"),
           nb::arg("top"))
      .def("predict", &ConvTuner::predict, nb::arg("asked"), nb::arg("threads"),
           nb::arg("kernel"))
      .def_static("kernels", &ConvTuner::kernels, nb::arg("op"),
                  nb::arg("dtype"), nb::arg("layout"))
      .def_static("candidates", &ConvTuner::candidates, nb::arg("asked"),
                  nb::arg("threads"))
      .def("choose", &ConvTuner::choose, nb::arg("asked"), nb::arg("threads"))
      .def_static("shapes", &ConvTuner::shapes, nb::arg("asked"))
      .def("run", &ConvTuner::run, nb::arg("asked"), nb::arg("addresses"),
           nb::arg("threads"));
}
