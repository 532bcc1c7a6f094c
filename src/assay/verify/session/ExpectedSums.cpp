#include "assay/verify/session/ExpectedSums.h"
#include "assay/engine/Registry.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;
using engine::Placement;
using engine::WorkerResult;

/// A request to one engine for the sums: its problem, and the outcome.
struct ExpectedSums::Request {
  const std::string &engine;
  Lowered problem; ///< only the contraction
  bool sameTypes, integers;
  TrustedSums &out;
  std::string shown() const { return engine + (sameTypes ? "" : " in f32"); }
};

/// Below this number of operations the reference's loops are faster than a
/// worker.
static constexpr double kSmallProblem = 2e6;
/// The same for data with NaN and infinities, where the answer of a worker that loses
/// them is discarded.
static constexpr double kSmallSpecial = 2e8;

/// Whether norms replace the second contraction. Winograd's bounds and f64 need
/// the true sums.
static bool useNorms(const Lowered &c, const FillPlan &plan) {
  return c.problem->algorithm == Algorithm::Direct &&
         c.slots[c.a].type != types::F64 &&
         normsApply(c.contraction, plan.kind);
}

void ExpectedSums::makeNorms(const ContractionData &data, TrustedSums &out) {
  out.sums.norms =
      std::make_unique<Norms>(c_.contraction, data.a, data.b,
                              resources_.pool());
  out.sums.a = data.a, out.sums.b = data.b;
}

TrustedSums ExpectedSums::makeReference(const ContractionData &data,
                                        bool norms) {
  const Lowered &c = c_;
  ThreadPool &pool = resources_.pool();
  TrustedSums out;
  out.isReference = true;
  out.name = "reference";
  int64_t count = c.contraction.cElements();
  out.sums.wide.resize(count);
  if (c.slots[c.a].type == types::F64)
    contractCompensated(c.contraction, data.a, data.b, out.sums.wide.data(),
                        pool);
  else
    contract(c.contraction, data.a, data.b, out.sums.wide.data(), pool);
  Bound bound = makeBound(c, data.plan, 0);
  if (bound.exact)
    return out;
  if (norms && useNorms(c, data.plan)) {
    makeNorms(data, out);
    return out;
  }
  std::vector<float> absA(data.a, data.a + c.contraction.aElements()),
      absB(data.b, data.b + c.contraction.bElements());
  for (std::vector<float> *values : {&absA, &absB})
    pool.parallelFor(static_cast<int64_t>(values->size()), 1 << 16,
                      [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i)
                          (*values)[i] = std::abs((*values)[i]);
                      });
  std::vector<double> sums(count);
  contract(c.contraction, absA.data(), absB.data(), sums.data(), pool);
  out.sums.absolute.assign(sums.begin(), sums.end());
  return out;
}

/// An engine that is also under test gets a second process for the expected
/// sums.
static std::string trustedKey(const std::string &engine,
                              const RunOptions &run) {
  return engine == run.engine ? engine + " " : engine;
}

void ExpectedSums::noteTrouble(const std::string &engineName,
                          const WorkerResult &result) {
  const char *what = result.kind == WorkerResult::Kind::Crashed   ? " crashes"
                     : result.kind == WorkerResult::Kind::Timeout ? " hangs"
                     : result.kind == WorkerResult::Kind::Failed  ? " fails"
                                                                  : nullptr;
  if (!what)
    return; // it does not support the problem: not an error
  broken_.push_back(engineName);
  trouble_.push_back(engineName + what);
}

engine::Worker *ExpectedSums::trustedWorker(const Request &request) {
  const RunOptions &run = *c_.problem->options;
  std::string name = trustedKey(request.engine, run);
  llvm::Expected<engine::Worker *> trusted = resources_.worker(name, run);
  if (!trusted) {
    request.out.refused += takeError(trusted.takeError()).message + "; ";
    return nullptr;
  }
  // The second fill of a problem reuses the kernel of the first.
  std::string key = name + ":" + request.problem.json;
  if (key == kernel_)
    return *trusted;
  kernel_.clear();
  llvm::Expected<engine::ProblemDescription> described =
      verify::describe(request.problem, resources_.threads(), request.engine);
  if (!described) {
    request.out.refused += takeError(described.takeError()).message + "; ";
    return nullptr;
  }
  WorkerResult created = (*trusted)->create(*described);
  if (created.kind != WorkerResult::Kind::Ok) {
    request.out.refused += request.shown() + ": " + created.reason + "; ";
    noteTrouble(request.engine, created);
    return nullptr;
  }
  kernel_ = key;
  return *trusted;
}

namespace {
/// The places of a fast reference's tensors: the factors (those of the tested
/// engine where the bytes are the same), the sums, and the same for |a|, |b|.
struct FastPlaces {
  std::vector<Placement> tensors{3}, absolute{3};
  bool shared[2] = {false, false};
  int64_t end = 0;
};
} // namespace

