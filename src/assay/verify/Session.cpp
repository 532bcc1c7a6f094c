// One problem from lowering to outcome. The order is that of the report: lower,
// create in the worker, then for each fill: place (guard page behind the
// tensors in one run, in front of them in the next), fill, run, expected
// values, judgement.
#include "assay/engine/Registry.h"
#include "assay/judge/contraction/FillKernels.h"
#include "assay/support/MemorySize.h"
#include "assay/verify/GivenInputs.h"
#include "assay/verify/Recognise.h"
#include "assay/verify/Requests.h"
#include "assay/verify/SessionData.h"
#include "assay/verify/Settings.h"
#include "assay/verify/ShowProgram.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;
using engine::Guard;
using engine::Placement;
using engine::WorkerResult;

Session::Session(SessionOptions options)
    : options_(std::move(options)), pool_(options_.threads) {
  if (!options_.memoryLimitBytes)
    options_.memoryLimitBytes = defaultMemoryBytes();
}
Session::~Session() = default;

engine::Worker *Session::worker(const std::string &engineName,
                                const RunOptions &run, std::string &why) {
  auto found = workers_.find(engineName);
  if (found != workers_.end()) {
    found->second->setTimeout(run.timeoutSeconds);
    return found->second.get();
  }
  llvm::Expected<std::string> module =
      engine::resolveEngine(llvm::StringRef(engineName).rtrim());
  if (!module) {
    why = takeError(module.takeError()).message;
    return nullptr;
  }
  engine::WorkerOptions options;
  options.program = options_.workerProgram;
  options.module = *module;
  options.memoryLimitBytes = options_.memoryLimitBytes;
  options.timeoutSeconds = run.timeoutSeconds;
  options.performance = run.mode == Mode::Performance;
  return (workers_[engineName] =
              std::make_unique<engine::Worker>(*arena_, options))
      .get();
}

Status verify::statusOf(WorkerResult::Kind kind) {
  switch (kind) {
  case WorkerResult::Kind::Ok:
    return Status::Passed;
  case WorkerResult::Kind::Unsupported:
  case WorkerResult::Kind::NotHere:
  case WorkerResult::Kind::NoMemory:
    return Status::Skipped;
  case WorkerResult::Kind::Invalid:
    return Status::InvalidArguments;
  case WorkerResult::Kind::Failed:
    return Status::Failed;
  case WorkerResult::Kind::Crashed:
    return Status::Crashed;
  case WorkerResult::Kind::Timeout:
    return Status::Timeout;
  }
  return Status::Failed;
}

void verify::noteCreated(const WorkerResult &created, Outcome &outcome) {
  outcome.status = statusOf(created.kind);
  outcome.reason = created.reason;
}

void verify::notePrinted(const WorkerResult &result, const Problem &problem,
                         Outcome &outcome) {
  outcome.printed += result.printed;
  if (problem.options->verbosity >= 2)
    outcome.showsAllPrinted = true;
}

/// A size in the unit that fits it.
static std::string sizeText(double bytes) {
  return bytes < 0x1p10   ? llvm::formatv("{0:f0} bytes", bytes).str()
         : bytes < 0x1p20 ? llvm::formatv("{0:f1} KiB", bytes / 0x1p10).str()
         : bytes < 0x1p30 ? llvm::formatv("{0:f1} MiB", bytes / 0x1p20).str()
                          : llvm::formatv("{0:f1} GiB", bytes / 0x1p30).str();
}

Status verify::watchMemory(llvm::ArrayRef<Placement> placements,
                           engine::Worker &tested, const Problem &problem,
                           Status status, Outcome &outcome) {
  if (status != Status::Passed && status != Status::Executed)
    return status;
  WorkerResult result = tested.watchMemory(placements);
  notePrinted(result, problem, outcome);
  if (result.kind != WorkerResult::Kind::Ok) {
    outcome.reason = result.reason;
    outcome.after.push_back("  in a further call on the same data");
    return statusOf(result.kind);
  }
  outcome.facts["watched_calls"] = result.watchedCalls;
  outcome.facts["memory_growth_bytes"] = result.grownBytes;
  if (result.grownBytes == 0)
    return status;
  outcome.reason =
      llvm::formatv("its memory grows by {0} in each call",
                    sizeText(static_cast<double>(result.grownBytes)))
          .str();
  outcome.after.push_back(
      llvm::formatv("  counted after each of {0} calls on the same data; the "
                    "kernel gives back nothing of it",
                    result.watchedCalls)
          .str());
  return Status::Failed;
}

