// The registry: lists of configurations per type and layout, made once;
// micro-kernels compiled and checked on first use; the loops around them
// checked once per variant; cached choices of selectors.
#include "assay/kernels/Registry.h"

#include "assay/kernels/ChoiceCache.h"
#include "assay/kernels/Family.h"
#include "assay/kernels/GemmCheck.h"
#include "assay/kernels/KeptChoices.h"
#include "assay/kernels/Selector.h"
#include "assay/kernels/jit/Check.h"
#include "assay/kernels/jit/Jit.h"
#include "assay/support/BuildId.h"

#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace assay::kernels {

static const FamilyFunctions *const kFunctions[] = {
#define ASSAY_FAMILY(id, name, description) &k##id##Family,
#include "assay/kernels/Families.def"
#undef ASSAY_FAMILY
};

const FamilyFunctions &familyFunctions(Family family) {
  return *kFunctions[static_cast<int>(family)];
}

struct Registry::State {
  ChoiceCache<std::shared_ptr<const PreparedGemm>> choices;
  Options options;
  Jit jit;
  mutable std::mutex mutex; // guards the members below
  mutable std::map<int, std::vector<GemmConfig>> lists;
  std::map<std::string, std::optional<ErrorText>>
      variants; // variants of the outer loops that were checked
  std::map<std::string, std::unique_ptr<KeptChoices>>
      kept; // on disk, by the selector's fingerprint

  explicit State(Options given)
      : options(std::move(given)),
        jit(options.machine.isa, options.cacheDirectory, options.diskCache,
            options.verify ? checkMicroKernel : nullptr) {}
  llvm::Error checkVariant(const GemmProblem &problem,
                           const GemmConfig &config);
  std::string ofThisBuild(const std::string &what) const;
  KeptChoices *keptFor(const Selector &selector);
};

Registry::Registry(Options options)
    : state_(std::make_unique<State>(std::move(options))) {}
Registry::Registry() : Registry(Options()) {}
Registry::~Registry() = default;

const Machine &Registry::machine() const { return state_->options.machine; }
Jit &Registry::jit() { return state_->jit; }
std::vector<std::string> Registry::takeNotes() {
  std::vector<std::string> notes = state_->jit.cache().takeNotes();
  std::lock_guard<std::mutex> lock(state_->mutex);
  std::string &note = state_->options.machine.isa.note;
  if (!note.empty())
    notes.push_back(std::exchange(note, ""));
  return notes;
}

llvm::ArrayRef<GemmConfig> Registry::enumerate(TypePair types,
                                               Layout layout) const {
  int key = (static_cast<int>(types.a) * 8 + static_cast<int>(types.b)) * 4 +
            static_cast<int>(layout);
  std::lock_guard<std::mutex> lock(state_->mutex);
  auto [entry, isNew] = state_->lists.try_emplace(key);
  if (isNew)
    for (const FamilyFunctions *family : kFunctions)
      family->enumerate(types, layout, machine(), entry->second);
  return entry->second;
}

std::optional<Refusal> Registry::supports(const GemmProblem &problem,
                                          const GemmConfig &config) const {
  if (auto refusal = validate(problem))
    return refusal;
  return familyFunctions(config.family).supports(problem, config, machine());
}

/// The parts of a pair of problem and configuration that select code paths in
/// the loops around a micro-kernel.
static std::string variantOf(const GemmProblem &problem,
                             const GemmConfig &config) {
  GemmConfig shape;
  shape.family = config.family;
  shape.packA = config.packA;
  shape.packB = config.packB;
  shape.order = config.order;
  shape.edge = config.edge;
  shape.epilogue = config.epilogue;
  shape.splitK = config.splitK;
  shape.gridM = config.gridM;
  shape.gridN = config.gridN;
  std::optional<Layout> layout = problem.layout();
  return shape.name() + "|" + toString(problem.types()) + "|" +
         (layout ? toString(*layout) : "strided");
}

/// The key for results on disk that are valid for this processor and this build
/// of the code around the kernels. Empty where builds cannot be distinguished.
std::string Registry::State::ofThisBuild(const std::string &what) const {
  const Isa &isa = options.machine.isa;
  return buildId().empty() ? ""
                           : what + "|" + isa.name + "|" + isa.cpu + "|" +
                                 isa.features + "|build " + buildId();
}

llvm::Error Registry::State::checkVariant(const GemmProblem &problem,
                                          const GemmConfig &config) {
  if (!options.verify)
    return llvm::Error::success();
  std::string name = variantOf(problem, config);
  std::unique_lock<std::mutex> lock(mutex);
  auto found = variants.find(name);
  if (found == variants.end()) {
    lock.unlock();
    std::string key = ofThisBuild("loops|" + name); // an entry without code
    bool passed = false;
    std::optional<ErrorText> verdict;
    if (key.empty() || !jit.cache().load(key, passed) || !passed) {
      if (llvm::Error error = checkGemm(problem, config, options.machine, jit))
        verdict = takeError(std::move(error));
      else if (!key.empty())
        jit.cache().store(key, "", /*checked=*/true);
    }
    lock.lock();
    found = variants.try_emplace(name, verdict).first;
  }
  if (found->second)
    return llvm::make_error<Error>(found->second->code, found->second->message);
  return llvm::Error::success();
}

llvm::Expected<std::shared_ptr<const PreparedGemm>>
Registry::prepare(const GemmProblem &problem, const GemmConfig &config) {
  if (auto refusal = supports(problem, config))
    return makeError(refusal->code, "{0} cannot compute {1}: {2}",
                     config.name(), toString(problem), refusal->text);
  if (llvm::Error error = state_->checkVariant(problem, config))
    return error;
  return familyFunctions(config.family)
      .prepare(problem, config, machine(), state_->jit);
}

/// The selector's choices on disk; null where they are not stored.
KeptChoices *Registry::State::keptFor(const Selector &selector) {
  std::string fingerprint = selector.fingerprint();
  if (!options.diskCache || fingerprint.empty() || buildId().empty())
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<KeptChoices> &choices = kept[fingerprint];
  if (!choices)
    choices = std::make_unique<KeptChoices>(jit.cache().directory(),
                                            ofThisBuild(fingerprint));
  return choices.get();
}

llvm::Expected<const PreparedGemm *>
Registry::dispatch(const GemmProblem &problem, Selector &selector) {
  if (const auto *known = state_->choices.find(problem, &selector))
    return known->get();
  if (auto refusal = validate(problem))
    return makeError(refusal->code, "{0}: {1}", toString(problem),
                     refusal->text);
  KeptChoices *kept = state_->keptFor(selector);
  std::optional<GemmConfig> config =
      kept ? kept->find(problem) : std::nullopt;
  if (!config || supports(problem, *config)) {
    config = selector.choose(problem);
    if (kept)
      kept->add(problem, *config);
  }
  auto gemm = prepare(problem, *config);
  if (!gemm)
    return gemm.takeError();
  return state_->choices.insert(problem, std::move(*gemm), &selector).get();
}

} // namespace assay::kernels
