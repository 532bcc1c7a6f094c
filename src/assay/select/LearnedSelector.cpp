// The selector that dispatch uses. Models are searched by folder, and loaded at
// the first problem of their types and layout. A folder that does not fit this
// machine is not used; explain() shows the reason. Whatever a model says, the
// chosen kernel supports the problem and passed the registry's own check: a
// wrong model costs time, but never makes a wrong result.
#include "assay/select/LearnedSelector.h"

#include "assay/kernels/ChoiceCache.h"
#include "assay/kernels/CostModel.h"
#include "assay/select/ModelSurvey.h"
#include "assay/select/spaces/Gemm.h"
#include "assay/support/UserFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <map>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

/// The files directly in a folder, with their times.
static std::string filesIn(llvm::StringRef folder) {
  std::string text;
  std::error_code code;
  llvm::sys::fs::directory_iterator at(folder, code), end;
  for (; !code && at != end; at.increment(code))
    text += " " + at->path() + " " + stampOf(at->path());
  return text;
}

/// The models in the folders; their list may change at any time.
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
/// Operation, types, layout and number of threads.
using Key = std::tuple<std::string, std::string, std::string, int>;
/// The model of a key, or why there is none.
struct Slot {
  std::unique_ptr<KernelModel> model;
  std::string why;
  std::string note{}; ///< for a model of another machine that serves
  std::vector<PassedModel> passedOver{};
};
} // namespace

struct ModelDispatch::State {
  Registry &registry;
  std::vector<std::string> folders;
  bool anyMachine;
  std::mutex mutex{};
  std::map<Key, Slot> slots{}; ///< nodes keep their addresses
  std::atomic<bool> anyModel{false};

  Slot &slotFor(const Problem &problem);
};

Slot &ModelDispatch::State::slotFor(const Problem &problem) {
  const LocalSpace &space = problem.space();
  ModelKind kind(space.op().str(), problem.dtype(), problem.modelLayout());
  int threads = problem.threads();
  std::lock_guard<std::mutex> lock(mutex);
  auto [it, isNew] =
      slots.try_emplace({kind.op, kind.dtype, kind.layout, threads});
  Slot &slot = it->second;
  if (!isNew)
    return slot;
  slot.why = space.noModel().str();
  for (const FoundModel &found :
       surveyModels(registry, folders, kind, anyMachine)) {
    std::string why = found.why;
    if (found.serves || found.isBehind) {
      if (space.ratesShares() && !found.rates(threads)) {
        why = llvm::formatv("the model '{0}' was not trained on {1} threads",
                            found.folder, threads)
                  .str();
      } else if (slot.model) {
        why = "'" + slot.model->model().folder + "' comes first";
      } else {
        auto opened = openModel(found.folder, registry, &space,
                                /*rankingOnly=*/true);
        if (opened) {
          slot.model = std::move(*opened);
          slot.note = found.why;
          anyModel = true;
          continue;
        }
        why = takeError(opened.takeError()).message;
      }
    }
    slot.passedOver.push_back({found.folder, std::move(why)});
  }
  if (!slot.model && !slot.passedOver.empty()) {
    slot.why = slot.passedOver.front().why;
    slot.passedOver.erase(slot.passedOver.begin());
  }
  return slot;
}

ModelDispatch::ModelDispatch(Registry &registry,
                             std::vector<std::string> folders, bool anyMachine)
    : state_(new State{registry,
                       folders.empty() ? modelFolders() : std::move(folders),
                       anyMachine}) {}
ModelDispatch::~ModelDispatch() = default;

bool ModelDispatch::anyModel() const { return state_->anyModel; }

std::string ModelDispatch::fingerprint() const {
  return " models" + modelsIn(state_->folders) +
         (state_->anyMachine ? " of any machine" : "");
}

/// How a model rates the problem: by the share of one thread, where the model
/// was made, and how far the problem is from its training.
static std::string noteFor(const Slot &slot, const Problem &problem) {
  const LocalSpace &space = problem.space();
  if (space.ratesShares() && !slot.model->covers(problem.threads()))
    return "by the share of one thread" +
           (slot.note.empty() ? "" : "; it " + slot.note);
  std::string outside = space.outside(slot.model->model(), problem);
  return slot.note + (outside.empty() || slot.note.empty() ? "" : "; ") +
         outside;
}

ModelAnswer ModelDispatch::ask(const Problem &problem) {
  const LocalSpace &space = problem.space();
  ModelAnswer answer;
  answer.by = space.plainBy().str();
  answer.why = space.whyNoModel(problem, state_->registry.machine());
  if (!answer.why.empty())
    return answer;
  Slot &slot = state_->slotFor(problem);
  answer.passedOver = slot.passedOver;
  if (!slot.model) {
    answer.why = slot.why;
    return answer;
  }
  std::optional<RankedKernel> best = slot.model->best(problem);
  if (!best) {
    answer.why = "no kernel of the model supports the problem";
    return answer;
  }
  answer.kernels = &slot.model->kernels();
  answer.kernel = best->kernel;
  answer.by = "model '" + slot.model->model().folder + "'";
  answer.why = noteFor(slot, problem);
  return answer;
}

ModelDispatch::Pick ModelDispatch::pick(const KernelSet &set,
                                        const Problem &problem) {
  ModelAnswer answer = ask(problem);
  return {answer.kernel < 0
              ? set.plain(problem)
              : set.numberOf(answer.kernels->nameOf(answer.kernel), problem),
          std::move(answer.by)};
}

//===--- Products ---------------------------------------------------------===//

struct LearnedSelector::State {
  ModelDispatch dispatch;
  std::unique_ptr<Selector> analytic;
  ChoiceCache<GemmConfig> cache;
  std::once_flag looked;
  std::string fingerprint; ///< of the models that existed at the first use

  State(Registry &registry, std::vector<std::string> folders, bool anyMachine)
      : dispatch(registry, std::move(folders), anyMachine),
        analytic(makeAnalyticSelector(registry)) {}
};

LearnedSelector::LearnedSelector(Registry &registry,
                                 std::vector<std::string> folders,
                                 bool anyMachine)
    : state_(std::make_unique<State>(registry, std::move(folders),
                                     anyMachine)) {}
LearnedSelector::~LearnedSelector() = default;

llvm::StringRef LearnedSelector::name() const {
  return state_->dispatch.anyModel() ? "learned" : kAnalyticName;
}

std::string LearnedSelector::fingerprint() const {
  std::call_once(state_->looked, [&] {
    state_->fingerprint =
        state_->analytic->fingerprint() + state_->dispatch.fingerprint();
  });
  return state_->fingerprint;
}

Explanation LearnedSelector::explain(const GemmProblem &problem) {
  ModelAnswer answer =
      state_->dispatch.ask(*problemOf(problem, problem.modelLayout()));
  return {answer.kernel < 0 ? state_->analytic->choose(problem)
                            : gemmConfigOf(*answer.kernels, answer.kernel),
          std::move(answer.by), std::move(answer.why),
          std::move(answer.passedOver)};
}

GemmConfig LearnedSelector::choose(const GemmProblem &problem) {
  if (const GemmConfig *known = state_->cache.find(problem))
    return *known;
  return state_->cache.insert(problem, explain(problem).config);
}
