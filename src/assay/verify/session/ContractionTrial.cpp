#include "assay/verify/session/ContractionTrial.h"
#include "assay/judge/contraction/FillKernels.h"
#include "assay/verify/GivenInputs.h"
#include "assay/verify/Requests.h"
#include "assay/verify/session/SumVerdict.h"

#include <algorithm>
#include <atomic>
#include <cmath>

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;
using engine::Placement;

/// How often exact data is drawn again when too few outputs can show a fault.
static constexpr int kMostDraws = 6;
/// The chance of missing a changed term at which drawing again no longer
/// helps.
static constexpr double kHopeless = 0.95;

ContractionTrial::ContractionTrial(Lowered lowered, Resources &resources)
    : Trial(*lowered.problem), c_(std::move(lowered)), resources_(resources),
      expected_(c_, resources) {}

/// Shared memory, floats beside narrower types, sums and their magnitudes.
double ContractionTrial::bytes() const {
  double bytes = 0;
  for (const Slot &slot : c_.slots)
    bytes += static_cast<double>(engine::roundToPages(slot.spanBytes()));
  return 3.0 * bytes + 16.0 * static_cast<double>(c_.slots[c_.out].elements());
}

llvm::Expected<engine::ProblemDescription>
ContractionTrial::describe(int threads) const {
  return verify::describe(c_, threads, problem.options->engine);
}

void ContractionTrial::take(const engine::WorkerResult &created, Outcome &) {
  alignment_ = created.alignment;
  kept_ = keptNumbers(created);
}

/// A single fill runs twice, so that both guards are tried.
std::vector<Round> ContractionTrial::plannedRounds() const {
  const RunOptions &run = *problem.options;
  if (!run.inputs.empty())
    return {{FillKind::Given, 0}, {FillKind::Given, 1}};
  bool isDefault = fillsByDefault(run);
  // A mode that allows narrower factors or sums also allows their narrower
  // range.
  bool isNarrowed = roundedFactors(problem) != types::None ||
                    allowedAccumulator(problem) > 0;
  std::vector<Round> rounds;
  for (FillKind kind : fillsOf(run))
    if (!isDefault || (!(isNarrowed && judge::asksDefinedOnly(kind)) &&
                       judge::showsMore(c_, kind, kept_)))
      rounds.push_back({kind, 0});
  if (rounds.size() == 1)
    rounds.push_back({rounds[0].kind, 1});
  return rounds;
}

std::optional<Round> ContractionTrial::round(size_t done) {
  if (done == 0)
    rounds_ = plannedRounds();
  if (done >= rounds_.size())
    return std::nullopt;
  return rounds_[done];
}

llvm::Error ContractionTrial::fill(const Round &round) {
  // Draws of one kind use seeds far from those of other problems.
  constexpr uint64_t kSeedStep = 7919;
  data_.plan =
      planFill(c_, round.kind,
               problem.options->seed +
                   kSeedStep * static_cast<uint64_t>(round.draw),
               kept_);
  data_.plan.nonFinite = anyNonFinite_;
  return llvm::Error::success();
}

std::vector<Placement> ContractionTrial::place(engine::Guard guard) {
  llvm::SmallVector<engine::Extent, 8> extents;
  for (const Slot &slot : c_.slots)
    extents.push_back({slot.spanBytes(), bytesOf(slot.type)});
  data_.places = engine::placeTensors(extents, guard, alignment_);
  data_.arenaUsed = engine::endOf(data_.places);
  return data_.places;
}

/// A factor with its blocks' values subtracted or multiplied in.
template <typename Apply>
static void applyBlocks(const Slot &slot, const Slot &blocks,
                        const float *values, const float *perBlock,
                        std::vector<float> &out, Apply apply) {
  out.resize(slot.elements()); // may be the memory of the values
  forEachBlockRun(slot.dims, blocks.dims,
                  [&](int64_t at, int64_t block, int64_t n) {
                    for (int64_t i = at; i < at + n; ++i)
                      out[i] = apply(values[i], perBlock[block]);
                  });
}

int64_t ContractionTrial::countZeros(const float *values, int64_t n) {
  std::atomic<int64_t> zeros{0};
  resources_.pool().parallelFor(n, 1 << 16, [&](int64_t begin, int64_t end) {
    zeros += kernels::countZeros(values + begin, end - begin);
  });
  return zeros;
}

/// Whether a tensor's content may be given by a file: scales and zero points of
/// one value are passed to engines in words.
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

llvm::Error ContractionTrial::readInputs() {
  const std::map<std::string, std::string> &inputs = problem.options->inputs;
  if (inputs.empty())
    return llvm::Error::success();
  Resources::Timer timer(resources_, "fill");
  std::vector<std::string> roles;
  for (size_t i = 0; i < c_.slots.size(); ++i)
    if (isGivable(c_, i))
      roles.push_back(c_.slots[i].role);
  llvm::Error error = checkRoles(inputs, roles);
  given_.assign(c_.slots.size(), {});
  for (size_t i = 0; i < c_.slots.size() && !error; ++i) {
    const Slot &slot = c_.slots[i];
    auto found = inputs.find(slot.role);
    if (found == inputs.end() || !isGivable(c_, i))
      continue;
    error = readGivenFloats(
                slot.role, found->second,
                {slot.type, tensor::Shape(slot.dims.begin(), slot.dims.end())})
                .moveInto(given_[i]);
    anyNonFinite_ |= !error && llvm::any_of(given_[i], [](float value) {
      return !std::isfinite(value);
    });
  }
  return error;
}

