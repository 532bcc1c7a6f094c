// A merged dump shows the module at fault; the ranks' own records show the
// rank. The faulty rank's inputs may differ from the merged ones (a replica
// that another rank computed correctly), so replicas that differ are examined
// before the suspects that they cause.
#include "assay/trace/ranks/RankBlame.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/trace/ModulePrograms.h"
#include "assay/trace/Values.h"
#include "assay/trace/ranks/RankNames.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <map>

namespace assay::trace {

using formats::Hdf5Dataset;
using formats::Hdf5Reader;
using tensor::Tensor;

namespace {
/// The result of one comparison of a tensor's ranks.
struct Verdict {
  bool judged = false; ///< every rank's own replay decided
  std::optional<int64_t> rank;
  std::string reason;
};

class Blamer {
public:
  explicit Blamer(const MergedRun &run);
  RankFirstWrong run(FirstWrong found);

private:
  const SharedName *shared(int64_t step, llvm::StringRef name) const;
  Verdict byReplay(const SharedName &name) const;
  Verdict byReplicas(const SharedName &name) const;
  Verdict byParts(const SharedName &name) const;
  bool isSameOnAll(const SharedName &name) const;
  LeafCall callOf(const Hdf5Reader &file, const DumpName &output) const;
  Tensor read(const Hdf5Reader &file, const Hdf5Dataset *dataset) const;
  Tensor benchOf(const DumpName &name) const;
  std::optional<Suspect> diverged(const Divergence &found,
                                  std::optional<int64_t> &rank) const;
  int64_t rowOf(const DumpName &name) const;
  void askForLayout(FirstWrong &found) const;

  const MergedRun &run_;
  std::vector<SharedName> names_;
  llvm::StringMap<size_t> byName_;
  llvm::StringMap<int64_t> rows_;
};
} // namespace

Blamer::Blamer(const MergedRun &run) : run_(run) {
  int64_t operators = 0;
  names_ = shareNames(run.ranks, run.options.layout, operators);
  for (size_t i = 0; i < names_.size(); ++i)
    byName_[names_[i].name.dataset()] = i;
  for (size_t i = 0; i < run.comparison.rows.size(); ++i)
    if (int64_t at = run.comparison.rows[i].pair.target; at >= 0)
      rows_[run.comparison.target[static_cast<size_t>(at)].name.dataset()] =
          static_cast<int64_t>(i);
}

const SharedName *Blamer::shared(int64_t step, llvm::StringRef name) const {
  auto found = byName_.find("/" + std::to_string(step) + "/" + name.str());
  return found == byName_.end() ? nullptr : &names_[found->second];
}

int64_t Blamer::rowOf(const DumpName &name) const {
  auto found = rows_.find(name.dataset());
  return found == rows_.end() ? -1 : found->second;
}

Tensor Blamer::read(const Hdf5Reader &file, const Hdf5Dataset *dataset) const {
  if (!dataset || !dataset->unsupported.empty())
    return {};
  llvm::Expected<Tensor> tensor = file.readTensor(*dataset);
  if (tensor)
    return *tensor;
  llvm::consumeError(tensor.takeError());
  return {};
}

/// The bench's counterpart of a merged tensor.
Tensor Blamer::benchOf(const DumpName &name) const {
  int64_t row = rowOf(name);
  if (row < 0)
    return {};
  int64_t at = run_.comparison.rows[static_cast<size_t>(row)].pair.bench;
  return at < 0 ? Tensor()
                : read(run_.bench,
                       &run_.bench.datasets()[static_cast<size_t>(at)]);
}

/// The call that an output belongs to, as one file records it. Parameters are
/// recorded with the first call only.
LeafCall Blamer::callOf(const Hdf5Reader &file, const DumpName &output) const {
  LeafCall call;
  call.className = output.className;
  for (const Hdf5Dataset &dataset : file.datasets()) {
    DumpName name = parseDumpName(dataset.path);
    if (name.step != output.step || name.module != output.module)
      continue;
    if (name.kind == TensorKind::ForwardParams) {
      if (name.item == "weight" || name.item == "bias")
        (name.item == "bias" ? call.bias : call.weight) = read(file, &dataset);
      continue;
    }
    if (name.callText() != output.callText())
      continue;
    if (name.kind == TensorKind::ForwardInput && !call.input.valid())
      call.input = read(file, &dataset);
    else if (name.text() == output.text())
      call.output = read(file, &dataset);
  }
  return call;
}

/// Replays each rank's call on its own inputs: which rank is wrong?
Verdict Blamer::byReplay(const SharedName &name) const {
  Verdict verdict;
  if (name.name.kind != TensorKind::ForwardOutput)
    return verdict;
  std::vector<LeafCall> calls;
  for (const SharedName::Source &source : name.sources)
    calls.push_back(callOf(*run_.ranks[source.rank].file,
                           parseDumpName(source.dataset->path)));
  LeafCall bench;
  if (int64_t row = rowOf(name.name); row >= 0)
    if (int64_t at = run_.comparison.rows[static_cast<size_t>(row)].pair.bench;
        at >= 0)
      bench = callOf(
          run_.bench,
          parseDumpName(run_.bench.datasets()[static_cast<size_t>(at)].path));
  LeafVerdicts found = judgeLeaves(calls, bench);
  verdict.judged = llvm::all_of(
      found.ranks, [](const auto &deviation) { return deviation.has_value(); });
  int64_t most = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (!found.isWrong(i) || found.ranks[i]->verdict.failures <= most)
      continue;
    const judge::Verdict &wrong = found.ranks[i]->verdict;
    most = wrong.failures;
    verdict.rank = run_.ranks[name.sources[i].rank].rank;
    verdict.reason =
        llvm::formatv("on rank {0}, {1} of {2} outputs are not what its own "
                      "inputs give: {3}",
                      *verdict.rank, wrong.failures, wrong.elements,
                      judge::describePattern(calls[i].output.shape(),
                                             wrong.failing, wrong.failures))
            .str();
  }
  return verdict;
}

