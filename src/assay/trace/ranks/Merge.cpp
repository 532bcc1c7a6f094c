// Merges name by name (RankNames.h): the parts of a tensor are read, placed,
// put together (Assemble.h) and written.
#include "assay/trace/ranks/Merge.h"
#include "assay/trace/Ranks.h"
#include "assay/trace/UnfinishedDump.h"
#include "assay/trace/Values.h"
#include "assay/trace/ranks/RankNames.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <map>

namespace assay::trace {

using formats::Hdf5Dataset;
using formats::Hdf5Reader;
using tensor::Tensor;

llvm::Expected<std::vector<RankDump>> openRanks(llvm::StringRef folder) {
  llvm::Expected<std::map<int64_t, std::string>> dumps = dumpsOf(folder);
  if (!dumps)
    return dumps.takeError();
  std::vector<RankDump> ranks;
  for (const auto &[rank, path] : *dumps) {
    llvm::Expected<std::unique_ptr<Hdf5Reader>> file = Hdf5Reader::open(path);
    if (!file)
      return file.takeError();
    ranks.push_back({rank, std::move(*file)});
  }
  return ranks;
}

static llvm::StringRef recorded(const Hdf5Dataset &dataset) {
  for (const auto &[name, text] : dataset.attributes)
    if (name == "placement")
      return text;
  return "";
}

bool recordsPlacement(llvm::ArrayRef<RankDump> ranks) {
  return llvm::any_of(ranks, [](const RankDump &rank) {
    return llvm::any_of(rank.file->datasets(), [](const Hdf5Dataset &dataset) {
      return !recorded(dataset).empty();
    });
  });
}

namespace {
class Merger {
public:
  Merger(llvm::ArrayRef<RankDump> ranks, const MergeOptions &options,
         MergeResult &result)
      : ranks_(ranks), options_(options), result_(result) {}
  /// Nullopt: the tensor was left out.
  llvm::Expected<std::optional<Tensor>> wholeOf(const SharedName &shared);
  std::optional<Tensor> ownersOf(const SharedName &shared);

private:
  llvm::Expected<bool> place(const SharedName &shared,
                             std::vector<RankPart> &parts);
  bool placeByWhole(const SharedName &shared, std::vector<RankPart> &parts);
  llvm::Expected<bool> placeWhole(const SharedName &shared,
                                  std::vector<RankPart> &parts);
  void leaveOut(const SharedName &shared, std::string why) {
    result_.leftOut.push_back({shared.name.text(), std::move(why)});
  }

