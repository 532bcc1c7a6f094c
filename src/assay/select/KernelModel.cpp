// A model compiled for a registry's list of kernels. Scores of all kernels come
// from the forest at once; whether a kernel supports the problem, the costly
// question, is asked of few of them.
#include "assay/select/Collector.h"
#include "assay/select/LearnedSelector.h"

#include <algorithm>
#include <limits>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

struct KernelModel::Workspace {
  ForestQuery query;
  Forest::Scratch scratch;
  std::vector<std::pair<int64_t, int32_t>>
      heap; ///< (score, -kernel): the greatest first, of equal ones the first
            ///< kernel
};

KernelModel::KernelModel(Model model, Registry &registry)
    : model_(std::move(model)), registry_(registry) {}
KernelModel::~KernelModel() = default;

llvm::Expected<std::unique_ptr<KernelModel>>
KernelModel::create(Model model, Registry &registry) {
  std::unique_ptr<KernelModel> out(new KernelModel(std::move(model), registry));
  const FeatureSpec &spec = out->model_.spec;
  std::optional<TypePair> types = parseTypePair(spec.subject.dtype);
  std::optional<Layout> layout = parseLayout(spec.layout);
  if (spec.subject.op != "gemm" || spec.published || !types || !layout)
    return makeError(
        ErrorCode::Unsupported,
        "the model '{0}' (op {1}, dtype {2}, layout '{3}') is not "
        "of kernels that this machine can run; `assay tune predict "
        "--candidates` ranks those of CK Tile, `assay tune "
        "evaluate` judges its picks on measured data",
        out->model_.folder, spec.subject.op, spec.subject.dtype, spec.layout);
  if (llvm::Error error = checkSchema(out->model_))
    return error;
  out->types_ = *types;
  out->layout_ = *layout;
  out->configs_ = registry.enumerate(*types, *layout);
  out->foreign_ = foreignness(out->model_, registry);
  std::optional<Target> target = out->model_.rankingTarget();
  if (!target)
    return makeError(ErrorCode::NotFound,
                     "the model '{0}' has neither efficiency nor tflops, which "
                     "rank kernels",
                     out->model_.folder);
  out->features_ =
      std::make_unique<GemmFeatures>(*types, *layout, registry.machine());
  out->grid_ = makeGrid(*out->features_, out->configs_);
  llvm::Expected<Forest> forest =
      Forest::compile(out->model_.trees.at(*target), out->grid_.grid);
  if (!forest)
    return addContext(forest.takeError(), "model '" + out->model_.folder + "'");
  out->forest_ = std::move(*forest);
  return out;
}

std::string KernelModel::note() const {
  return foreign_.empty() ? ""
                          : "the model '" + model_.folder + "' " + foreign_ +
                                "; its ranking may be off, and `assay tune "
                                "check` measures whether it serves here";
}

std::unique_ptr<KernelModel::Workspace> KernelModel::takeWorkspace() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.empty())
    return std::make_unique<Workspace>(
        Workspace{{}, forest_->makeScratch(), {}});
  std::unique_ptr<Workspace> workspace = std::move(idle_.back());
  idle_.pop_back();
  return workspace;
}

void KernelModel::giveBack(std::unique_ptr<Workspace> workspace) {
  std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(std::move(workspace));
}

/// What one thread computes of the problem when the longer side of C is cut:
/// a thread earns its waking with some microseconds of work.
static GemmProblem shareOfOneThread(GemmProblem problem) {
  constexpr double kFlopsPerThread = 1.5e6;
  auto threads = std::clamp<int64_t>(
      static_cast<int64_t>(problem.flops() / kFlopsPerThread), 1,
      problem.threads);
  int64_t &side = problem.n >= problem.m ? problem.n : problem.m;
  side = std::max<int64_t>(1, (side + threads - 1) / threads);
  problem.threads = 1;
  return problem;
}

bool KernelModel::covers(int threads) const {
  return llvm::is_contained(model_.spec.threads, threads);
}

bool KernelModel::offers(const GemmProblem &problem, int32_t kernel) const {
  // A share says nothing about grids of threads and parts of k.
  const GemmConfig &config = configs_[kernel];
  if (!covers(problem.threads) &&
      (config.gridM != 0 || config.gridN != 0 ||
       (config.splitK > 1 && config.family != Family::Gemv)))
    return false;
  return !registry_.supports(problem, config);
}

llvm::ArrayRef<int32_t> KernelModel::evaluate(const GemmProblem &asked,
                                              Workspace &workspace) {
  bool direct = covers(asked.threads) || !covers(1);
  GemmProblem problem = direct ? asked : shareOfOneThread(asked);
  fillQuery(*features_, grid_, problem, forest_->paddedTiles(),
            workspace.query);
  return forest_->evaluate(workspace.query, workspace.scratch);
}

std::vector<RankedKernel> KernelModel::rank(const GemmProblem &problem,
                                            size_t count) {
  std::unique_ptr<Workspace> workspace = takeWorkspace();
  llvm::ArrayRef<int32_t> scores = evaluate(problem, *workspace);
  auto &heap = workspace->heap;
  heap.clear();
  for (int64_t kernel = 0; kernel < forest_->kernels(); ++kernel)
    heap.push_back(
        {scores[forest_->cellOf(kernel)], static_cast<int32_t>(-kernel)});
  std::make_heap(heap.begin(), heap.end());
  std::vector<RankedKernel> ranked;
  while (!heap.empty() && ranked.size() < count) {
    std::pop_heap(heap.begin(), heap.end());
    auto [score, negated] = heap.back();
    heap.pop_back();
    if (offers(problem, -negated))
      ranked.push_back({-negated, forest_->toValue(score)});
  }
  giveBack(std::move(workspace));
  return ranked;
}

std::optional<RankedKernel> KernelModel::best(const GemmProblem &problem) {
  // Only a kernel that beats the best supported one so far is asked whether it
  // supports the problem: kernels that differ in nothing the problem cares for
  // have equal scores, so the supported one of them ends the questions.
  std::unique_ptr<Workspace> workspace = takeWorkspace();
  llvm::ArrayRef<int32_t> scores = evaluate(problem, *workspace);
  int32_t best = -1;
  int64_t bestScore = std::numeric_limits<int64_t>::min();
  for (int64_t kernel = 0; kernel < forest_->kernels(); ++kernel) {
    int64_t score = scores[forest_->cellOf(kernel)];
    if (score <= bestScore || !offers(problem, static_cast<int32_t>(kernel)))
      continue;
    best = static_cast<int32_t>(kernel);
    bestScore = score;
  }
  giveBack(std::move(workspace));
  if (best < 0)
    return std::nullopt;
  return RankedKernel{best, forest_->toValue(bestScore)};
}

std::vector<int64_t> KernelModel::scores(const GemmProblem &problem) {
  std::unique_ptr<Workspace> workspace = takeWorkspace();
  llvm::ArrayRef<int32_t> cells = evaluate(problem, *workspace);
  std::vector<int64_t> out;
  for (int64_t kernel = 0; kernel < forest_->kernels(); ++kernel)
    out.push_back(cells[forest_->cellOf(kernel)]);
  giveBack(std::move(workspace));
  return out;
}

std::vector<float> KernelModel::row(const GemmProblem &problem,
                                    int32_t kernel) const {
  return features_->row(problem, configs_[kernel]);
}