/// Compares replicas: which is further from the bench than the others?
Verdict Blamer::byReplicas(const SharedName &name) const {
  Verdict verdict;
  Tensor bench = benchOf(name.name);
  if (!bench.valid())
    return verdict;
  double nearest = HUGE_VAL, furthest = -1;
  for (const SharedName::Source &source : name.sources) {
    Tensor mine = read(*run_.ranks[source.rank].file, source.dataset);
    double error = mine.valid() ? relativeDistance(mine, bench) : HUGE_VAL;
    nearest = std::min(nearest, error);
    if (error <= furthest)
      continue;
    furthest = error;
    verdict.rank = run_.ranks[source.rank].rank;
  }
  numerics::ElementType type = bench.elementType().part();
  double rounding =
      type.isFloat() ? 16 * numerics::unitRoundoff(type.format) : 0;
  verdict.judged = true;
  if (!(furthest > 2 * nearest + rounding))
    verdict.rank.reset();
  else
    verdict.reason =
        llvm::formatv("rank {0} is {1} away from the bench, where "
                      "another rank's is {2} (relative L2)",
                      *verdict.rank, figure(furthest), figure(nearest))
            .str();
  return verdict;
}

bool Blamer::isSameOnAll(const SharedName &name) const {
  Tensor first =
      read(*run_.ranks[name.sources[0].rank].file, name.sources[0].dataset);
  return first.valid() &&
         llvm::all_of(llvm::ArrayRef(name.sources).drop_front(),
                      [&](const SharedName::Source &source) {
                        Tensor other =
                            read(*run_.ranks[source.rank].file, source.dataset);
                        return other.valid() && sameBytes(other, first);
                      });
}

/// Compares parts: does one rank hold nearly all of the error? The owners of
/// the elements are found by putting together tensors that hold their rank.
Verdict Blamer::byParts(const SharedName &name) const {
  Verdict verdict;
  if (name.sources.size() == 1) {
    verdict.rank = run_.ranks[name.sources[0].rank].rank;
    return verdict;
  }
  if (isSameOnAll(name)) { // an all-reduce may have spread it
    verdict.reason = llvm::formatv("it is the same on all {0} ranks that have "
                                   "it: whose part was wrong cannot be determined",
                                   name.sources.size())
                         .str();
    return verdict;
  }
  Tensor bench = benchOf(name.name),
         mine = read(run_.merged, run_.merged.find(name.name.dataset()));
  std::optional<Tensor> owner = ownersOf(run_.ranks, name, run_.options);
  if (!bench.valid() || !mine.valid() || !owner ||
      owner->size() != mine.size() || bench.size() != mine.size())
    return verdict;
  auto count = static_cast<size_t>(mine.size());
  std::vector<double> x = doublesOf(mine), y = doublesOf(bench);
  std::map<int32_t, double> errors;
  double all = 0;
  for (size_t i = 0; i < count; ++i) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i])))
      continue;
    double square = (x[i] - y[i]) * (x[i] - y[i]);
    square = std::isfinite(square) ? square : 1e300;
    errors[owner->data<int32_t>()[i]] += square;
    all += square;
  }
  constexpr double kNearlyAll = 0.9;
  for (const auto &[rank, error] : errors)
    if (error > kNearlyAll * all)
      verdict.rank = rank;
  return verdict;
}