void verify::refuse(llvm::Error error, Outcome &outcome) {
  ErrorText text = takeError(std::move(error));
  outcome.status = text.code == ErrorCode::ResourceLimit ? Status::Skipped
                   : text.code == ErrorCode::Unsupported
                       ? Status::Unimplemented
                       : Status::InvalidArguments;
  outcome.reason = text.message;
}

llvm::Expected<BoundProgram> Session::build(const Problem &problem) {
  if (!problem.driver->readsFile)
    return problem.driver->build(problem);
  if (programPath_ != problem.path || !program_) {
    program_.reset();
    if (llvm::Error error =
            program::Program::load(problem.path).moveInto(program_))
      return error;
    programPath_ = problem.path;
  }
  Problem withSource = problem;
  withSource.source = program_;
  return problem.driver->build(withSource);
}

/// "src=aBcd16b,dst=aBcd16b": the formats with inner blocks that are asked of the
/// engine. Contractions say theirs as stag, wtag and dtag.
static std::string blockedFormats(const BoundProgram &bound) {
  std::string text;
  for (const std::vector<Binding> *list : {&bound.inputs, &bound.outputs})
    for (const Binding &binding : *list)
      if (isBlockedTag(binding.tag))
        text += (text.empty() ? "" : ",") + binding.role + "=" + binding.tag;
  return text;
}

/// Contractions, whatever words or program they came from, have a judge of
/// their own: fast sums, norms, exact data.
void Session::runBound(const Problem &given, const BoundProgram &bound,
                       Outcome &outcome) {
  Problem problem = given;
  if (std::string formats =
          problem.driver->contraction ? "" : blockedFormats(bound);
      !formats.empty())
    problem.requests["formats"] = formats;
  std::optional<Problem> found;
  if (!problem.driver->readsFile) {
    if (!problem.requests.count("grouped")) // no engine's descriptor has groups
      found = problem;
  } else if ((found = recognise(bound, problem.driver))) {
    found->options = problem.options;
    found->repro = problem.repro;
    found->requests = problem.requests;
  }
  if (!problem.options->properties.empty()) {
    outcome = runProperties(problem, bound, found ? &*found : nullptr);
    return;
  }
  if (!found || !found->driver->contraction) {
    outcome = runProgram(problem, bound, found ? &*found : nullptr);
    return;
  }
  llvm::Expected<Lowered> lowered = lower(*found);
  if (!lowered)
    return refuse(lowered.takeError(), outcome);
  lowered->bound = &bound;
  // A sum over no elements is zero, which the whole program says too.
  if (llvm::any_of(lowered->slots,
                   [](const Slot &slot) { return slot.elements() == 0; }))
    outcome = runProgram(problem, bound, &*found);
  else
    outcome = runLowered(*lowered);
}

Outcome Session::run(const Problem &problem, int64_t index) {
  problemIndex_ = index;
  auto start = std::chrono::steady_clock::now();
  Outcome outcome;
  std::string shown;
  if (!problem.unimplemented.empty()) {
    outcome.status = Status::Unimplemented;
    outcome.reason = problem.unimplemented;
  } else if (!problem.invalid.empty()) {
    outcome.status = Status::InvalidArguments;
    outcome.reason = problem.invalid;
  } else if (bool lists = problem.options->mode == Mode::List;
             lists && !problem.options->showProgram) {
    outcome.status = Status::Listed;
  } else if (llvm::Expected<BoundProgram> bound = build(problem)) {
    if (problem.options->showProgram)
      shown = llvm::StringRef(showProgram(problem, *bound)).rtrim().str();
    if (lists)
      outcome.status = Status::Listed;
    else
      runBound(problem, *bound, outcome);
  } else {
    refuse(bound.takeError(), outcome);
  }
  if (!shown.empty())
    outcome.before.insert(outcome.before.begin(), shown);
  outcome.milliseconds = std::chrono::duration<double, std::milli>(
                             std::chrono::steady_clock::now() - start)
                             .count();
  return outcome;
}

/// How often exact data is drawn again when too few outputs can show a fault.
static constexpr uint64_t kMostDraws = 6;

bool Session::fits(double bytes, std::string &why) const {
  if (bytes <= static_cast<double>(options_.memoryLimitBytes))
    return true;
  why = "needs about " + sizeText(bytes) + ", the limit is " +
        sizeText(static_cast<double>(options_.memoryLimitBytes)) +
        " (--max-memory)";
  return false;
}

bool Session::makeArena(std::string &why) {
  if (arena_)
    return true;
  llvm::Expected<engine::Arena> arena =
      engine::Arena::create(machineMemoryBytes());
  if (!arena) {
    why = takeError(arena.takeError()).message;
    return false;
  }
  arena_ = std::make_unique<engine::Arena>(std::move(*arena));
  if (llvm::Error error = arena_->grow(engine::kPageBytes)) {
    why = takeError(std::move(error)).message;
    return false;
  }
  return true;
}

