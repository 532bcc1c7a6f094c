// The selector that dispatch uses. Models are found by folder and loaded on the
// first problem of their types and layout; a folder that does not fit this
// machine is passed over with its reason, which explain() shows. Whatever a
// model says, the choice supports the problem and went through the registry's
// own check: a wrong model costs time, never a result.
#include "assay/select/LearnedSelector.h"

#include "assay/kernels/ChoiceCache.h"
#include "assay/kernels/CostModel.h"
#include "assay/select/Manifest.h"
#include "assay/select/SelfCheck.h"
#include "assay/support/UserFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <dlfcn.h>
#include <map>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

std::string select::userModelFolder() {
  llvm::SmallString<256> path(userDataFolder());
  llvm::sys::path::append(path, "models");
  return path.str().str();
}

/// Where models lie when they are installed, or built, beside a file.
static void addPlacesAbove(llvm::StringRef file,
                           std::vector<std::string> &folders) {
  llvm::SmallString<256> folder(file);
  for (int up = 0; up < 4 && llvm::sys::path::has_parent_path(folder); ++up) {
    llvm::sys::path::remove_filename(folder);
    for (const char *place : {"models", "share/assay/models"}) {
      llvm::SmallString<256> candidate(folder);
      llvm::sys::path::append(candidate, place);
      folders.push_back(candidate.str().str());
    }
  }
}

std::vector<std::string> select::modelFolders() {
  std::vector<std::string> folders;
  if (const char *named = std::getenv("ASSAY_MODEL_DIR")) {
    folders.push_back(named); // the only one: an empty folder turns models off
    return folders;
  }
  folders.push_back(userModelFolder());
  // Beside this code, which may be a library in another program.
  Dl_info self = {};
  llvm::SmallString<256> library;
  if (dladdr(reinterpret_cast<void *>(&modelFolders), &self))
    (void)llvm::sys::fs::real_path(self.dli_fname, library);
  addPlacesAbove(library, folders);
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  if (library != program)
    addPlacesAbove(program, folders);
  return folders;
}

namespace {
using Key = std::tuple<DataType, DataType, Layout, int>;
/// The model for one pair of types, one layout and a number of threads, or why
/// there is none.
struct Slot {
  std::unique_ptr<KernelModel> model;
  std::string why = "no model is installed for these types and this layout";
  std::string note{}; ///< of a model of another machine that serves
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