/// Replicas that differ, as a suspect; nullopt: they differ by rounding only.
std::optional<Suspect> Blamer::diverged(const Divergence &found,
                                        std::optional<int64_t> &rank) const {
  const SharedName *name = shared(found.step, found.tensor);
  if (!name)
    return std::nullopt;
  Verdict verdict = byReplay(*name);
  if (!verdict.judged && !verdict.rank)
    verdict = byReplicas(*name);
  if (!verdict.rank)
    return std::nullopt;
  Suspect suspect;
  suspect.module =
      name->name.module.empty() ? name->name.className : name->name.module;
  suspect.className = name->name.className;
  suspect.evidence = Evidence::Replicas;
  suspect.reason = verdict.reason;
  suspect.tensor = found.tensor;
  suspect.row = rowOf(name->name);
  suspect.step = found.step;
  rank = verdict.rank;
  return suspect;
}

RankFirstWrong Blamer::run(FirstWrong found) {
  RankFirstWrong result;
  std::optional<Suspect> replicas;
  std::optional<int64_t> rankOfReplicas;
  for (const Divergence &divergence : run_.merge.diverging) {
    replicas = diverged(divergence, rankOfReplicas);
    if (replicas)
      break;
  }
  std::vector<Suspect> kept;
  std::optional<int64_t> rankOfFirst;
  for (Suspect &suspect : found.suspects) {
    const SharedName *name = shared(suspect.step, suspect.tensor);
    Verdict verdict = name ? byReplay(*name) : Verdict();
    if (verdict.judged && !verdict.rank &&
        suspect.evidence == Evidence::Replay &&
        (!replicas || suspect.row < replicas->row))
      continue; // the parts' own roundings, added
    if (kept.empty()) {
      if (!verdict.rank && name)
        verdict = byParts(*name);
      rankOfFirst = verdict.rank;
      if (!verdict.reason.empty())
        suspect.reason += "; " + verdict.reason;
    }
    kept.push_back(std::move(suspect));
  }
  found.suspects = std::move(kept);
  result.rank = rankOfFirst;
  bool replicasFirst =
      replicas && (found.suspects.empty() ||
                   found.suspects[0].evidence == Evidence::Growth ||
                   replicas->row <= found.suspects[0].row);
  if (replicasFirst) {
    std::erase_if(found.suspects, [&](const Suspect &suspect) {
      return suspect.module == replicas->module;
    });
    found.suspects.insert(found.suspects.begin(), std::move(*replicas));
    result.rank = rankOfReplicas;
  }
  if (run_.merge.parts > 0)
    askForLayout(found);
  result.firstWrong = std::move(found);
  if (result.firstWrong.suspects.empty())
    result.rank.reset();
  return result;
}

/// Asks for a layout: whole tensors whose parts were left out cannot be judged,
/// only the model's inputs, and replicas against each other.
void Blamer::askForLayout(FirstWrong &found) const {
  std::erase_if(found.suspects, [](const Suspect &suspect) {
    DumpName name = parseDumpName("/1/" + suspect.tensor);
    bool ofModel = suspect.evidence == Evidence::Input && name.module.empty() &&
                   name.kind == TensorKind::ForwardInput;
    return suspect.evidence != Evidence::Replicas && !ofModel &&
           suspect.evidence != Evidence::Parameters;
  });
  found.unexplained += run_.merge.parts;
  found.firstUnexplained = run_.merge.firstPart.first;
  found.notJudged = run_.merge.firstPart.second;
  found.howToJudge = "give --layout FILE, which says how the ranks' tensors belong "
                     "together (assay merge --help)";
}

RankFirstWrong blameRanks(const MergedRun &run, FirstWrong found) {
  return Blamer(run).run(std::move(found));
}

} // namespace assay::trace
