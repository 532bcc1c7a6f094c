// The C interface to Registry, selectors and prepared products. The kernel
// chosen for a problem is cached, so that a repeated problem costs a look-up.
#include "Answer.h"
#include "assay/kernels/ChoiceCache.h"
#include "assay/kernels/CostModel.h"
#include "assay/kernels/Kind.h"
#include "assay/select/Ranking.h"
#include "assay/select/spaces/Gemm.h"
#include "assay_dispatch.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

using namespace assay;
using namespace assay::kernels;
using embed::fail;

struct assay_kernel {
  std::string name, by;
  std::shared_ptr<const PreparedGemm> gemm;
  bool turned; ///< computes the transpose of the product
  ThreadPool *pool;
};

struct assay_dispatcher {
  assay_dispatcher(std::string folder, bool analytic)
      : models(registry, folder),
        learned(registry,
                folder.empty() ? std::vector<std::string>()
                               : std::vector<std::string>{folder},
                /*anyMachine=*/!folder.empty()),
        plain(makeAnalyticSelector(registry)), analytic(analytic) {}

  ThreadPool &poolOf(int threads) {
    std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<ThreadPool> &pool = pools[threads];
    if (!pool)
      pool = std::make_unique<ThreadPool>(threads);
    return *pool;
  }

  Registry registry;
  select::ModelCache models;
  select::LearnedSelector learned;
  std::unique_ptr<Selector> plain;
  const bool analytic;
  std::mutex mutex; ///< guards `pools` and `named`
  std::map<int, std::unique_ptr<ThreadPool>> pools;
  std::vector<std::unique_ptr<assay_kernel>> named;
  ChoiceCache<assay_kernel> chosen;
};

static_assert(int(ASSAY_S32) == int(DataType::S32) &&
              int(ASSAY_LOGISTIC) == int(Activation::Logistic) &&
              int(ASSAY_BIAS_PER_ROW) == int(Bias::PerRow));

static Strides stridesOf(const assay_strides_t &s) {
  return {s.row, s.column, s.batch};
}

/// Checks the enumerations. validate() refuses all other invalid values, but
/// expects valid enumerators.
static bool isKnown(const assay_gemm_t &gemm) {
  auto within = [](auto value, auto last) {
    return unsigned(value) <= unsigned(last);
  };
  return within(gemm.a_type, ASSAY_S32) && within(gemm.b_type, ASSAY_S32) &&
         within(gemm.c_type, ASSAY_S32) &&
         within(gemm.bias, ASSAY_BIAS_PER_ROW) &&
         within(gemm.activation, ASSAY_LOGISTIC);
}

static GemmProblem problemOf(const assay_gemm_t &gemm) {
  GemmProblem problem;
  problem.a = static_cast<DataType>(gemm.a_type);
  problem.b = static_cast<DataType>(gemm.b_type);
  problem.c = static_cast<DataType>(gemm.c_type);
  problem.acc = accumulatorOf(problem.a);
  problem.m = gemm.m;
  problem.n = gemm.n;
  problem.k = gemm.k;
  problem.batch = gemm.batch;
  problem.aStrides = stridesOf(gemm.a);
  problem.bStrides = stridesOf(gemm.b);
  problem.cStrides = stridesOf(gemm.c);
  problem.alpha = gemm.alpha;
  problem.beta = gemm.beta;
  problem.bias = static_cast<Bias>(gemm.bias);
  problem.activation = static_cast<Activation>(gemm.activation);
  problem.threads = gemm.threads;
  return problem;
}

/// The problem in the form that kernels support, or the reason why none
/// supports it.
static llvm::Expected<NormalGemm> normalOf(const assay_gemm_t &gemm) {
  if (!isKnown(gemm))
    return makeError(ErrorCode::InvalidArgument,
                     "the problem has a type, bias or activation that is not one "
                     "of assay_dispatch.h's");
  GemmProblem problem = problemOf(gemm);
  if (problem.threads < 1 || problem.threads > 1024)
    return makeError(ErrorCode::InvalidArgument,
                     "{0} threads; 1 to 1024 are possible", problem.threads);
  if (auto refusal = validate(problem))
    return makeError(refusal->code, "{0}: {1}", toString(problem),
                     refusal->text);
  return normalForm(problem);
}

static llvm::Expected<assay_kernel> prepare(assay_dispatcher &dispatcher,
                                            const NormalGemm &normal,
                                            const GemmConfig &config,
                                            std::string by) {
  auto gemm = dispatcher.registry.prepare(normal.problem, config);
  if (!gemm)
    return gemm.takeError();
  return assay_kernel{config.name(), std::move(by), std::move(*gemm),
                      normal.turned,
                      &dispatcher.poolOf(normal.problem.threads)};
}

int assay_dispatcher_create(const assay_dispatch_options_t *given,
                            assay_dispatcher_t **dispatcher, char *message,
                            size_t size) {
  assay_dispatch_options_t options = {};
  if (given)
    std::memcpy(&options, given,
                std::min<size_t>(given->struct_size, sizeof options));
  std::string folder = options.model_dir ? options.model_dir : "";
  auto made = std::make_unique<assay_dispatcher>(folder, options.analytic != 0);
  *dispatcher = nullptr;
  if (!folder.empty() && !options.analytic)
    if (auto model = select::openModel(folder, made->registry,
                                       &select::defaultSpace());
        !model)
      return fail(model.takeError(), message, size);
  *dispatcher = made.release();
  return ASSAY_OK;
}

