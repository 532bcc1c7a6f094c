// The selector that dispatch uses. Models are found by folder and loaded on the
// first problem of their types and layout; a folder that does not fit this
// machine is passed over with its reason, which explain() shows. Whatever a
// model says, the choice supports the problem and went through the registry's
// own check: a wrong model costs time, never a result.
#include "assay/select/LearnedSelector.h"

#include "assay/kernels/ChoiceCache.h"
#include "assay/kernels/CostModel.h"
#include "assay/select/Manifest.h"
#include "assay/select/ModelSurvey.h"
#include "assay/support/UserFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <map>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

/// The files right in a folder, with their times.
static std::string filesIn(llvm::StringRef folder) {
  std::string text;
  std::error_code code;
  llvm::sys::fs::directory_iterator at(folder, code), end;
  for (; !code && at != end; at.increment(code))
    text += " " + at->path() + " " + stampOf(at->path());
  return text;
}

/// What models the folders hold, at most: they come and go.
static std::string modelsIn(llvm::ArrayRef<std::string> folders) {
  std::string text;
  for (const std::string &folder : folders) {
    std::error_code code;
    text += " " + folder + filesIn(folder);
    llvm::sys::fs::directory_iterator at(folder, code), end;
    for (; !code && at != end; at.increment(code))
      if (at->type() == llvm::sys::fs::file_type::directory_file)
        text += filesIn(at->path());
  }
  return text;
}

namespace {
using Key = std::tuple<DataType, DataType, Layout, int>;
/// The model for one pair of types, one layout and a number of threads, or why
/// there is none.
struct Slot {
  std::unique_ptr<KernelModel> model;
  std::string why = "no model is installed for these types and this layout";
  std::string note{}; ///< of a model of another machine that serves
  std::vector<PassedModel> passedOver{};
};
} // namespace

struct LearnedSelector::State {
  Registry &registry;
  std::vector<std::string> folders;
  bool anyMachine;
  std::unique_ptr<Selector> analytic;
  ChoiceCache<GemmConfig> cache;
  std::mutex mutex;
  std::map<Key, Slot> slots; ///< nodes stay where they are once made
  std::atomic<bool> anyModel = false;
  std::once_flag looked;
  std::string fingerprint; ///< of what was there when it was asked for first

  State(Registry &registry, std::vector<std::string> folders, bool anyMachine)
      : registry(registry), folders(std::move(folders)), anyMachine(anyMachine),
        analytic(makeAnalyticSelector(registry)) {}
  Slot &slotFor(const GemmProblem &problem, Layout layout);
  bool tryModel(const FoundModel &found, Slot &slot);
};

/// Loads a model that serves; true when the slot has it, else the reason is
/// added.
bool LearnedSelector::State::tryModel(const FoundModel &found, Slot &slot) {
  llvm::Expected<Model> model = loadDescription(found.folder);
  llvm::Error error =
      model ? loadTrees(*model, /*rankingOnly=*/true) : model.takeError();
  if (!error) {
    auto compiled = KernelModel::create(std::move(*model), registry);
    if (compiled) {
      slot.model = std::move(*compiled);
      slot.note = found.why;
      anyModel = true;
      return true;
    }
    error = compiled.takeError();
  }
  slot.passedOver.push_back(
      {found.folder, takeError(std::move(error)).message});
  return false;
}

Slot &LearnedSelector::State::slotFor(const GemmProblem &problem,
                                      Layout layout) {
  std::lock_guard<std::mutex> lock(mutex);
  auto [it, isNew] =
      slots.try_emplace({problem.a, problem.b, layout, problem.threads});
  Slot &slot = it->second;
  if (!isNew)
    return slot;
  KernelKind kind{problem.types(), layout};
  for (const FoundModel &found :
       surveyModels(registry, folders, ModelKind(kind), anyMachine)) {
    if (!found.serves && !found.isBehind)
      slot.passedOver.push_back({found.folder, found.why});
    else if (!found.rates(problem.threads))
      slot.passedOver.push_back(
          {found.folder,
           llvm::formatv("the model '{0}' was not trained on {1} threads",
                         found.folder, problem.threads)
               .str()});
    else if (slot.model)
      slot.passedOver.push_back(
          {found.folder, "'" + slot.model->model().folder + "' comes first"});
    else
      tryModel(found, slot);
  }
  if (!slot.model && !slot.passedOver.empty()) {
    slot.why = slot.passedOver.front().why;
    slot.passedOver.erase(slot.passedOver.begin());
  }
  return slot;
}

LearnedSelector::LearnedSelector(Registry &registry,
                                 std::vector<std::string> folders,
                                 bool anyMachine)
    : state_(std::make_unique<State>(
          registry, folders.empty() ? modelFolders() : std::move(folders),
          anyMachine)) {}
LearnedSelector::~LearnedSelector() = default;

llvm::StringRef LearnedSelector::name() const {
  return state_->anyModel ? "learned" : "analytic";
}

std::string LearnedSelector::fingerprint() const {
  std::call_once(state_->looked, [&] {
    state_->fingerprint = state_->analytic->fingerprint() + " models" +
                          modelsIn(state_->folders) +
                          (state_->anyMachine ? " of any machine" : "");
  });
  return state_->fingerprint;
}

/// Above this no model was trained (`assay tune auto` goes to 1 GFLOP), and the
/// analytic choice is near the machine's limit.
static constexpr double kMostFlops = 1e9;

/// Where a model was made, and how far the problem lies from its training.
static std::string noteFor(const Slot &slot, const GemmProblem &problem) {
  std::string outside = outsideOfTraining(slot.model->model(), problem);
  return outside.empty() || slot.note.empty() ? slot.note + outside
                                              : slot.note + "; " + outside;
}

Explanation LearnedSelector::explain(const GemmProblem &problem) {
  if (problem.flops() < kLeastModelFlops)
    return {state_->analytic->choose(problem), kAnalyticName,
            "the problem is too small for a model to matter"};
  if (problem.flops() > kMostFlops)
    return {state_->analytic->choose(problem), kAnalyticName,
            "the problem is larger than those that models are trained on"};
  Slot &slot = state_->slotFor(problem, problem.modelLayout());
  if (!problem.layout())
    return {state_->analytic->choose(problem), kAnalyticName,
            "the strides are of no plain layout"};
  if (slot.model)
    if (std::optional<RankedKernel> best = slot.model->best(problem))
      return {slot.model->configs()[best->kernel],
              "model '" + slot.model->model().folder + "'",
              slot.model->covers(problem.threads)
                  ? noteFor(slot, problem)
                  : "by the share of one thread" +
                        (slot.note.empty() ? "" : "; it " + slot.note),
              slot.passedOver};
  return {state_->analytic->choose(problem), kAnalyticName,
          slot.model ? "no kernel of the model supports the problem" : slot.why,
          slot.passedOver};
}

GemmConfig LearnedSelector::choose(const GemmProblem &problem) {
  if (const GemmConfig *known = state_->cache.find(problem))
    return *known;
  return state_->cache.insert(problem, explain(problem).config);
}