/// An engine that breaks down while it cleans up has not passed.
void Session::checkDestroy(engine::Worker &tested, Outcome &outcome) {
  WorkerResult result = tested.destroy();
  bool good = outcome.status == Status::Passed ||
              outcome.status == Status::Executed ||
              outcome.status == Status::Mistrusted ||
              outcome.status == Status::Initialized;
  if (result.kind == WorkerResult::Kind::Ok || !good)
    return;
  outcome.status = statusOf(result.kind);
  outcome.reason = result.reason;
  outcome.after.push_back("  while the engine destroyed its kernel");
}

WorkerResult Session::create(const Lowered &c, engine::Worker &tested,
                             Outcome &outcome) {
  Timer timer(*this, "create");
  WorkerResult created;
  llvm::Expected<engine::ProblemDescription> described =
      describe(c, options_.threads, c.problem->options->engine);
  if (!described) {
    created.kind = WorkerResult::Kind::Invalid;
    refuse(described.takeError(), outcome);
    return created;
  }
  created = tested.create(*described);
  noteCreated(created, outcome);
  notePrinted(created, *c.problem, outcome);
  return created;
}

/// A single fill runs twice, so that both guards are tried. Exact data of low
/// power is drawn again, a few times.
void Session::checkFills(const Lowered &c, Data &data, engine::Worker &tested,
                         Outcome &outcome) {
  const RunOptions &run = *c.problem->options;
  std::vector<FillKind> fills;
  bool isDefault = fillsByDefault(run);
  // A mode that lets factors or sums be narrowed lets their limits go, too.
  bool isNarrowed = roundedFactors(*c.problem) != types::None ||
                    allowedAccumulator(*c.problem) > 0;
  for (FillKind kind : fillsOf(run))
    if (!isDefault || (!(isNarrowed && judge::asksDefinedOnly(kind)) &&
                       judge::showsMore(c, kind, data.kept)))
      fills.push_back(kind);
  if (!run.inputs.empty())
    fills = {FillKind::Given};
  if (fills.size() == 1)
    fills.push_back(fills[0]);
  for (size_t i = 0; i < fills.size() && outcome.status == Status::Passed;
       ++i) {
    uint64_t repeat = std::count(fills.begin(), fills.begin() + i, fills[i]);
    data.plan = planFill(c, fills[i], run.seed + 7919 * repeat, data.kept);
    data.plan.nonFinite = data.anyNonFinite;
    if (llvm::Error error = placeData(
            c, data, i % 2 ? Guard::AtStart : Guard::AtEnd, data.alignment)) {
      outcome.status = Status::Skipped;
      outcome.reason = takeError(std::move(error)).message;
      return;
    }
    data.unwritten = engine::unwrittenOf(i);
    fillData(c, data);
    outcome.status = runEngine(c, data, tested, outcome);
    if (outcome.status == Status::Passed && !checkFill(c, data, outcome))
      outcome.status = Status::Failed;
    if (outcome.status == Status::Mistrusted && data.missed < 0.95 &&
        repeat < kMostDraws) {
      outcome.status = Status::Passed;
      outcome.reason.clear();
      fills.insert(fills.begin() + i + 1, FillKind::Exact);
    }
  }
  outcome.status =
      watchMemory(data.placements, tested, *c.problem, outcome.status, outcome);
}

/// Pages that were given back would have to be cleared again for the next
/// problem; a few GiB may stay. The workers go with the pages: what they keep
/// for the next problem would be beyond the limit that a small arena sets.
void Session::giveMemoryBack() {
  if (arena_->sizeBytes() <=
      std::min(options_.memoryLimitBytes / 3, int64_t(4) << 30))
    return;
  workers_.clear();
  arena_->shrink(engine::kPageBytes);
}