void assay_dispatcher_free(assay_dispatcher_t *dispatcher) {
  delete dispatcher;
}

int assay_gemm_dense(const char *types, const char *layout, int64_t m,
                     int64_t n, int64_t k, int64_t batch, assay_gemm_t *gemm,
                     char *message, size_t size) {
  llvm::Expected<KernelKind> kind = parseKind("gemm", types, layout);
  if (!kind)
    return fail(kind.takeError(), message, size);
  GemmProblem p =
      GemmProblem::make(kind->types, kind->layout, m, n, k, batch, 1);
  auto strides = [](const Strides &s) {
    return assay_strides_t{s.row, s.column, s.batch};
  };
  *gemm = {static_cast<assay_element_t>(p.a),
           static_cast<assay_element_t>(p.b),
           static_cast<assay_element_t>(p.c),
           m,
           n,
           k,
           batch,
           strides(p.aStrides),
           strides(p.bStrides),
           strides(p.cStrides),
           1,
           0,
           ASSAY_NO_BIAS,
           ASSAY_NO_ACTIVATION,
           1};
  return ASSAY_OK;
}

int assay_dispatch(assay_dispatcher_t *dispatcher, const assay_gemm_t *gemm,
                   const assay_kernel_t **kernel, char *message, size_t size) {
  GemmProblem problem = problemOf(*gemm);
  if ((*kernel = dispatcher->chosen.find(problem)))
    return ASSAY_OK;
  llvm::Expected<NormalGemm> normal = normalOf(*gemm);
  if (!normal)
    return fail(normal.takeError(), message, size);
  select::Explanation choice =
      dispatcher->analytic
          ? select::Explanation{dispatcher->plain->choose(normal->problem),
                                "analytic", ""}
          : dispatcher->learned.explain(normal->problem);
  auto made = prepare(*dispatcher, *normal, choice.config, choice.by);
  if (!made)
    return fail(made.takeError(), message, size);
  *kernel = &dispatcher->chosen.insert(problem, std::move(*made));
  return ASSAY_OK;
}

int assay_dispatch_named(assay_dispatcher_t *dispatcher,
                         const assay_gemm_t *gemm, const char *name,
                         const assay_kernel_t **kernel, char *message,
                         size_t size) {
  *kernel = nullptr;
  llvm::Expected<NormalGemm> normal = normalOf(*gemm);
  if (!normal)
    return fail(normal.takeError(), message, size);
  llvm::Expected<GemmConfig> config = parseConfig(name);
  if (!config)
    return fail(config.takeError(), message, size);
  auto made = prepare(*dispatcher, *normal, *config, "name");
  if (!made)
    return fail(made.takeError(), message, size);
  std::lock_guard<std::mutex> lock(dispatcher->mutex);
  dispatcher->named.push_back(std::make_unique<assay_kernel>(std::move(*made)));
  *kernel = dispatcher->named.back().get();
  return ASSAY_OK;
}

const char *assay_kernel_name(const assay_kernel_t *kernel) {
  return kernel->name.c_str();
}
const char *assay_kernel_chosen_by(const assay_kernel_t *kernel) {
  return kernel->by.c_str();
}
void assay_kernel_run(const assay_kernel_t *kernel, const void *a,
                      const void *b, void *c, const void *bias) {
  if (kernel->turned)
    std::swap(a, b);
  kernel->gemm->run({a, b, c, bias, nullptr}, *kernel->pool);
}

/// The best `count` candidates by the criterion of assay_dispatch(): the
/// model's score, or the estimated time.
static llvm::Expected<std::vector<select::RankingReport::Row>>
candidatesOf(assay_dispatcher &dispatcher, const GemmProblem &problem,
             size_t count) {
  if (dispatcher.analytic ||
      dispatcher.learned.explain(problem).by == "analytic")
    return select::rankByCost(dispatcher.registry, problem, count);
  auto asked = select::problemOf(problem, problem.modelLayout());
  auto report = select::rankBy(dispatcher.models.of(*asked), *asked, count);
  if (!report)
    return report.takeError();
  return std::move(report->rows);
}

int assay_dispatch_candidates(assay_dispatcher_t *dispatcher,
                              const assay_gemm_t *gemm,
                              assay_candidate_t *candidates, size_t count,
                              size_t *found, char *message, size_t size) {
  *found = 0;
  llvm::Expected<NormalGemm> normal = normalOf(*gemm);
  if (!normal)
    return fail(normal.takeError(), message, size);
  auto rows = candidatesOf(*dispatcher, normal->problem, count);
  if (!rows)
    return fail(rows.takeError(), message, size);
  for (const select::RankingReport::Row &row : *rows) {
    assay_candidate_t &out = candidates[(*found)++];
    std::snprintf(out.name, sizeof out.name, "%s", row.kernel.c_str());
    out.score = row.score;
  }
  return ASSAY_OK;
}
