// The registry: lists of configurations per type and layout, made once;
// micro-kernels compiled and checked on first use; the loops around them
// checked once per variant; pairs of problem and configuration kept ready.
#include "assay/kernels/Registry.h"

#include "assay/kernels/Family.h"
#include "assay/kernels/GemmCheck.h"
#include "assay/kernels/Selector.h"
#include "assay/kernels/jit/Check.h"
#include "assay/kernels/jit/Jit.h"

#include <array>
#include <atomic>
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

namespace {
struct Kept {
  GemmProblem problem;
  GemmConfig config;
  std::shared_ptr<const PreparedGemm> gemm;
};
} // namespace

namespace {
/// Choices by problem: a table of pointers that readers follow without a lock.
/// Entries are never freed before the registry, so a reader may keep what it
/// found.
struct Choice {
  GemmProblem problem;
  const Selector *selector;
  std::shared_ptr<const PreparedGemm> gemm;
};
class ChoiceTable {
public:
  const Choice *find(const GemmProblem &problem, const Selector *selector,
                     uint64_t hash) const {
    for (uint64_t probe = 0; probe < kProbes; ++probe) {
      const Choice *choice =
          slots_[(hash + probe) % kSlots].load(std::memory_order_acquire);
      if (choice && choice->selector == selector && choice->problem == problem)
        return choice;
    }
    return nullptr;
  }
  const Choice *add(Choice choice, uint64_t hash) {
    std::lock_guard<std::mutex> lock(mutex_);
    owned_.push_back(std::make_unique<Choice>(std::move(choice)));
    const Choice *added = owned_.back().get();
    uint64_t at = hash % kSlots;
    for (uint64_t probe = 0; probe < kProbes; ++probe)
      if (!slots_[(hash + probe) % kSlots].load(std::memory_order_relaxed)) {
        at = (hash + probe) % kSlots;
        break;
      }
    slots_[at].store(added, std::memory_order_release);
    return added;
  }

private:
  static constexpr uint64_t kSlots = 4096, kProbes = 4;
  std::array<std::atomic<const Choice *>, kSlots> slots_{};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Choice>> owned_;
};
} // namespace

struct Registry::State {
  ChoiceTable choices;
  Options options;
  Jit jit;
  mutable std::mutex mutex; // guards what follows
  mutable std::map<int, std::vector<GemmConfig>> lists;
  std::map<std::string, std::optional<ErrorText>>
      variants; // outer-loop variants that were checked
  std::map<uint64_t, Kept> kept;

  explicit State(Options given)
      : options(std::move(given)),
        jit(options.machine.isa, options.cacheDirectory, options.diskCache,
            options.verify ? checkMicroKernel : nullptr) {}
  llvm::Error checkVariant(const GemmProblem &problem,
                           const GemmConfig &config);
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

/// The parts of a pair that choose code paths of the loops around a
/// micro-kernel.
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

llvm::Error Registry::State::checkVariant(const GemmProblem &problem,
                                          const GemmConfig &config) {
  if (!options.verify)
    return llvm::Error::success();
  std::string name = variantOf(problem, config);
  std::unique_lock<std::mutex> lock(mutex);
  auto found = variants.find(name);
  if (found == variants.end()) {
    lock.unlock();
    llvm::Error error = checkGemm(problem, config, options.machine, jit);
    std::optional<ErrorText> verdict;
    if (error)
      verdict = takeError(std::move(error));
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

llvm::Error Registry::run(const GemmProblem &problem, const GemmConfig &config,
                          const GemmPointers &pointers, ThreadPool &pool) {
  uint64_t key =
      problem.hash() ^ llvm::hash_value(llvm::StringRef(config.name()));
  std::shared_ptr<const PreparedGemm> gemm;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    auto found = state_->kept.find(key);
    if (found != state_->kept.end() && found->second.problem == problem &&
        found->second.config == config)
      gemm = found->second.gemm;
  }
  if (!gemm) {
    auto made = prepare(problem, config);
    if (!made)
      return made.takeError();
    gemm = *made;
    std::lock_guard<std::mutex> lock(state_->mutex);
    state_->kept[key] = {problem, config, gemm};
  }
  gemm->run(pointers, pool);
  return llvm::Error::success();
}

llvm::Expected<const PreparedGemm *>
Registry::dispatch(const GemmProblem &problem, Selector &selector) {
  uint64_t hash = problem.hash();
  if (const Choice *choice = state_->choices.find(problem, &selector, hash))
    return choice->gemm.get();
  if (auto refusal = validate(problem))
    return makeError(refusal->code, "{0}: {1}", toString(problem),
                     refusal->text);
  auto gemm = prepare(problem, selector.choose(problem));
  if (!gemm)
    return gemm.takeError();
  return state_->choices.add({problem, &selector, *gemm}, hash)->gemm.get();
}

} // namespace assay::kernels