  llvm::ArrayRef<RankDump> ranks_;
  const MergeOptions &options_;
  MergeResult &result_;
};
} // namespace

static bool allEqual(const SharedName &shared, llvm::ArrayRef<RankPart> parts) {
  const Hdf5Dataset &first = *shared.sources[0].dataset;
  for (size_t i = 1; i < parts.size(); ++i) {
    const Hdf5Dataset &other = *shared.sources[i].dataset;
    bool hashed = !first.hash.empty() && !other.hash.empty();
    if (!(first.type == other.type) ||
        (hashed ? first.hash != other.hash
                : !sameBytes(parts[0].tensor, parts[i].tensor)))
      return false;
  }
  return true;
}

/// Places the parts by the sizes of the whole tensor, if only one dimension
/// explains them.
bool Merger::placeByWhole(const SharedName &shared,
                          std::vector<RankPart> &parts) {
  const Hdf5Dataset *whole =
      options_.like ? options_.like->find(shared.name.dataset()) : nullptr;
  if (!whole)
    return false;
  int64_t cut = -1;
  for (size_t dim = 0; dim < whole->type.shape.size(); ++dim) {
    int64_t sum = 0;
    bool others = true;
    for (const RankPart &part : parts) {
      tensor::Shape shape(part.tensor.shape());
      others &= shape.size() == whole->type.shape.size();
      if (!others)
        break;
      sum += shape[dim];
      shape[dim] = whole->type.shape[dim];
      others &= shape == whole->type.shape;
    }
    if (!others || sum != whole->type.shape[dim])
      continue;
    if (cut >= 0)
      return false;
    cut = static_cast<int64_t>(dim);
  }
  if (cut < 0)
    return false;
  Placement placement;
  placement.kind = Placement::Kind::Shard;
  placement.dim = cut;
  auto n = static_cast<int64_t>(parts.size());
  for (int64_t i = 0; i < n; ++i)
    parts[static_cast<size_t>(i)].places = {{"ranks", i, n, placement}};
  ++result_.guessed;
  return true;
}

/// Places parts that have the shape of the whole: they are replicas, or the
/// summands of a sum that was not computed yet. In that case their sum is
/// nearer to the whole than each of them.
llvm::Expected<bool> Merger::placeWhole(const SharedName &shared,
                                        std::vector<RankPart> &parts) {
  const Hdf5Dataset *dataset =
      options_.like ? options_.like->find(shared.name.dataset()) : nullptr;
  if (!dataset || !dataset->type.element.isFloat() ||
      llvm::any_of(parts, [&](const RankPart &part) {
        return !(part.tensor.type() == dataset->type);
      }))
    return false;
  llvm::Expected<Tensor> whole = options_.like->readTensor(*dataset);
  if (!whole)
    return whole.takeError();
  std::vector<Tensor> summands;
  double nearest = HUGE_VAL;
  for (const RankPart &part : parts) {
    summands.push_back(part.tensor);
    nearest = std::min(nearest, relativeDistance(part.tensor, *whole));
  }
  Placement placement;
  placement.kind = Placement::Kind::Sum;
  llvm::Expected<Tensor> sum = joinParts(summands, placement);
  if (!sum)
    return sum.takeError();
  constexpr double kNear = 0.1;
  if (!(relativeDistance(*sum, *whole) < kNear * nearest)) {
    if (!(nearest < kNear))
      return false; // no part is near it: they may be other summands
    placement.kind = Placement::Kind::Replicate;
  }
  auto n = static_cast<int64_t>(parts.size());
  for (int64_t i = 0; i < n; ++i)
    parts[static_cast<size_t>(i)].places = {{"ranks", i, n, placement}};
  return true;
}

/// Whether two shapes are equal except for a factor of at most `ranks` along one
/// dimension.
static bool isPart(const tensor::Shape &part, const tensor::Shape &whole,
                   size_t ranks) {
  if (part.size() != whole.size())
    return false;
  int64_t cut = 0;
  for (auto [mine, all] : llvm::zip(part, whole)) {
    if (mine == all)
      continue;
    if (mine <= 0 || mine > all || all % mine != 0 ||
        all / mine > static_cast<int64_t>(ranks) || ++cut > 1)
      return false;
  }
  return cut == 1;
}

/// Why a tensor is a part of the whole one; empty: it is not.
static std::string partOf(const SharedName &shared, const Hdf5Reader *whole,
                          size_t ranks) {
  const Hdf5Dataset *dataset =
      whole ? whole->find(shared.name.dataset()) : nullptr;
  const tensor::TensorType &part = shared.sources[0].dataset->type;
  return dataset && isPart(part.shape, dataset->type.shape, ranks)
             ? "it is " + toString(part) + ", a part of the bench's " +
                   toString(dataset->type)
             : "";
}

bool haveParts(llvm::ArrayRef<RankDump> ranks, const Hdf5Reader &whole) {
  int64_t operators = 0;
  return llvm::any_of(shareNames(ranks, nullptr, operators),
                      [&](const SharedName &shared) {
                        return !partOf(shared, &whole, ranks.size()).empty();
                      });
}

/// Sets the places of each part; false: nothing is known about them.
llvm::Expected<bool> Merger::place(const SharedName &shared,
                                   std::vector<RankPart> &parts) {
  size_t placed = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    std::optional<Places> places;
    if (options_.layout)
      places = options_.layout->placesOf(shared.name.text(), parts[i].rank);
    llvm::StringRef text = recorded(*shared.sources[i].dataset);
    if (!places && !text.empty()) {
      llvm::Expected<Places> parsed = parsePlaces(text);
      if (!parsed)
        return addContext(parsed.takeError(), "'" + shared.name.text() + "'");
      places = std::move(*parsed);
    }
    if (!places)
      continue;
    parts[i].places = std::move(*places);
    ++placed;
  }
  if (placed > 0 && placed < parts.size())
    return makeError(ErrorCode::Unsupported,
                     "its placement is known on some ranks only");
  return placed > 0;
}

