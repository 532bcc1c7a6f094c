// Kernel selection in this process, for `assay.tune.Predictor`: by a model, or
// as in dispatch, with one native context for the process, which keeps steps of
// convolutions by problem.
#include "Binding.h"
#include "assay/engine/native/ConvolutionOperation.h"
#include "assay/kernels/Kind.h"
#include "assay/select/CkRanking.h"
#include "assay/select/Ranking.h"
#include "assay/select/spaces/Conv.h"
#include "assay/select/spaces/Gemm.h"
#include "assay/support/ThreadPool.h"

#include <cstring>
#include <map>
#include <mutex>

namespace nb = nanobind;
using namespace assay;
using namespace assay::kernels;
using select::convolutionOf;
using select::productOf;

static const std::shared_ptr<engine::NativeContext> &context() {
  static auto one = std::make_shared<engine::NativeContext>();
  return one;
}
static Registry &registry() { return context()->registry; }

/// The process's pool of that many threads.
static ThreadPool &poolOf(int threads) {
  static std::mutex mutex;
  static std::map<int, std::unique_ptr<ThreadPool>> pools;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<ThreadPool> &pool = pools[threads];
  if (!pool)
    pool = std::make_unique<ThreadPool>(threads);
  return *pool;
}

/// kernel, score, and the model's prediction for each target.
static nb::dict toPython(const select::RankingReport::Row &row) {
  nb::dict out;
  out["kernel"] = row.kernel;
  out["score"] = row.score;
  for (const auto &[target, value] : row.predicted)
    out[select::toString(target)] = value;
  return out;
}

namespace {
using Sizes = std::tuple<int64_t, int64_t, int64_t, int64_t>; ///< m n k batch
/// op, dtype, layout; the sizes of a product, or a convolution in benchdnn's syntax.
using Asked =
    std::tuple<std::string, std::string, std::string, Sizes, std::string>;

/// Raises if the operation has no kernels of that type and layout.
const select::LocalSpace &spaceOf(const std::string &op,
                                  const std::string &dtype,
                                  const std::string &layout) {
  const select::LocalSpace *space = select::findLocal(op);
  if (!space)
    python::raise(makeError(ErrorCode::InvalidArgument,
                            "op '{0}' is not one of gemm, conv_fwd, conv_bwd_data "
                            "and conv_bwd_weight",
                            op));
  bool isProduct = space == &select::defaultSpace();
  if (!isProduct && (dtype != "f32" || layout != select::kConvLayout))
    python::raise(
        makeError(ErrorCode::Unsupported,
                  "kernels of convolutions are of f32 and nhwc, asked "
                  "for is {0} {1}",
                  dtype, layout));
  if (llvm::Error error = space->check(dtype, layout))
    python::raise(std::move(error));
  return *space;
}

bool isProduct(const Asked &asked) {
  return std::get<0>(asked) == select::defaultSpace().op();
}

/// The kernels of an operation, of a type and layout.
std::unique_ptr<select::KernelSet> kernelsOf(const std::string &op,
                                             const std::string &dtype,
                                             const std::string &layout) {
  return python::valueOf(
      spaceOf(op, dtype, layout).open(dtype, layout, {registry()}));
}

/// The problem that these words describe. threads 0: all cores.
select::ProblemRef problemOf(const Asked &asked, int threads) {
  const auto &[op, dtype, layout, sizes, words] = asked;
  const select::LocalSpace &space = spaceOf(op, dtype, layout);
  std::map<llvm::StringRef, int64_t> numbers;
  std::tie(numbers["m"], numbers["n"], numbers["k"], numbers["batch"]) = sizes;
  select::ProblemRef problem = python::valueOf(space.parse(
      {"", dtype, layout, threads > 0 ? threads : availableCores(),
       [&](const char *name, int64_t) { return numbers[name]; },
       [&words = words](const char *) { return words; }}));
  if (!isProduct(asked))
    return problem;
  const GemmProblem &product = productOf(*problem);
  if (auto refusal = validate(product))
    python::raise(makeError(refusal->code, "{0}", refusal->text));
  return select::problemOf(product, product.modelLayout());
}

/// A problem's operation with the step of the kernel that was chosen.
struct Prepared {
  std::unique_ptr<engine::ConvolutionOperation> operation;
  std::unique_ptr<engine::Step> step;
};

/// Chooses and runs kernels of this processor.
class Tuner {
public:
  /// `folder` empty: the models that dispatch looks at.
  explicit Tuner(const std::string &folder)
      : models_(registry(), folder), products_(registry(), foldersOf(folder),
                                               /*anyMachine=*/!folder.empty()),
        convolutions_(registry(), foldersOf(folder),
                      /*anyMachine=*/!folder.empty()) {}

  /// (rows, note): the best `top` kernels by the model.
  nb::tuple rank(const Asked &asked, int threads, size_t top) {
    select::ProblemRef problem = problemOf(asked, threads);
    auto report = python::valueOf(python::unlocked([&] {
      return select::rankBy(models_.of(*problem), *problem, top);
    }));
    nb::list rows;
    for (const select::RankingReport::Row &row : report.rows)
      rows.append(toPython(row));
    return nb::make_tuple(rows, report.note);
  }

