// A model compiled for a set of kernels. The forest computes the scores of all
// kernels at once. Whether a kernel supports the problem, the costly question,
// is asked for few of them.
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
      heap; ///< (score, -kernel): the greatest first; of equal ones, the first
            ///< kernel
};

KernelModel::KernelModel(Model model) : model_(std::move(model)) {}
KernelModel::~KernelModel() = default;

llvm::Expected<std::unique_ptr<KernelModel>>
select::openModel(llvm::StringRef folder, Registry &registry,
                  const LocalSpace *asked, bool rankingOnly) {
  llvm::Expected<Model> model = loadModel(folder, rankingOnly);
  if (!model)
    return model.takeError();
  return KernelModel::create(std::move(*model), registry, asked);
}

llvm::Expected<std::unique_ptr<KernelModel>>
select::openIn(const KernelSet &set, llvm::StringRef folder) {
  auto model = openModel(folder, set.registry(), &set.space());
  if (!model)
    return model.takeError();
  const KernelSet &own = (*model)->kernels();
  if (own.op() != set.op())
    return makeError(ErrorCode::InvalidArgument,
                     "the model '{0}' is of {1}, not of {2}", folder,
                     own.title(), set.title());
  if (own.dtype() != set.dtype() || own.layout() != set.layout())
    return makeError(ErrorCode::InvalidArgument,
                     "the models are of different types or layouts");
  return model;
}

llvm::Expected<std::unique_ptr<KernelModel>>
KernelModel::create(Model model, Registry &registry, const LocalSpace *asked) {
  std::unique_ptr<KernelModel> out(new KernelModel(std::move(model)));
  const FeatureSpec &spec = out->model_.spec;
  const LocalSpace *space = findLocal(spec.subject.op);
  if (!space || spec.published ||
      !space->has(spec.subject.dtype, spec.layout) ||
      (asked && asked->features().data() != space->features().data()))
    return makeError(
        ErrorCode::Unsupported,
        "the model '{0}' (op {1}, dtype {2}, layout '{3}') is not of {4}",
        out->model_.folder, spec.subject.op, spec.subject.dtype, spec.layout,
        (asked ? *asked : space ? *space : defaultSpace()).ours());
  if (llvm::Error error = checkSchema(out->model_))
    return error;
  std::optional<Target> target = out->model_.rankingTarget();
  if (!target)
    return makeError(ErrorCode::NotFound,
                     "the model '{0}' has neither efficiency nor tflops, which "
                     "rank kernels",
                     out->model_.folder);
  if (llvm::Error error =
          space->open(spec.subject.dtype, spec.layout, {registry})
              .moveInto(out->kernels_))
    return error;
  out->foreign_ = foreignness(out->model_, registry);
  llvm::Expected<Forest> forest = Forest::compile(
      out->model_.trees.at(*target), out->kernels_->grid());
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

bool KernelModel::covers(int threads) const {
  return llvm::is_contained(model_.spec.threads, threads);
}

/// The scores of one problem, in memory that the model keeps for reuse.
class KernelModel::Evaluation {
public:
  Evaluation(KernelModel &model, const Problem &problem)
      : model_(model), problem_(problem),
        covered_(model.covers(problem.threads())) {
    {
      std::lock_guard<std::mutex> lock(model.mutex_);
      if (!model.idle_.empty()) {
        workspace_ = std::move(model.idle_.back());
        model.idle_.pop_back();
      }
    }
    if (!workspace_)
      workspace_ = std::make_unique<Workspace>(
          Workspace{{}, model.forest_->makeScratch(), {}});
    const KernelSet &kernels = *model.kernels_;
    ProblemRef trained =
        kernels.asTrained(problem, model.model_.spec.threads);
    kernels.fill(trained ? *trained : problem, model.forest_->paddedTiles(),
                 workspace_->query);
    cells_ = model.forest_->evaluate(workspace_->query, workspace_->scratch);
  }
  ~Evaluation() {
    std::lock_guard<std::mutex> lock(model_.mutex_);
    model_.idle_.push_back(std::move(workspace_));
  }
  Evaluation(const Evaluation &) = delete;

  int64_t count() const { return model_.forest_->kernels(); }
  int64_t score(int64_t kernel) const {
    return cells_[static_cast<size_t>(model_.forest_->cellOf(kernel))];
  }
  bool offers(int64_t kernel) const {
    return model_.kernels_->offers(problem_, static_cast<int32_t>(kernel),
                                   covered_);
  }
  auto &heap() { return workspace_->heap; }

private:
  KernelModel &model_;
  const Problem &problem_;
  bool covered_;
  std::unique_ptr<Workspace> workspace_;
  llvm::ArrayRef<int32_t> cells_;
};

std::vector<RankedKernel> KernelModel::rank(const Problem &problem,
                                            size_t count) {
  Evaluation all(*this, problem);
  auto &heap = all.heap();
  heap.clear();
  for (int64_t kernel = 0; kernel < all.count(); ++kernel)
    heap.push_back({all.score(kernel), static_cast<int32_t>(-kernel)});
  std::make_heap(heap.begin(), heap.end());
  std::vector<RankedKernel> ranked;
  while (!heap.empty() && ranked.size() < count) {
    std::pop_heap(heap.begin(), heap.end());
    auto [score, negated] = heap.back();
    heap.pop_back();
    if (all.offers(-negated))
      ranked.push_back({-negated, forest_->toValue(score)});
  }
  return ranked;
}

std::optional<RankedKernel> KernelModel::best(const Problem &problem) {
  // Support is checked only for a kernel that beats the best supported one so
  // far. Kernels that differ in nothing that matters to the problem have equal
  // scores, so no more of them are checked once one is supported.
  Evaluation all(*this, problem);
  int32_t best = -1;
  int64_t bestScore = std::numeric_limits<int64_t>::min();
  for (int64_t kernel = 0; kernel < all.count(); ++kernel) {
    int64_t score = all.score(kernel);
    if (score <= bestScore || !all.offers(kernel))
      continue;
    best = static_cast<int32_t>(kernel);
    bestScore = score;
  }
  if (best < 0)
    return std::nullopt;
  return RankedKernel{best, forest_->toValue(bestScore)};
}

std::vector<int64_t> KernelModel::scores(const Problem &problem) {
  Evaluation all(*this, problem);
  std::vector<int64_t> out;
  for (int64_t kernel = 0; kernel < all.count(); ++kernel)
    out.push_back(all.score(kernel));
  return out;
}