llvm::Expected<std::optional<Tensor>>
Merger::wholeOf(const SharedName &shared) {
  std::vector<RankPart> parts;
  for (const SharedName::Source &source : shared.sources) {
    llvm::Expected<Tensor> tensor =
        ranks_[source.rank].file->readTensor(*source.dataset);
    if (!tensor)
      return addContext(tensor.takeError(), "'" + source.dataset->path + "'");
    parts.push_back({ranks_[source.rank].rank, std::move(*tensor), {}});
  }
  llvm::Expected<bool> placed = place(shared, parts);
  if (placed && !*placed) {
    std::string part = partOf(shared, options_.like, ranks_.size());
    if (!part.empty() && options_.asksForLayout) {
      if (result_.parts++ == 0)
        result_.firstPart = {shared.name.text(), part};
      leaveOut(shared, std::move(part));
      return std::nullopt;
    }
    if (part.empty() && (parts.size() == 1 || allEqual(shared, parts))) {
      ++(parts.size() == 1 ? result_.single : result_.replicated);
      return parts[0].tensor;
    }
    placed = parts.size() > 1 && placeByWhole(shared, parts);
    if (!*placed)
      placed = placeWhole(shared, parts);
  }
  if (placed && !*placed) {
    std::string why = "it differs between ranks, and no placement is known";
    if (options_.asksForLayout && result_.parts++ == 0)
      result_.firstPart = {shared.name.text(), why};
    leaveOut(shared, std::move(why));
    return std::nullopt;
  }
  bool cut = placed && llvm::any_of(parts[0].places, [](const Place &place) {
               return place.size > 1 &&
                      place.placement.kind != Placement::Kind::Replicate;
             });
  size_t diverging = result_.diverging.size();
  size_t count = parts.size();
  llvm::Expected<Tensor> whole =
      placed ? assemble(std::move(parts), result_.diverging)
             : llvm::Expected<Tensor>(placed.takeError());
  for (Divergence &found :
       llvm::MutableArrayRef(result_.diverging).drop_front(diverging)) {
    found.tensor = shared.name.text();
    found.step = shared.name.step;
  }
  if (!whole) {
    ErrorText why = takeError(whole.takeError());
    if (why.code != ErrorCode::Unsupported)
      return makeError(why.code, "{0}", why.message);
    leaveOut(shared, why.message);
    return std::nullopt;
  }
  ++(cut ? result_.joined : count > 1 ? result_.replicated : result_.single);
  return *whole;
}

static llvm::Expected<Tensor> filled(llvm::ArrayRef<int64_t> shape,
                                     int32_t value) {
  llvm::Expected<Tensor> tensor = Tensor::allocate(
      {numerics::ElementType::integer(32), tensor::Shape(shape)});
  if (tensor)
    std::fill_n(tensor->mutableData<int32_t>(), tensor->size(), value);
  return tensor;
}

std::optional<Tensor> Merger::ownersOf(const SharedName &shared) {
  std::vector<RankPart> parts;
  for (const SharedName::Source &source : shared.sources) {
    int64_t rank = ranks_[source.rank].rank;
    llvm::Expected<Tensor> tensor =
        filled(source.dataset->type.shape, static_cast<int32_t>(rank));
    if (!tensor) {
      llvm::consumeError(tensor.takeError());
      return std::nullopt;
    }
    parts.push_back({rank, std::move(*tensor), {}});
  }
  llvm::Expected<bool> placed = place(shared, parts);
  if (placed && !*placed)
    placed = placeByWhole(shared, parts);
  if (placed && !*placed)
    return std::nullopt;
  using Kind = Placement::Kind;
  for (RankPart &part : parts) // of summands, the first counts
    for (Place &place : part.places) {
      place.placement.scaled = false;
      Kind &kind = place.placement.kind;
      if (kind != Kind::Shard && kind != Kind::Last)
        kind = Kind::Replicate;
    }
  std::vector<Divergence> differ;
  llvm::Expected<Tensor> whole =
      placed ? assemble(std::move(parts), differ)
             : llvm::Expected<Tensor>(placed.takeError());
  if (whole)
    return *whole;
  llvm::consumeError(whole.takeError());
  return std::nullopt;
}

std::optional<Tensor> ownersOf(llvm::ArrayRef<RankDump> ranks,
                               const SharedName &name,
                               const MergeOptions &options) {
  MergeResult ignored;
  return Merger(ranks, options, ignored).ownersOf(name);
}