  /// The prediction of the model for one kernel.
  nb::dict predict(const Asked &asked, int threads, const std::string &kernel) {
    select::ProblemRef problem = problemOf(asked, threads);
    return toPython(python::valueOf(python::unlocked([&] {
      return select::predictFor(models_.of(*problem), *problem, kernel);
    })));
  }

  /// The names of all kernels, or of those that can compute the problem.
  static std::vector<std::string> kernels(const std::string &op,
                                          const std::string &dtype,
                                          const std::string &layout) {
    auto set = kernelsOf(op, dtype, layout);
    std::vector<std::string> names;
    for (size_t i = 0; i < set->size(); ++i)
      names.push_back(set->nameOf(static_cast<int32_t>(i)));
    return names;
  }
  static std::vector<std::string> candidates(const Asked &asked, int threads) {
    select::ProblemRef problem = problemOf(asked, threads);
    std::vector<std::string> names;
    if (isProduct(asked)) {
      const GemmProblem &product = productOf(*problem);
      for (const GemmConfig &config : select::kernelsFor(registry(), product))
        if (!registry().supports(product, config))
          names.push_back(config.name());
      return names;
    }
    auto set =
        kernelsOf(std::get<0>(asked), problem->dtype(), problem->layout());
    for (int32_t kernel : set->supported(*problem))
      names.push_back(set->nameOf(kernel));
    return names;
  }

  /// The choice of dispatch as (kernel, by, why).
  nb::tuple choose(const Asked &asked, int threads) {
    select::ProblemRef problem = problemOf(asked, threads);
    auto say = [](const auto &choice) {
      return nb::make_tuple(choice.config.name(), choice.by, choice.why);
    };
    if (isProduct(asked))
      return say(python::unlocked(
          [&] { return products_.explain(productOf(*problem)); }));
    return say(python::unlocked(
        [&] { return convolutions_.choose(convolutionOf(*problem)); }));
  }

  /// C = A B at these addresses; strides in elements: row, column, batch of A,
  /// B and C.
  void multiply(const std::string &dtype, const std::string &result,
                const Sizes &sizes, const std::vector<int64_t> &strides,
                const std::vector<uintptr_t> &addresses, int threads) {
    GemmProblem problem =
        productOf(*problemOf({"gemm", dtype, "rcr", sizes, ""}, threads));
    std::optional<DataType> c = parseDataType(result);
    if (!c || strides.size() != 9 || addresses.size() != 3)
      throw nb::value_error("a result type, nine strides and three addresses "
                            "are needed");
    problem.c = *c;
    Strides *of[] = {&problem.aStrides, &problem.bStrides, &problem.cStrides};
    for (size_t i = 0; i < 3; ++i)
      *of[i] = {strides[3 * i], strides[3 * i + 1], strides[3 * i + 2]};
    auto at = [&](size_t i) { return reinterpret_cast<void *>(addresses[i]); };
    llvm::Error error = python::unlocked([&] {
      return gemm(problem, {at(0), at(1), at(2), nullptr, nullptr}, registry(),
                  products_, poolOf(problem.threads));
    });
    if (error)
      python::raise(std::move(error));
  }

  /// (sizes of both operands and of the result, groups)
  static nb::tuple shapes(const Asked &asked) {
    ConvProblem problem = convolutionOf(*problemOf(asked, 1));
    auto operation = python::valueOf(
        engine::ConvolutionOperation::create(context(), problem));
    std::vector<std::vector<int64_t>> shapes;
    for (const tensor::TensorType &type : operation->types())
      shapes.emplace_back(type.shape.begin(), type.shape.end());
    return nb::make_tuple(shapes, problem.groups);
  }

  /// The result of two dense operands at these addresses, written to the third.
  void convolve(const Asked &asked, const std::vector<uintptr_t> &addresses,
                int threads) {
    select::ProblemRef problem = problemOf(asked, threads);
    if (addresses.size() != 3)
      throw nb::value_error("three addresses are needed");
    llvm::Error error = python::unlocked(
        [&] { return compute(convolutionOf(*problem), addresses); });
    if (error)
      python::raise(std::move(error));
  }

private:
  static std::vector<std::string> foldersOf(const std::string &folder) {
    return folder.empty() ? std::vector<std::string>()
                          : std::vector<std::string>{folder};
  }
  /// Made at the first run of a problem. Errors: those of the kernel
  llvm::Expected<Prepared *> preparedFor(const ConvProblem &problem) {
    std::unique_ptr<Prepared> &kept = prepared_[toString(problem)];
    if (kept)
      return kept.get();
    auto operation = engine::ConvolutionOperation::create(context(), problem);
    if (!operation)
      return operation.takeError();
    auto step = (*operation)->compile(convolutions_.choose(problem).config);
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
    program::RunContext run(poolOf(problem.threads));
    if (llvm::Error error = operation.run(*(*prepared)->step, operands[0],
                                          operands[1], result, run))
      return error;
    const tensor::Tensor &got = result.tensor();
    std::memcpy(reinterpret_cast<void *>(addresses[2]), got.bytes(),
                static_cast<size_t>(got.denseBytes()));
    return llvm::Error::success();
  }