void ContractionTrial::drawSlot(size_t slot, float *values) {
  if (!given_.empty() && !given_[slot].empty())
    std::copy(given_[slot].begin(), given_[slot].end(), values);
  else
    fillSlot(c_, data_.plan, static_cast<int>(slot), values,
             resources_.pool());
  thinOut(problem, c_.slots[slot], data_.plan.seed, values);
}

void ContractionTrial::writeSlot(size_t i, engine::Unwritten unwritten) {
  const Slot &slot = c_.slots[i];
  const Placement &place = data_.places[i];
  bool reads = !slot.isOutput || static_cast<int>(i) == c_.sumInput;
  bool gaps = slot.isOutput || slot.spanElements() != slot.elements();
  if (gaps)
    engine::fillUnwritten(resources_.memory() + place.fileOffset,
                          place.regionBytes, unwritten,
                          isSpoiltAsFloat(slot.type));
  if (!reads)
    return;
  std::byte *to = resources_.at(data_.places[i]);
  if (slot.type == types::F32 && slot.isDense() &&
      !slot.isOutput) { // the floats are the tensor
    data_.values[i] = reinterpret_cast<float *>(to);
    return drawSlot(i, data_.values[i]);
  }
  data_.values[i] = resources_.floats(i, slot.elements());
  drawSlot(i, data_.values[i]);
  Slot stored = slot; // the type as which a sum reads it
  if (const PostOp *sum = c_.attributes.sum();
      static_cast<int>(i) == c_.sumInput && sum->type != types::None)
    stored.type = sum->type;
  pack(stored, data_.values[i], to, resources_.pool());
}

void ContractionTrial::write(engine::Unwritten unwritten) {
  data_.values.assign(c_.slots.size(), nullptr);
  for (size_t i = 0; i < c_.slots.size(); ++i)
    writeSlot(i, unwritten);
  takeFactors();
  data_.zeros = data_.plan.kind == FillKind::Exact
                    ? countZeros(data_.a, c_.contraction.aElements()) +
                          countZeros(data_.b, c_.contraction.bElements())
                    : 0;
}

void ContractionTrial::takeFactors() {
  const float **factors[] = {&data_.a, &data_.b};
  std::vector<float> *effective[] = {&data_.effectiveA, &data_.effectiveB};
  const int slots[] = {c_.a, c_.b};
  for (int i : {0, 1}) {
    const float *&factor = *factors[i];
    factor = data_.values[slots[i]];
    auto apply = [&](int values, auto operation) {
      if (values < 0)
        return;
      applyBlocks(c_.slots[slots[i]], c_.slots[values], factor,
                  data_.values[values], *effective[i], operation);
      factor = effective[i]->data();
    };
    apply(c_.zeroPointSlots[i], [](float x, float zero) { return x - zero; });
    apply(c_.blockScaleSlots[i], [](float x, float scale) { return x * scale; });
  }
}

/// Draws exact data of low power again, a few times.
Status ContractionTrial::judge(const Round &round, Outcome &outcome) {
  Status status =
      judgeSums({c_, data_, expected_, resources_, missed_}, outcome);
  if (status != Status::Mistrusted || missed_ >= kHopeless ||
      round.draw >= kMostDraws)
    return status;
  outcome.reason.clear();
  auto here = llvm::find(rounds_, round);
  for (auto later = here + 1; later < rounds_.end(); ++later)
    later->draw += later->kind == round.kind;
  rounds_.insert(here + 1, {round.kind, round.draw + 1});
  return Status::Passed;
}

std::vector<ResultMemory> ContractionTrial::results() const {
  std::vector<ResultMemory> results;
  for (size_t i = c_.inputCount(); i < c_.slots.size(); ++i) {
    const Slot &slot = c_.slots[i];
    results.push_back({slot.role, slot.type, slot.dims, slot.strides,
                       slot.spanBytes(), &data_.places[i]});
  }
  return results;
}

void ContractionTrial::close(Outcome &outcome) {
  llvm::append_range(outcome.trouble, expected_.trouble());
}

TimedProblem
ContractionTrial::timed(std::vector<Placement> &places) const {
  TimedProblem timed;
  timed.inputs =
      llvm::count_if(c_.slots, [](const Slot &slot) { return !slot.isOutput; });
  for (size_t i = 0; i < c_.slots.size(); ++i) {
    const Slot &slot = c_.slots[i];
    auto bytes = static_cast<double>(slot.bytes());
    (slot.isOutput ? timed.outputBytes : timed.inputBytes) += bytes;
    if (static_cast<int>(i) == c_.sumInput && slot.isOutput)
      timed.inputBytes += bytes; // a tensor that a sum adds to is read, too
    // The bytes between the elements of a strided input must stay as they are.
    if (c_.sumInput < 0 && (slot.isOutput || slot.isDense()))
      places[i].freshBytes = slot.spanBytes();
    if (slot.role == "wei" || slot.role == "diff_wei")
      timed.coldTensor = static_cast<uint32_t>(i) + 1;
  }
  timed.isJudged = c_.sumInput < 0;
  timed.factors = {c_.slots[c_.a].type, c_.slots[c_.b].type};
  return timed;
}

bool ContractionTrial::judgeTimed(Outcome &outcome) {
  for (size_t i = 0; i < c_.slots.size(); ++i) {
    const Slot &slot = c_.slots[i];
    std::byte *at = resources_.at(data_.places[i]);
    if (!slot.isOutput && data_.values[i] != reinterpret_cast<float *>(at))
      unpack(slot, at, data_.values[i], resources_.pool());
  }
  takeFactors();
  return judgeSums({c_, data_, expected_, resources_, missed_}, outcome) !=
         Status::Failed;
}
