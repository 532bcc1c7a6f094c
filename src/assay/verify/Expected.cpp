// The expected sums: the fast-reference chain. Trusted engines are asked in
// order for the same contraction with the same factor types and free formats,
// then in f32; the reference does what no other engine can. Only the sums come from
// there: scales, post-ops and rounding are always carried out here, with their
// error bounds.
#include "assay/engine/Registry.h"
#include "assay/verify/SessionData.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;
using engine::Placement;
using engine::WorkerResult;

/// Below this the loops of the reference cost less than asking a worker.
static constexpr double kSmallProblem = 2e6;
/// The same for data with NaN and infinities, in which a worker that loses them
/// has its answer thrown away.
static constexpr double kSmallSpecial = 2e8;

/// Norms instead of the second contraction, where they serve. Winograd's bounds
/// and doubles keep the true sums.
static bool useNorms(const Lowered &c, const FillPlan &plan) {
  return c.problem->algorithm == Algorithm::Direct &&
         c.slots[c.a].type != types::F64 &&
         normsApply(c.contraction, plan.kind);
}

void Session::makeNorms(const Lowered &c, Data &data, Trusted &out) {
  out.sums.norms =
      std::make_unique<Norms>(c.contraction, data.a, data.b, pool_);
  out.sums.a = data.a, out.sums.b = data.b;
}

void Session::makeReference(const Lowered &c, Data &data, Trusted &out,
                            bool norms) {
  out = Trusted();
  out.isReference = true;
  out.name = "reference";
  int64_t count = c.contraction.cElements();
  out.sums.wide.resize(count);
  if (c.slots[c.a].type == types::F64)
    contractCompensated(c.contraction, data.a, data.b, out.sums.wide.data(),
                        pool_);
  else
    contract(c.contraction, data.a, data.b, out.sums.wide.data(), pool_);
  Bound bound = makeBound(c, data.plan, 0);
  if (bound.exact)
    return;
  if (norms && useNorms(c, data.plan))
    return makeNorms(c, data, out);
  std::vector<float> absA(data.a, data.a + c.contraction.aElements()),
      absB(data.b, data.b + c.contraction.bElements());
  for (std::vector<float> *values : {&absA, &absB})
    pool_.parallelFor(static_cast<int64_t>(values->size()), 1 << 16,
                      [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i)
                          (*values)[i] = std::abs((*values)[i]);
                      });
  std::vector<double> sums(count);
  contract(c.contraction, absA.data(), absB.data(), sums.data(), pool_);
  out.sums.absolute.assign(sums.begin(), sums.end());
}

/// An engine that is also under test gets a second process as judge.
static std::string trustedKey(const std::string &engine,
                              const RunOptions &run) {
  return engine == run.engine ? engine + " " : engine;
}

void Session::noteTrouble(const std::string &engineName,
                          const WorkerResult &result) {
  const char *what = result.kind == WorkerResult::Kind::Crashed   ? " crashes"
                     : result.kind == WorkerResult::Kind::Timeout ? " hangs"
                     : result.kind == WorkerResult::Kind::Failed  ? " fails"
                                                                  : nullptr;
  if (!what)
    return; // it does not do the problem: no trouble
  broken_.push_back(engineName);
  trouble_.push_back(engineName + what);
}

engine::Worker *Session::trustedWorker(const Lowered &accumulate,
                                       const std::string &engineName,
                                       llvm::StringRef shown, Trusted &out) {
  const RunOptions &run = *accumulate.problem->options;
  std::string why, name = trustedKey(engineName, run);
  engine::Worker *trusted = worker(name, run, why);
  // The second fill of a problem finds the kernel of the first.
  std::string key = name + ":" + accumulate.json;
  if (!trusted || key == trustedKernel_)
    return trusted;
  trustedKernel_.clear();
  llvm::Expected<engine::ProblemDescription> described =
      describe(accumulate, options_.threads, engineName);
  if (!described) {
    out.refused += takeError(described.takeError()).message + "; ";
    return nullptr;
  }
  WorkerResult created = trusted->create(*described);
  if (created.kind != WorkerResult::Kind::Ok) {
    out.refused += (shown + ": " + created.reason + "; ").str();
    noteTrouble(engineName, created);
    return nullptr;
  }
  trustedKernel_ = key;
  return trusted;
}