/// `begin`: where free memory of the arena begins; `originals`: places of the problem's
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

/// Computes the sums, and with `magnitudes` those of |a| and |b|.
static WorkerResult runFast(engine::Worker &trusted, const FastPlaces &places,
                            bool magnitudes) {
  engine::RunRequest request{3, 0, 0, 0, 0, 0};
  WorkerResult result = trusted.run(request, places.tensors);
  if (result.kind == WorkerResult::Kind::Ok && magnitudes)
    result = trusted.run(request, places.absolute);
  return result;
}

/// Writes factors and their magnitudes to their places.
static void writeFactors(const ContractionData &data, const Lowered &problem,
                         const FastPlaces &places, bool magnitudes,
                         Resources &resources) {
  ThreadPool &pool = resources.pool();
  const int factors[2] = {problem.a, problem.b};
  for (int i = 0; i < 2; ++i) {
    const Slot &slot = problem.slots[factors[i]];
    std::byte *at = resources.at(places.tensors[factors[i]]);
    if (!places.shared[i])
      pack(slot, i ? data.b : data.a, at, pool);
    if (magnitudes)
      packAbsolute(slot, at, resources.at(places.absolute[factors[i]]), pool);
  }
}

bool ExpectedSums::tryEngine(const ContractionData &data, Request &request,
                             bool norms) {
  TrustedSums &out = request.out;
  const Lowered &problem = request.problem;
  engine::Worker *trusted = trustedWorker(request);
  if (!trusted)
    return false;
  double unit = request.integers ? 0 : 0x1p-24;
  Bound bound = makeBound(c_, data.plan, unit);
  norms = norms && !bound.exact && useNorms(c_, data.plan);
  bool magnitudes = !bound.exact && !norms;
  FastPlaces places = placeFast(c_, problem, data.places, data.arenaUsed,
                                request.sameTypes, magnitudes);
  if (llvm::Error error = resources_.arena().grow(places.end)) {
    out.refused += takeError(std::move(error)).message + "; ";
    return false;
  }
  writeFactors(data, problem, places, magnitudes, resources_);
  WorkerResult result = runFast(*trusted, places, magnitudes);
  if (result.kind != WorkerResult::Kind::Ok) {
    trusted->destroy();
    kernel_.clear();
    out.refused += request.engine + ": " + result.reason + "; ";
    noteTrouble(request.engine, result);
    return false;
  }
  const std::byte *sums = resources_.at(places.tensors[problem.out]);
  if (request.integers)
    out.sums.integers = reinterpret_cast<const int32_t *>(sums);
  else
    out.sums.narrow = reinterpret_cast<const float *>(sums);
  if (norms)
    makeNorms(data, out);
  if (magnitudes) {
    const auto *absolute = reinterpret_cast<const float *>(
        resources_.at(places.absolute[problem.out]));
    out.sums.absolute.assign(absolute, absolute + c_.contraction.cElements());
  }
  out.unit = unit;
  out.name = request.shown();
  return true;
}

std::vector<std::pair<std::string, ElementType>>
verify::trustedEngines(const Lowered &c, const FillPlan *plan) {
  const RunOptions &run = *c.problem->options;
  ElementType typeA = c.slots[c.a].type, typeB = c.slots[c.b].type;
  bool f32 = typeA == types::F32 && typeB == types::F32;
  bool integers = c.hasIntegerSums();
  // Few engines support 8-bit types other than integers; f32 holds them all.
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
    // An engine under test is trusted with its own sums only when --trust names
    // it; in other types it runs other code, and is used when no other engine
    // can.
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

void ExpectedSums::prepare() {
  const RunOptions &run = *c_.problem->options;
  auto list = trustedEngines(c_, nullptr);
  if (list.empty())
    return;
  llvm::Expected<engine::Worker *> first =
      resources_.worker(trustedKey(list.front().first, run), run);
  if (first)
    (*first)->prepare();
  else
    llvm::consumeError(first.takeError()); // reported when it is used
}

TrustedSums ExpectedSums::make(const ContractionData &data, bool norms) {
  Resources::Timer timer(resources_, "expected");
  TrustedSums out;
  for (const auto &[name, type] : trustedEngines(c_, &data.plan)) {
    if (llvm::is_contained(broken_, name))
      continue;
    bool sameTypes = type == types::None;
    bool integers = (sameTypes ? c_.slots[c_.a].type : type).isInteger();
    Request request{
        name, accumulatorCase(c_, type, integers ? types::S32 : types::F32),
        sameTypes, integers, out};
    if (request.problem.slots.size() == 3 && tryEngine(data, request, norms))
      return out;
  }
  std::string refused = std::move(out.refused);
  out = makeReference(data, norms);
  out.refused = std::move(refused);
  return out;
}