  select::ModelCache models_;
  select::LearnedSelector products_;
  select::ConvSelector convolutions_;
  std::mutex mutex_; ///< guards the members below, and the runs of its steps
  std::map<std::string, std::unique_ptr<Prepared>> prepared_;
};

/// Ranks CK Tile's kernels by a model of them.
class CkTuner {
public:
  using Numbers = std::map<std::string, std::vector<double>>;
  using Texts = std::map<std::string, std::vector<std::string>>;

  CkTuner(const std::string &folder, const std::string &direction)
      : folder_(folder), direction_(direction) {}

  /// Whether the folder's model is of such kernels.
  static bool serves(const std::string &folder) {
    return python::valueOf(select::isCkModel(folder));
  }

  /// `conv`: a convolution in benchdnn's syntax, instead of sizes and layout. The
  /// best `top` of the kernels that `candidates` names.
  nb::list rank(const std::string &dtype, const std::string &layout,
                const Sizes &sizes, const std::string &conv,
                const std::string &candidates, size_t top) const {
    select::CkProblem problem = ckProblem(dtype, layout, sizes, conv);
    return listOf(python::valueOf(python::unlocked([&] {
      return select::rankCkKernels(folder_, problem, candidates, top);
    })));
  }

  /// Ranks all rows of configurations, which are given by column.
  nb::list rankConfigs(const std::string &dtype, const std::string &layout,
                       const Sizes &sizes, const std::string &conv,
                       const Texts &texts, const Numbers &numbers) const {
    select::CkProblem problem = ckProblem(dtype, layout, sizes, conv);
    select::ColumnTable table;
    auto count = [&](const auto &column) {
      table.rows = static_cast<int64_t>(column.size());
    };
    for (const auto &[name, column] : texts)
      count(table.add(name, select::ColumnType::Text).texts = column);
    for (const auto &[name, column] : numbers)
      count(table.add(name, select::ColumnType::Float).numbers = column);
    return listOf(python::valueOf(python::unlocked(
        [&] { return select::rankCkConfigs(folder_, problem, table); })));
  }

private:
  select::CkProblem ckProblem(const std::string &dtype,
                                  const std::string &layout, const Sizes &sizes,
                                  const std::string &conv) const {
    select::CkProblem problem;
    std::tie(problem.m, problem.n, problem.k, problem.splitK) = sizes;
    problem.layout = layout;
    problem.dtype = dtype;
    problem.direction = direction_;
    if (!conv.empty())
      problem.conv = python::valueOf(select::parseConvProblem(conv));
    return problem;
  }
  static nb::list listOf(const select::CkRankingReport &report) {
    nb::list rows;
    for (const select::RankingReport::Row &row : report.rows)
      rows.append(toPython(row));
    return rows;
  }

  std::string folder_, direction_;
};
} // namespace

void python::bindTuning(nb::module_ &module) {
  nb::class_<CkTuner>(module, "CkTuner", "Ranks kernels of CK Tile.")
      .def(nb::init<const std::string &, const std::string &>(),
           nb::arg("folder"), nb::arg("direction"))
      .def_static("serves", &CkTuner::serves, nb::arg("folder"))
      .def("rank", &CkTuner::rank, nb::arg("dtype"), nb::arg("layout"),
           nb::arg("sizes"), nb::arg("conv"), nb::arg("candidates"),
           nb::arg("top"))
      .def("rank_configs", &CkTuner::rankConfigs, nb::arg("dtype"),
           nb::arg("layout"), nb::arg("sizes"), nb::arg("conv"),
           nb::arg("texts"), nb::arg("numbers"));
  nb::class_<Tuner>(module, "Tuner", "Chooses and runs kernels.")
      .def(nb::init<const std::string &>(), nb::arg("folder"))
      .def("rank", &Tuner::rank, nb::arg("asked"), nb::arg("threads"),
           nb::arg("top"))
      .def("predict", &Tuner::predict, nb::arg("asked"), nb::arg("threads"),
           nb::arg("kernel"))
      .def_static("kernels", &Tuner::kernels, nb::arg("op"), nb::arg("dtype"),
                  nb::arg("layout"))
      .def_static("candidates", &Tuner::candidates, nb::arg("asked"),
                  nb::arg("threads"))
      .def("choose", &Tuner::choose, nb::arg("asked"), nb::arg("threads"))
      .def("multiply", &Tuner::multiply, nb::arg("dtype"), nb::arg("result"),
           nb::arg("sizes"), nb::arg("strides"), nb::arg("addresses"),
           nb::arg("threads"))
      .def_static("shapes", &Tuner::shapes, nb::arg("asked"))
      .def("convolve", &Tuner::convolve, nb::arg("asked"), nb::arg("addresses"),
           nb::arg("threads"));
}