Outcome Session::runLowered(const Lowered &c) {
  Outcome outcome;
  broken_.clear();
  trouble_.clear();
  trustedKernel_.clear(); // the workers may have served others since
  const RunOptions &run = *c.problem->options;
  // Shared memory, floats beside narrower types, sums and their magnitudes.
  double bytes = 0;
  for (const Slot &slot : c.slots)
    bytes += static_cast<double>(engine::roundToPages(slot.spanBytes()));
  double need =
      3.0 * bytes + 16.0 * static_cast<double>(c.slots[c.out].elements());
  if (!fits(need, outcome.reason) || !makeArena(outcome.reason)) {
    outcome.status = Status::Skipped;
    return outcome;
  }
  engine::Worker *tested = worker(run.engine, run, outcome.reason);
  if (!tested) {
    outcome.status = Status::InvalidArguments;
    return outcome;
  }
  Data data;
  if (!run.inputs.empty() && !readInputs(c, data, outcome))
    return outcome;
  bool check = run.mode == Mode::Correctness ||
               run.mode == Mode::CorrectnessAndPerformance;
  tested->prepare();
  if (check)
    prepareTrusted(c);
  WorkerResult created = create(c, *tested, outcome);
  if (created.kind != WorkerResult::Kind::Ok)
    return outcome;
  if (!readTaken(*c.problem, created, outcome)) {
    checkDestroy(*tested, outcome);
    return outcome;
  }
  if (run.mode == Mode::Initialize) {
    outcome.status = Status::Initialized;
    checkDestroy(*tested, outcome);
    return outcome;
  }
  data.alignment = created.alignment;
  data.kept = keptNumbers(created);
  if (check)
    checkFills(c, data, *tested, outcome);
  if (run.mode == Mode::Run || run.mode == Mode::Performance ||
      (run.mode == Mode::CorrectnessAndPerformance &&
       outcome.status == Status::Passed))
    outcome.status = measure(c, data, created.seconds, *tested, outcome);
  checkDestroy(*tested, outcome);
  giveMemoryBack();
  llvm::append_range(outcome.trouble, trouble_);
  return outcome;
}

llvm::Error Session::placeData(const Lowered &c, Data &data, Guard guard,
                               int alignment) {
  llvm::SmallVector<engine::Extent, 8> extents;
  for (const Slot &slot : c.slots)
    extents.push_back({slot.spanBytes(), bytesOf(slot.type)});
  data.placements = engine::placeTensors(extents, guard, alignment);
  data.arenaUsed = engine::endOf(data.placements);
  return arena_->grow(data.arenaUsed);
}

/// A factor with the values of its blocks taken off or multiplied on.
template <typename Apply>
static void applyBlocks(const Slot &slot, const Slot &blocks,
                        const float *values, const float *perBlock,
                        std::vector<float> &out, Apply apply) {
  out.resize(slot.elements()); // may be where the values are
  forEachBlockRun(slot.dims, blocks.dims,
                  [&](int64_t at, int64_t block, int64_t n) {
                    for (int64_t i = at; i < at + n; ++i)
                      out[i] = apply(values[i], perBlock[block]);
                  });
}

int64_t Session::countZeros(const float *values, int64_t n) {
  std::atomic<int64_t> zeros{0};
  pool_.parallelFor(n, 1 << 16, [&](int64_t begin, int64_t end) {
    zeros += kernels::countZeros(values + begin, end - begin);
  });
  return zeros;
}

/// A tensor whose content is the problem's own: scales and zero points of one
/// value are told to engines in words.
static bool isGivable(const Lowered &c, size_t slot) {
  static constexpr const char *kArguments[] = {"src", "wei", "dst"};
  for (int i = 0; i < 3; ++i) {
    const ArgumentValue *entry = nullptr;
    if (c.scaleSlots[i] == static_cast<int>(slot))
      entry = c.attributes.scale(kArguments[i]);
    if (c.zeroPointSlots[i] == static_cast<int>(slot))
      entry = c.attributes.zeroPoint(kArguments[i]);
    if (entry && entry->mask.isSingle())
      return false;
  }
  return !c.slots[slot].isOutput || static_cast<int>(slot) == c.sumInput;
}

bool Session::readInputs(const Lowered &c, Data &data, Outcome &outcome) {
  const std::map<std::string, std::string> &inputs = c.problem->options->inputs;
  Timer timer(*this, "fill");
  std::vector<std::string> roles;
  for (size_t i = 0; i < c.slots.size(); ++i)
    if (isGivable(c, i))
      roles.push_back(c.slots[i].role);
  llvm::Error error = checkRoles(inputs, roles);
  data.given.assign(c.slots.size(), {});
  for (size_t i = 0; i < c.slots.size() && !error; ++i) {
    const Slot &slot = c.slots[i];
    auto found = inputs.find(slot.role);
    if (found == inputs.end() || !isGivable(c, i))
      continue;
    error = readGivenFloats(
                slot.role, found->second,
                {slot.type, tensor::Shape(slot.dims.begin(), slot.dims.end())})
                .moveInto(data.given[i]);
    data.anyNonFinite |= !error && llvm::any_of(data.given[i], [](float value) {
      return !std::isfinite(value);
    });
  }
  if (!error)
    return true;
  outcome.status = Status::InvalidArguments;
  outcome.reason = takeError(std::move(error)).message;
  return false;
}