namespace {
/// Where a fast reference finds its tensors: the factors (those of the tested
/// engine where they are the same bytes), the sums, and the same for |a|, |b|.
struct FastPlaces {
  std::vector<Placement> tensors{3}, absolute{3};
  bool shared[2] = {false, false};
  int64_t end = 0;
};
} // namespace

/// `begin`: of what is free in the arena; `originals`: places of the problem's
/// own tensors.
static FastPlaces placeFast(const Lowered &c, const Lowered &accumulate,
                            llvm::ArrayRef<Placement> originals, int64_t begin,
                            bool sameTypes, bool magnitudes) {
  FastPlaces places;
  places.end = begin;
  auto take = [&](int slot) {
    int64_t bytes = accumulate.slots[slot].spanBytes();
    Placement place{places.end, engine::roundToPages(bytes), 0};
    places.end += place.regionBytes;
    return place;
  };
  const int factors[2] = {accumulate.a, accumulate.b}, own[2] = {c.a, c.b};
  for (int i = 0; i < 2; ++i) {
    places.shared[i] =
        sameTypes && !c.changesFactors() && c.slots[own[i]].isDense();
    places.tensors[factors[i]] =
        places.shared[i] ? originals[own[i]] : take(factors[i]);
  }
  places.tensors[accumulate.out] = take(accumulate.out);
  if (magnitudes)
    for (int i = 0; i < 3; ++i)
      places.absolute[i] = take(i);
  return places;
}

/// The sums, and with `magnitudes` those of |a| and |b|.
static WorkerResult runFast(engine::Worker &trusted, const FastPlaces &places,
                            bool magnitudes) {
  engine::RunRequest request{3, 0, 0, 0, 0, 0};
  WorkerResult result = trusted.run(request, places.tensors);
  if (result.kind == WorkerResult::Kind::Ok && magnitudes)
    result = trusted.run(request, places.absolute);
  return result;
}

bool Session::tryFastReference(const Lowered &c, Data &data,
                               const std::string &engineName,
                               ElementType factorType, Trusted &out,
                               bool norms) {
  bool sameTypes = factorType == types::None;
  bool integers = (sameTypes ? c.slots[c.a].type : factorType).isInteger();
  std::string shown = engineName + (sameTypes ? "" : " in f32");
  Lowered accumulate =
      accumulatorCase(c, factorType, integers ? types::S32 : types::F32);
  if (accumulate.slots.size() != 3)
    return false;
  engine::Worker *trusted = trustedWorker(accumulate, engineName, shown, out);
  if (!trusted)
    return false;
  Bound bound = makeBound(c, data.plan, integers ? 0 : 0x1p-24);
  norms = norms && !bound.exact && useNorms(c, data.plan);
  bool magnitudes = !bound.exact && !norms;
  FastPlaces places = placeFast(c, accumulate, data.placements, data.arenaUsed,
                                sameTypes, magnitudes);
  if (llvm::Error error = arena_->grow(places.end)) {
    out.refused += takeError(std::move(error)).message + "; ";
    return false;
  }
  auto pointer = [&](const Placement &place) {
    return arena_->data() + place.fileOffset + place.dataOffset;
  };
  const int factors[2] = {accumulate.a, accumulate.b};
  for (int i = 0; i < 2; ++i) {
    const Slot &slot = accumulate.slots[factors[i]];
    std::byte *at = pointer(places.tensors[factors[i]]);
    if (!places.shared[i])
      pack(slot, i ? data.b : data.a, at, pool_);
    if (magnitudes)
      packAbsolute(slot, at, pointer(places.absolute[factors[i]]), pool_);
  }
  WorkerResult result = runFast(*trusted, places, magnitudes);
  if (result.kind != WorkerResult::Kind::Ok) {
    trusted->destroy();
    trustedKernel_.clear();
    out.refused += engineName + ": " + result.reason + "; ";
    noteTrouble(engineName, result);
    return false;
  }
  const std::byte *sums = pointer(places.tensors[accumulate.out]);
  if (integers)
    out.sums.integers = reinterpret_cast<const int32_t *>(sums);
  else
    out.sums.narrow = reinterpret_cast<const float *>(sums);
  if (norms)
    makeNorms(c, data, out);
  if (magnitudes) {
    const float *absolute = reinterpret_cast<const float *>(
        pointer(places.absolute[accumulate.out]));
    out.sums.absolute.assign(absolute, absolute + c.contraction.cElements());
  }
  out.unit = integers ? 0 : 0x1p-24;
  out.name = shown;
  return true;
}

