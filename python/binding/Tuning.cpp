// Kernel selection in this process, for `assay.tune.Predictor`: a model, or what
// dispatch would ask, over one registry of the process.
#include "Tuning.h"
#include "assay/kernels/Kind.h"
#include "assay/kernels/Selector.h"
#include "assay/select/CkRanking.h"
#include "assay/select/spaces/Gemm.h"

#include <map>
#include <mutex>

namespace nb = nanobind;
using namespace assay;
using namespace assay::kernels;

static Registry &registry() {
  static Registry one;
  return one;
}

ThreadPool &python::poolOf(int threads) {
  static std::mutex mutex;
  static std::map<int, std::unique_ptr<ThreadPool>> pools;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<ThreadPool> &pool = pools[threads];
  if (!pool)
    pool = std::make_unique<ThreadPool>(threads);
  return *pool;
}

nb::dict python::toPython(const select::RankingReport::Row &row) {
  nb::dict out;
  out["kernel"] = row.kernel;
  out["score"] = row.score;
  for (const auto &[target, value] : row.predicted)
    out[select::toString(target)] = value;
  return out;
}

nb::tuple python::Rankings::rank(const select::ProblemRef &problem,
                                 size_t top) {
  auto report = valueOf(unlocked(
      [&] { return select::rankBy(models_.of(*problem), *problem, top); }));
  nb::list rows;
  for (const select::RankingReport::Row &row : report.rows)
    rows.append(toPython(row));
  return nb::make_tuple(rows, report.note);
}

nb::dict python::Rankings::predict(const select::ProblemRef &problem,
                                   const std::string &kernel) {
  return toPython(valueOf(unlocked([&] {
    return select::predictFor(models_.of(*problem), *problem, kernel);
  })));
}

namespace {
using Sizes = std::tuple<int64_t, int64_t, int64_t, int64_t>; ///< m n k batch

/// The problem of these words. threads 0: all cores.
GemmProblem problemOf(const std::string &dtype, const std::string &layout,
                      const Sizes &sizes, int threads) {
  KernelKind kind = python::valueOf(parseKind("gemm", dtype, layout));
  auto [m, n, k, batch] = sizes;
  GemmProblem problem =
      GemmProblem::make(kind.types, kind.layout, m, n, k, batch,
                        threads > 0 ? threads : availableCores());
  if (auto refusal = validate(problem))
    python::raise(makeError(refusal->code, "{0}", refusal->text));
  return problem;
}

class Tuner {
public:
  /// `folder` empty: the models that dispatch looks at.
  explicit Tuner(const std::string &folder)
      : rankings_(registry(), folder),
        selector_(registry(),
                  folder.empty() ? std::vector<std::string>()
                                 : std::vector<std::string>{folder},
                  /*anyMachine=*/!folder.empty()) {}

  /// (rows, note): the best `top` kernels by the model.
  nb::tuple rank(const std::string &dtype, const std::string &layout,
                 const Sizes &sizes, int threads, size_t top) {
    return rankings_.rank(asked(problemOf(dtype, layout, sizes, threads)), top);
  }

  /// The prediction of the model for one kernel.
  nb::dict predict(const std::string &dtype, const std::string &layout,
                   const Sizes &sizes, int threads, const std::string &kernel) {
    return rankings_.predict(asked(problemOf(dtype, layout, sizes, threads)),
                             kernel);
  }

  /// The names of all kernels, or of those that can compute the problem.
  static std::vector<std::string> kernels(const std::string &dtype,
                                          const std::string &layout) {
    KernelKind kind = python::valueOf(parseKind("gemm", dtype, layout));
    std::vector<std::string> names;
    for (const GemmConfig &config :
         registry().enumerate(kind.types, kind.layout))
      names.push_back(config.name());
    return names;
  }
  static std::vector<std::string> candidates(const std::string &dtype,
                                             const std::string &layout,
                                             const Sizes &sizes, int threads) {
    GemmProblem problem = problemOf(dtype, layout, sizes, threads);
    std::vector<std::string> names;
    for (const GemmConfig &config : select::kernelsFor(registry(), problem))
      if (!registry().supports(problem, config))
        names.push_back(config.name());
    return names;
  }

  /// The choice of dispatch as (kernel, by, why).
  nb::tuple choose(const std::string &dtype, const std::string &layout,
                   const Sizes &sizes, int threads) {
    GemmProblem problem = problemOf(dtype, layout, sizes, threads);
    select::Explanation choice =
        python::unlocked([&] { return selector_.explain(problem); });
    return nb::make_tuple(choice.config.name(), choice.by, choice.why);
  }

  /// C = A B at these addresses; strides in elements: row, column, batch of A,
  /// B and C.
  void run(const std::string &dtype, const std::string &result,
           const Sizes &sizes, const std::vector<int64_t> &strides,
           const std::vector<uintptr_t> &addresses, int threads) {
    GemmProblem problem = problemOf(dtype, "rcr", sizes, threads);
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
                  selector_, python::poolOf(problem.threads));
    });
    if (error)
      python::raise(std::move(error));
  }

private:
  static select::ProblemRef asked(const GemmProblem &problem) {
    return select::problemOf(problem, problem.modelLayout());
  }

  python::Rankings rankings_;
  select::LearnedSelector selector_;
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

  /// `conv`: a convolution in benchdnn's words, instead of sizes and layout. The
  /// best `top` of the kernels that `candidates` names.
  nb::list rank(const std::string &dtype, const std::string &layout,
                const Sizes &sizes, const std::string &conv,
                const std::string &candidates, size_t top) const {
    select::CkProblem problem = ckProblem(dtype, layout, sizes, conv);
    return listOf(python::valueOf(python::unlocked([&] {
      return select::rankCkKernels(folder_, problem, candidates, top);
    })));
  }

  /// All of the rows of configurations, by column.
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
    for (const select::CkRankingReport::Row &row : report.rows)
      rows.append(python::toPython({row.kernel, row.score, row.predicted}));
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
      .def("rank", &Tuner::rank, nb::arg("dtype"), nb::arg("layout"),
           nb::arg("sizes"), nb::arg("threads"), nb::arg("top"))
      .def("predict", &Tuner::predict, nb::arg("dtype"), nb::arg("layout"),
           nb::arg("sizes"), nb::arg("threads"), nb::arg("kernel"))
      .def_static("kernels", &Tuner::kernels, nb::arg("dtype"),
                  nb::arg("layout"))
      .def_static("candidates", &Tuner::candidates, nb::arg("dtype"),
                  nb::arg("layout"), nb::arg("sizes"), nb::arg("threads"))
      .def("choose", &Tuner::choose, nb::arg("dtype"), nb::arg("layout"),
           nb::arg("sizes"), nb::arg("threads"))
      .def("run", &Tuner::run, nb::arg("dtype"), nb::arg("result"),
           nb::arg("sizes"), nb::arg("strides"), nb::arg("addresses"),
           nb::arg("threads"));
}