llvm::Expected<MergeResult> mergeRanks(llvm::ArrayRef<RankDump> ranks,
                                       llvm::StringRef path,
                                       const MergeOptions &options) {
  auto count = static_cast<int64_t>(ranks.size());
  if (options.layout &&
      (options.layout->processes() != count || ranks.back().rank >= count))
    return makeError(ErrorCode::InvalidArgument,
                     "the layout is of {0} processes, and {1} dumps are there, "
                     "the last of rank {2}",
                     options.layout->processes(), count, ranks.back().rank);
  MergeResult result;
  result.path = path.str();
  result.ranks = count;
  DumpOptions about;
  about.attributes = {
      {"merged_from",
       llvm::sys::path::parent_path(ranks[0].file->path()).str()},
      {"ranks", std::to_string(count)}};
  about.summary = false; // `assay summary` makes it
  llvm::Expected<UnfinishedDump> dump =
      UnfinishedDump::create(result.path, std::move(about));
  if (!dump)
    return dump.takeError();
  Merger merger(ranks, options, result);
  for (const SharedName &shared :
       shareNames(ranks, options.layout, result.operators)) {
    if (llvm::Error error = options.interrupt.check())
      return error;
    llvm::Expected<std::optional<Tensor>> whole = merger.wholeOf(shared);
    if (!whole)
      return whole.takeError();
    if (!*whole)
      continue;
    if (llvm::Error error =
            dump->writer().add(shared.name.dataset(), std::move(**whole)))
      return error;
    ++result.tensors;
  }
  if (llvm::Error error = dump->finish())
    return error;
  return result;
}

//===--- The report ------------------------------------------------------===//

static std::string describe(const Divergence &found) {
  std::string text = "'" + found.tensor + "' of rank " +
                     std::to_string(found.rank) + " is not that of rank " +
                     std::to_string(found.ranks.front());
  if (found.elements == 0)
    return text + ": another shape or type";
  return text + ": " + std::to_string(found.differing) + " of " +
         std::to_string(found.elements) + " elements, by up to " +
         figure(found.largest);
}

void printMerge(const MergeResult &result, llvm::raw_ostream &os) {
  constexpr size_t kShown = 3;
  os << result.ranks << " ranks: " << result.tensors << " tensors, "
     << result.replicated << " the same on several ranks, " << result.joined
     << " put together from parts, " << result.single << " of one rank\n";
  if (result.guessed > 0)
    os << "  " << result.guessed
       << " without a placement were put together by the sizes of the whole\n";
  if (result.operators > 0)
    os << "  " << result.operators
       << " tensors of operator calls stay with their ranks\n";
  if (!result.diverging.empty())
    os << "  " << result.diverging.size()
       << " should be the same on every rank but are not:\n";
  for (const Divergence &found :
       llvm::ArrayRef(result.diverging).take_front(kShown))
    os << "    " << describe(found) << "\n";
  if (!result.leftOut.empty())
    os << "  " << result.leftOut.size()
       << " were left out; --layout FILE says how they belong together:\n";
  for (const auto &[name, why] :
       llvm::ArrayRef(result.leftOut).take_front(kShown))
    os << "    '" << name << "': " << why << "\n";
}

llvm::json::Object mergeJson(const MergeResult &result) {
  llvm::json::Array diverging, leftOut;
  for (const Divergence &found : result.diverging)
    diverging.push_back(llvm::json::Object{
        {"tensor", llvm::json::fixUTF8(found.tensor)},
        {"step", found.step},
        {"ranks", llvm::json::Array(found.ranks)},
        {"rank", found.rank},
        {"differing", found.differing},
        {"elements", found.elements},
        {"largest", std::isfinite(found.largest) ? found.largest : -1}});
  for (const auto &[name, why] : result.leftOut)
    leftOut.push_back(llvm::json::Object{{"tensor", llvm::json::fixUTF8(name)},
                                         {"why", why}});
  return llvm::json::Object{{"ranks", result.ranks},
                            {"tensors", result.tensors},
                            {"replicated", result.replicated},
                            {"joined", result.joined},
                            {"single", result.single},
                            {"by_sizes", result.guessed},
                            {"operators", result.operators},
                            {"parts", result.parts},
                            {"diverging", std::move(diverging)},
                            {"left_out", std::move(leftOut)}};
}

} // namespace assay::trace
