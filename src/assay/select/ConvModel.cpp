// Convolutions and their models. A list has some two hundred kernels, so each is a
// tile of the forest's grid; whether a kernel supports the problem is asked by
// sizes alone, and what it computes was checked when the list was measured, by
// the engine's tests, and by the micro-kernels' own check: a wrong model costs time.
#include "assay/select/ConvModel.h"
#include "assay/select/ModelSurvey.h"
#include "assay/support/UserFolder.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

struct ConvModel::Workspace {
  ForestQuery query;
  Forest::Scratch scratch;
};

ConvModel::ConvModel(Model model, const Machine &machine)
    : model_(std::move(model)), machine_(machine), features_(machine) {}
ConvModel::~ConvModel() = default;

llvm::Expected<std::unique_ptr<ConvModel>>
ConvModel::open(llvm::StringRef folder, const Registry &registry,
                bool rankingOnly) {
  llvm::Expected<Model> loaded = loadModel(folder, rankingOnly);
  if (!loaded)
    return loaded.takeError();
  const Subject &subject = loaded->spec.subject;
  auto direction = parseConvDirection(subject.op);
  auto type = parseDataType(subject.dtype);
  if (!direction || !type || loaded->spec.layout != kConvLayout)
    return makeError(ErrorCode::Unsupported,
                     "the model '{0}' (op {1}, dtype {2}, layout '{3}') is not "
                     "of this machine's convolutions",
                     folder, subject.op, subject.dtype, loaded->spec.layout);
  if (llvm::Error error = checkSchema(*loaded))
    return error;
  std::optional<Target> target = loaded->rankingTarget();
  if (!target)
    return makeError(ErrorCode::NotFound,
                     "the model '{0}' has neither efficiency nor tflops, which "
                     "rank kernels",
                     folder);
  std::unique_ptr<ConvModel> out(
      new ConvModel(std::move(*loaded), registry.machine()));
  out->direction_ = *direction, out->type_ = *type;
  out->foreign_ = foreignness(out->model_, registry);
  out->configs_ = convKernels(*direction, registry.machine());
  llvm::Expected<Forest> forest = Forest::compile(
      out->model_.trees.at(*target), out->features_.grid(out->configs_));
  if (!forest)
    return addContext(forest.takeError(), "model '" + folder.str() + "'");
  out->forest_ = std::move(*forest);
  return out;
}

std::string ConvModel::note() const {
  return foreign_.empty() ? ""
                          : "the model '" + model_.folder + "' " + foreign_ +
                                "; its ranking may be off, and `assay tune "
                                "check` measures whether it serves here";
}

ConvProblem ConvModel::askedAs(ConvProblem problem) const {
  if (!llvm::is_contained(model_.spec.threads, problem.threads))
    problem.threads = 1;
  return problem;
}

std::unique_ptr<ConvModel::Workspace> ConvModel::takeWorkspace() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.empty())
    return std::make_unique<Workspace>(Workspace{{}, forest_->makeScratch()});
  std::unique_ptr<Workspace> workspace = std::move(idle_.back());
  idle_.pop_back();
  return workspace;
}

std::vector<RankedKernel> ConvModel::rank(const ConvProblem &problem,
                                          size_t count) {
  std::unique_ptr<Workspace> workspace = takeWorkspace();
  features_.fill(problem, configs_, forest_->paddedTiles(), workspace->query);
  llvm::ArrayRef<int32_t> scores =
      forest_->evaluate(workspace->query, workspace->scratch);
  std::vector<std::pair<int64_t, int32_t>> order; // (-score, kernel)
  for (int64_t kernel = 0; kernel < forest_->kernels(); ++kernel)
    order.push_back(
        {-int64_t(scores[static_cast<size_t>(forest_->cellOf(kernel))]),
         static_cast<int32_t>(kernel)});
  {
    std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(workspace));
  }
  llvm::sort(order);
  std::vector<RankedKernel> ranked;
  for (auto [negated, kernel] : order) {
    if (ranked.size() == count)
      break;
    if (!supports(problem, configs_[static_cast<size_t>(kernel)], machine_))
      ranked.push_back({kernel, forest_->toValue(-negated)});
  }
  return ranked;
}

//===--- What dispatch asks ----------------------------------------------===//

namespace {
struct Slot {
  std::unique_ptr<ConvModel> model;
  std::string why = "no model is installed for this direction and type";
  std::string note{};
  std::vector<PassedModel> passedOver{};
};
} // namespace

struct ConvSelector::State {
  const Registry &registry;
  std::vector<std::string> folders;
  bool anyMachine;
  std::mutex mutex; // guards what follows
  std::map<std::pair<ConvDirection, DataType>, Slot> slots;

  State(const Registry &registry, std::vector<std::string> folders,
        bool anyMachine)
      : registry(registry), folders(std::move(folders)),
        anyMachine(anyMachine) {}
  Slot &slotFor(const ConvProblem &problem);
};

Slot &ConvSelector::State::slotFor(const ConvProblem &problem) {
  std::lock_guard<std::mutex> lock(mutex);
  auto [it, isNew] = slots.try_emplace({problem.direction, problem.type});
  Slot &slot = it->second;
  if (!isNew)
    return slot;
  for (const FoundModel &found :
       surveyModels(registry, folders,
                    ModelKind(problem.direction, problem.type), anyMachine)) {
    if (!found.serves || slot.model) {
      slot.passedOver.push_back({found.folder, found.why});
      continue;
    }
    auto model = ConvModel::open(found.folder, registry, /*rankingOnly=*/true);
    if (!model) {
      slot.passedOver.push_back(
          {found.folder, takeError(model.takeError()).message});
      continue;
    }
    slot.model = std::move(*model);
    slot.note = found.why;
  }
  if (!slot.model && !slot.passedOver.empty()) {
    slot.why = slot.passedOver.front().why;
    slot.passedOver.erase(slot.passedOver.begin());
  }
  return slot;
}

ConvSelector::ConvSelector(const Registry &registry,
                           std::vector<std::string> folders, bool anyMachine)
    : state_(std::make_unique<State>(
          registry, folders.empty() ? modelFolders() : std::move(folders),
          anyMachine)) {}
ConvSelector::~ConvSelector() = default;

ConvChoice ConvSelector::choose(const ConvProblem &problem) {
  ConvChoice rule{ruleFor(problem, state_->registry.machine()), kRuleName, ""};
  if (problem.flops() < kLeastModelFlops) {
    rule.why = "the problem is too small for a model to matter";
    return rule;
  }
  if (rule.config.algorithm == ConvAlgorithm::Channels) {
    rule.why = "each channel for itself or in small groups: the block that its "
               "cost says "
               "is best";
    return rule;
  }
  Slot &slot = state_->slotFor(problem);
  rule.passedOver = slot.passedOver;
  if (!slot.model) {
    rule.why = slot.why;
    return rule;
  }
  std::vector<RankedKernel> best =
      slot.model->rank(slot.model->askedAs(problem), 1);
  if (best.empty()) {
    rule.why = "no kernel of the model supports the problem";
    return rule;
  }
  return {slot.model->configs()[static_cast<size_t>(best[0].kernel)],
          "model '" + slot.model->model().folder + "'", slot.note,
          slot.passedOver};
}