void Session::fillSlotOf(const Lowered &c, Data &data, size_t slot) {
  float *values = data.values[slot];
  if (!data.given.empty() && !data.given[slot].empty())
    std::copy(data.given[slot].begin(), data.given[slot].end(), values);
  else
    fillSlot(c, data.plan, static_cast<int>(slot), values, pool_);
  thinOut(*c.problem, c.slots[slot], data.plan.seed, values);
}

void Session::fillData(const Lowered &c, Data &data) {
  Timer timer(*this, "fill");
  floats_.resize(std::max(floats_.size(), c.slots.size()));
  data.values.assign(c.slots.size(), nullptr);
  for (size_t i = 0; i < c.slots.size(); ++i) {
    const Slot &slot = c.slots[i];
    std::byte *to = data.at(*arena_, static_cast<int>(i));
    const Placement &place = data.placements[i];
    std::byte *region = arena_->data() + place.fileOffset;
    bool reads = !slot.isOutput || static_cast<int>(i) == c.sumInput;
    bool gaps = slot.isOutput || slot.spanElements() != slot.elements();
    if (gaps)
      engine::fillUnwritten(region, place.regionBytes, data.unwritten,
                            !slot.type.isInteger());
    if (!reads)
      continue;
    if (slot.type == types::F32 && slot.isDense() &&
        !slot.isOutput) { // the floats are the tensor
      data.values[i] = reinterpret_cast<float *>(to);
      fillSlotOf(c, data, i);
      continue;
    }
    floats_[i].resize(slot.elements());
    data.values[i] = floats_[i].data();
    fillSlotOf(c, data, i);
    Slot stored = slot; // as what a sum reads it
    if (const PostOp *sum = c.attributes.sum();
        static_cast<int>(i) == c.sumInput && sum->type != types::None)
      stored.type = sum->type;
    pack(stored, data.values[i], to, pool_);
  }
  takeFactors(c, data);
  data.zeros = data.plan.kind == FillKind::Exact
                   ? countZeros(data.a, c.contraction.aElements()) +
                         countZeros(data.b, c.contraction.bElements())
                   : 0;
}

void Session::takeFactors(const Lowered &c, Data &data) {
  const float **factors[] = {&data.a, &data.b};
  std::vector<float> *effective[] = {&data.effectiveA, &data.effectiveB};
  const int slots[] = {c.a, c.b};
  for (int i : {0, 1}) {
    const float *&factor = *factors[i];
    factor = data.values[slots[i]];
    auto apply = [&](int values, auto operation) {
      if (values < 0)
        return;
      applyBlocks(c.slots[slots[i]], c.slots[values], factor,
                  data.values[values], *effective[i], operation);
      factor = effective[i]->data();
    };
    apply(c.zeroPointSlots[i], [](float x, float zero) { return x - zero; });
    apply(c.blockScaleSlots[i], [](float x, float scale) { return x * scale; });
  }
}

Status Session::runEngine(const Lowered &c, Data &data, engine::Worker &tested,
                          Outcome &outcome) {
  Timer timer(*this, "execute");
  engine::RunRequest request{
      static_cast<uint32_t>(data.placements.size()), 0, 0, 0, 0, 0};
  request.unwritten = data.unwritten;
  WorkerResult result = tested.run(request, data.placements);
  outcome.reason = result.reason;
  notePrinted(result, *c.problem, outcome);
  // A result that does not fit is not wrong, now as when the kernel was made.
  if (result.kind != WorkerResult::Kind::Ok &&
      result.kind != WorkerResult::Kind::Crashed &&
      result.kind != WorkerResult::Kind::Timeout &&
      result.kind != WorkerResult::Kind::NoMemory)
    return Status::Failed; // once created, "unsupported" is a failure too
  if (result.kind != WorkerResult::Kind::Ok)
    outcome.after.push_back(std::string("  while running on ") +
                            nameOf(data.plan.kind) + " data");
  return statusOf(result.kind);
}

bool Session::checkFill(const Lowered &c, Data &data, Outcome &outcome) {
  Trusted expected;
  bool stochastic = c.attributes.isStochastic;
  makeExpected(c, data, expected, /*norms=*/!stochastic);
  bool good = stochastic ? judgeRandom(c, data, expected, outcome)
                         : judgeFill(c, data, expected, outcome);
  if (good && c.diffBias >= 0)
    good = checkBiasGradient(c, data, outcome);
  if (good)
    good = checkGaps(c, data, outcome);
  return good;
}