  State(Registry &registry, std::vector<std::string> folders, bool anyMachine)
      : registry(registry), folders(std::move(folders)), anyMachine(anyMachine),
        analytic(makeAnalyticSelector(registry)) {}
  Slot &slotFor(const GemmProblem &problem, Layout layout);
  llvm::Error serves(const Model &model, Slot &slot) const;
  bool tryFolder(const std::string &folder, const GemmProblem &problem,
                 Layout layout, Slot &slot);
};

/// Passes over a model of another machine, unless a check found it the faster
/// choice here.
llvm::Error LearnedSelector::State::serves(const Model &model,
                                           Slot &slot) const {
  std::string foreign = foreignness(model, registry);
  if (foreign.empty() || anyMachine)
    return llvm::Error::success();
  std::string text = "the model '" + model.folder + "' " + foreign;
  std::optional<Speedup> known = knownSpeedup(model.folder, registry);
  if (!known)
    return makeError(ErrorCode::Mismatch,
                     "{0}; `assay tune check` measures whether it serves here, "
                     "`assay tune auto` makes one for this machine",
                     text);
  if (!known->serves())
    return makeError(ErrorCode::Mismatch, "{0}, and was measured here: {1}",
                     text, known->text());
  slot.note = foreign + "; measured here: " + known->text();
  return llvm::Error::success();
}

/// Loads a model folder when it is of these types and layout; true when the
/// slot has its model.
bool LearnedSelector::State::tryFolder(const std::string &folder,
                                       const GemmProblem &problem,
                                       Layout layout, Slot &slot) {
  llvm::SmallString<256> spec(folder);
  llvm::sys::path::append(spec, "feature_spec.json");
  if (!llvm::sys::fs::exists(spec))
    return false;
  // The spec is small: it says whether the rest is worth reading.
  llvm::Expected<llvm::json::Object> json = readJsonFile(spec);
  if (!json) {
    slot.why = takeError(json.takeError()).message;
    return false;
  }
  if (json->getString("dtype") != llvm::StringRef(toString(problem.types())) ||
      json->getString("layout") != llvm::StringRef(toString(layout)))
    return false;
  const llvm::json::Array *threads = json->getArray("threads");
  // A model of one thread rates the share of each of several.
  if (!threads || !(llvm::is_contained(*threads, problem.threads) ||
                    llvm::is_contained(*threads, 1))) {
    slot.why = llvm::formatv("the model '{0}' was not trained on {1} threads",
                             folder, problem.threads)
                   .str();
    return false;
  }
  llvm::Expected<Model> model = loadDescription(folder);
  // A model of another machine is passed over before its trees are read.
  llvm::Error error = model ? serves(*model, slot) : model.takeError();
  if (!error)
    error = loadTrees(*model, /*rankingOnly=*/true);
  if (error) {
    slot.why = takeError(std::move(error)).message;
    return false;
  }
  auto compiled = KernelModel::create(std::move(*model), registry);
  if (!compiled) {
    slot.why = takeError(compiled.takeError()).message;
    return false;
  }
  slot.model = std::move(*compiled);
  anyModel = true;
  return true;
}

Slot &LearnedSelector::State::slotFor(const GemmProblem &problem,
                                      Layout layout) {
  std::lock_guard<std::mutex> lock(mutex);
  auto [it, isNew] =
      slots.try_emplace({problem.a, problem.b, layout, problem.threads});
  Slot &slot = it->second;
  if (!isNew)
    return slot;
  for (const std::string &folder : folders) {
    if (tryFolder(folder, problem, layout, slot))
      break;
    std::error_code code;
    std::vector<std::string> inner;
    for (llvm::sys::fs::directory_iterator entry(folder, code), end;
         entry != end && !code; entry.increment(code))
      inner.push_back(entry->path());
    llvm::sort(inner);
    if (llvm::any_of(inner, [&](const std::string &path) {
          return tryFolder(path, problem, layout, slot);
        }))
      break;
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

/// Below this a call takes a few microseconds whatever the choice, and reading
/// a model would never pay.
static constexpr double kLeastFlops = 2e5;
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
  if (problem.flops() < kLeastFlops)
    return {state_->analytic->choose(problem), "analytic",
            "the problem is too small for a model to matter"};
  if (problem.flops() > kMostFlops)
    return {state_->analytic->choose(problem), "analytic",
            "the problem is larger than those that models are trained on"};
  // With k = 1 a matrix is row- and column-major at once; models are of rcr.
  Layout layout =
      problem.k == 1 ? Layout::RCR : problem.layout().value_or(Layout::RCR);
  Slot &slot = state_->slotFor(problem, layout);
  if (!problem.layout())
    return {state_->analytic->choose(problem), "analytic",
            "the strides are of no plain layout"};
  if (slot.model)
    if (std::optional<RankedKernel> best = slot.model->best(problem))
      return {slot.model->configs()[best->kernel],
              "model '" + slot.model->model().folder + "'",
              slot.model->covers(problem.threads)
                  ? noteFor(slot, problem)
                  : "by the share of one thread" +
                        (slot.note.empty() ? "" : "; it " + slot.note)};
  return {state_->analytic->choose(problem), "analytic",
          slot.model ? "no kernel of the model supports the problem"
                     : slot.why};
}

GemmConfig LearnedSelector::choose(const GemmProblem &problem) {
  if (const GemmConfig *known = state_->cache.find(problem))
    return *known;
  return state_->cache.insert(problem, explain(problem).config);
}
