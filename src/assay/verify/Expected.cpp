// The expected sums: the fast-reference chain. Trusted engines are asked in
// order for the same contraction with the same factor types and free formats,
// then in f32; the reference does what nobody else can. Only the sums come from
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

bool Session::tryFastReference(const Lowered &c, Data &data,
                               const std::string &engineName,
                               ElementType factorType, Trusted &out,
                               bool norms) {
  const RunOptions &run = *c.problem->options;
  bool sameTypes = factorType == types::None;
  ElementType typeA = sameTypes ? c.slots[c.a].type : factorType;
  bool integers = typeA.isInteger();
  Lowered accumulate =
      accumulatorCase(c, factorType, integers ? types::S32 : types::F32);
  if (accumulate.slots.size() != 3)
    return false;
  std::string why;
  engine::Worker *trusted = worker(trustedKey(engineName, run), run, why);
  if (!trusted)
    return false;
  // The second fill of a problem finds the kernel of the first.
  std::string key = trustedKey(engineName, run) + ":" + accumulate.json;
  WorkerResult created;
  if (key != trustedKernel_) {
    trustedKernel_.clear();
    llvm::Expected<engine::ProblemDescription> described =
        describe(accumulate, options_.threads, engineName);
    if (!described) {
      out.refused += takeError(described.takeError()).message + "; ";
      return false;
    }
    created = trusted->create(*described);
  }
  if (created.kind == WorkerResult::Kind::Ok)
    trustedKernel_ = key;
  if (created.kind != WorkerResult::Kind::Ok) {
    out.refused += engineName + (sameTypes ? "" : " in f32") + ": " +
                   created.reason + "; ";
    return false;
  }
  // Regions: the factors (shared with the tested engine where they are the same
  // bytes), the sums, and the same for |a|, |b|.
  Bound bound = makeBound(c, data.plan, integers ? 0 : 0x1p-24);
  norms = norms && !bound.exact && useNorms(c, data.plan);
  bool magnitudes = !bound.exact && !norms;
  int64_t offset = data.arenaUsed;
  auto take = [&](const Slot &slot) {
    Placement place{offset, engine::roundToPages(slot.spanBytes()), 0};
    offset += place.regionBytes;
    return place;
  };
  bool zeroPoints = c.zeroPointSlots[0] >= 0 || c.zeroPointSlots[1] >= 0;
  std::vector<Placement> places(3), absolutePlaces(3);
  bool shared[2] = {false, false};
  const int factors[2] = {accumulate.a, accumulate.b},
            originals[2] = {c.a, c.b};
  for (int i = 0; i < 2; ++i) {
    shared[i] = sameTypes && !zeroPoints && c.slots[originals[i]].isDense();
    places[factors[i]] = shared[i] ? data.placements[originals[i]]
                                   : take(accumulate.slots[factors[i]]);
  }
  places[accumulate.out] = take(accumulate.slots[accumulate.out]);
  if (magnitudes)
    for (int i = 0; i < 3; ++i)
      absolutePlaces[i] = take(accumulate.slots[i]);
  if (llvm::Error error = arena_->grow(offset)) {
    out.refused += takeError(std::move(error)).message + "; ";
    return false;
  }
  auto pointer = [&](const Placement &place) {
    return arena_->data() + place.fileOffset + place.dataOffset;
  };
  for (int i = 0; i < 2; ++i) {
    if (!shared[i])
      pack(accumulate.slots[factors[i]], i ? data.b : data.a,
           pointer(places[factors[i]]), pool_);
    if (magnitudes)
      packAbsolute(accumulate.slots[factors[i]], pointer(places[factors[i]]),
                   pointer(absolutePlaces[factors[i]]), pool_);
  }
  engine::RunRequest request{3, 0, 0, 0, 0, 0};
  WorkerResult result = trusted->run(request, places);
  if (result.kind == WorkerResult::Kind::Ok && magnitudes)
    result = trusted->run(request, absolutePlaces);
  if (result.kind != WorkerResult::Kind::Ok) {
    trusted->destroy();
    trustedKernel_.clear();
    out.refused += engineName + ": " + result.reason + "; ";
    return false;
  }
  const std::byte *sums = pointer(places[accumulate.out]);
  if (integers)
    out.sums.integers = reinterpret_cast<const int32_t *>(sums);
  else
    out.sums.narrow = reinterpret_cast<const float *>(sums);
  if (norms)
    makeNorms(c, data, out);
  if (magnitudes) {
    const float *absolute = reinterpret_cast<const float *>(
        pointer(absolutePlaces[accumulate.out]));
    out.sums.absolute.assign(absolute, absolute + c.contraction.cElements());
  }
  out.unit = integers ? 0 : 0x1p-24;
  out.name = engineName + (sameTypes ? "" : " in f32");
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
  bool integers = typeA.isInteger() && typeB.isInteger();
  std::vector<std::pair<std::string, ElementType>> result;
  if (!run.fastReference || typeA == types::F64 ||
      (plan && plan->kind == FillKind::Special) ||
      c.problem->operations() < kSmallProblem)
    return result;
  // In f32, integer sums are exact only up to 2^24.
  bool f32Fits =
      !integers || !plan || (plan->kind == FillKind::Exact && plan->exact) ||
      static_cast<double>(c.contraction.depth()) * 128 * 128 <= 0x1p24;
  bool zeroPoints = c.zeroPointSlots[0] >= 0 || c.zeroPointSlots[1] >= 0;
  std::vector<std::string> engines = run.trust;
  if (engines.empty())
    for (const engine::EngineRow &row : engine::engineTable())
      if (row.trusted)
        engines.push_back(row.name);
  for (const std::string &name : engines) {
    if (name == "reference")
      break;
    // An engine under test vouches for itself only when it is named by --trust;
    // in other types it takes another path.
    bool own = name == run.engine && run.trust.empty();
    if (!own && !zeroPoints)
      result.push_back({name, types::None});
    if (!f32 && f32Fits)
      result.push_back({name, types::F32});
  }
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
    if (tryFastReference(c, data, name, type, out, norms))
      return;
  std::string refused = std::move(out.refused);
  makeReference(c, data, out, norms);
  out.refused = std::move(refused);
}