/// The engines that may make the expected sums, in order, each with the type to
/// ask it for (undef: the problem's own). Errors: none; empty when only the
/// reference can.
static std::vector<std::pair<std::string, ElementType>>
candidates(const Lowered &c, const FillPlan *plan) {
  const RunOptions &run = *c.problem->options;
  ElementType typeA = c.slots[c.a].type, typeB = c.slots[c.b].type;
  bool f32 = typeA == types::F32 && typeB == types::F32;
  bool integers = c.hasIntegerSums();
  // Few engines know types of 8 bits beside integers; f32 holds them all.
  auto isCommon = [](ElementType type) {
    return type.bits >= 16 || (type.isInteger() && type.bits == 8);
  };
  std::vector<std::pair<std::string, ElementType>> result;
  if (!run.fastReference || typeA == types::F64 ||
      (plan && plan->nonFinite) ||
      c.problem->operations() <
          (plan && plan->special ? kSmallSpecial : kSmallProblem))
    return result;
  // In f32, integer sums are exact only up to 2^24.
  bool f32Fits =
      !integers || !plan || (plan->ofIntegers() && plan->exact) ||
      static_cast<double>(c.contraction.depth()) * 128 * 128 <= 0x1p24;
  bool sameTypes = !c.changesFactors() && isCommon(typeA) && isCommon(typeB);
  std::vector<std::string> engines = run.trust;
  if (engines.empty())
    for (const engine::EngineRow &row : engine::engineTable())
      if (row.trusted)
        engines.push_back(row.name);
  for (const std::string &name : engines) {
    if (name == "reference")
      break;
    // An engine under test vouches for itself only when it is named by --trust;
    // in other types it takes another path, and is asked when no other can.
    bool own = name == run.engine && run.trust.empty();
    if (!own && sameTypes)
      result.push_back({name, types::None});
    if ((!f32 || c.changesFactors()) && f32Fits)
      result.push_back({name, types::F32});
  }
  if (run.trust.empty())
    std::stable_partition(
        result.begin(), result.end(),
        [&](const auto &asked) { return asked.first != run.engine; });
  return result;
}

void Session::prepareTrusted(const Lowered &c) {
  auto list = candidates(c, nullptr);
  std::string why;
  if (list.empty())
    return;
  if (engine::Worker *first =
          worker(trustedKey(list.front().first, *c.problem->options),
                 *c.problem->options, why))
    first->prepare();
}

void Session::makeExpected(const Lowered &c, Data &data, Trusted &out,
                           bool norms) {
  Timer timer(*this, "expected");
  for (const auto &[name, type] : candidates(c, &data.plan))
    if (!llvm::is_contained(broken_, name) &&
        tryFastReference(c, data, name, type, out, norms))
      return;
  std::string refused = std::move(out.refused);
  makeReference(c, data, out, norms);
  out.refused = std::move(refused);
}
