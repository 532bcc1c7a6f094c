// Parts of a tensor are joined axis by axis: after an axis is done, its
// processes have become one, and the next axis joins the remaining parts.
#include "assay/trace/ranks/Assemble.h"
#include "assay/numerics/Convert.h"
#include "assay/trace/Values.h"

#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

namespace assay::trace {

using numerics::ElementType;
using tensor::Tensor;
using Kind = Placement::Kind;

static llvm::Error unsupported(const llvm::Twine &why) {
  return makeError(ErrorCode::Unsupported, "{0}", why.str());
}

//===--- Along one axis --------------------------------------------------===//

namespace {
/// Some indices of a part along the cut dimension.
struct Piece {
  size_t part;
  int64_t begin, count;
};
} // namespace

/// The pieces of the parts in the order of the whole.
static llvm::Expected<std::vector<Piece>>
piecesOf(llvm::ArrayRef<int64_t> sizes, const Placement &placement) {
  std::vector<Piece> pieces;
  size_t n = sizes.size();
  if (placement.zigzag) {
    for (size_t c = 0; c < n; ++c) // 0, 1, … n-1, then n-1, …, 0
      pieces.push_back({c, 0, (sizes[c] + 1) / 2});
    for (size_t c = n; c-- > 0;)
      pieces.push_back({c, (sizes[c] + 1) / 2, sizes[c] / 2});
    return pieces;
  }
  std::vector<int64_t> blocks =
      placement.blocks.empty() ? std::vector<int64_t>{1} : placement.blocks;
  int64_t whole = std::accumulate(blocks.begin(), blocks.end(), int64_t{0});
  int64_t before = 0;
  for (int64_t block : blocks) {
    for (size_t c = 0; c < n; ++c) {
      if (sizes[c] % whole != 0)
        return unsupported("its size " + llvm::Twine(sizes[c]) +
                           " does not divide into the blocks");
      pieces.push_back(
          {c, sizes[c] / whole * before, sizes[c] / whole * block});
    }
    before += block;
  }
  return pieces;
}

static llvm::Expected<Tensor> joinShards(llvm::ArrayRef<Tensor> parts,
                                         const Placement &placement) {
  int64_t rank = parts[0].rank();
  int64_t dim = placement.dim < 0 ? placement.dim + rank : placement.dim;
  if (dim < 0 || dim >= rank)
    return unsupported("it has " + llvm::Twine(rank) +
                       " dimensions and is cut along dimension " +
                       llvm::Twine(placement.dim));
  auto cut = static_cast<size_t>(dim);
  tensor::TensorType type = parts[0].type();
  std::vector<int64_t> sizes;
  for (const Tensor &part : parts) {
    tensor::Shape shape(part.shape());
    if (part.rank() == rank) {
      sizes.push_back(shape[cut]);
      shape[cut] = type.shape[cut];
    }
    if (part.rank() != rank || shape != parts[0].type().shape ||
        part.elementType() != type.element)
      return unsupported("its parts have unlike shapes or types");
  }
  llvm::Expected<std::vector<Piece>> pieces = piecesOf(sizes, placement);
  if (!pieces)
    return pieces.takeError();
  type.shape[cut] = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  llvm::Expected<Tensor> whole = Tensor::allocate(type);
  if (!whole)
    return whole;
  int64_t outer = 1, inner = type.element.storageBytes();
  for (size_t i = 0; i < type.shape.size(); ++i)
    if (i != cut)
      (i < cut ? outer : inner) *= type.shape[i];
  std::byte *out = whole->mutableBytes();
  for (int64_t o = 0; o < outer; ++o)
    for (const Piece &piece : *pieces) {
      int64_t width = sizes[piece.part];
      std::memcpy(out,
                  parts[piece.part].bytes() + (o * width + piece.begin) * inner,
                  static_cast<size_t>(piece.count * inner));
      out += piece.count * inner;
    }
  return whole;
}

/// The sum, mean, largest or smallest, element by element.
static llvm::Expected<Tensor> reduceParts(llvm::ArrayRef<Tensor> parts,
                                          Kind kind) {
  ElementType type = parts[0].elementType();
  for (const Tensor &part : parts)
    if (!(part.type() == parts[0].type()))
      return unsupported("its summands have unlike shapes or types");
  if (type.isBool() ||
      (type.isComplex() && kind != Kind::Sum && kind != Kind::Mean))
    return unsupported("numbers of its type are not reduced");
  llvm::Expected<Tensor> whole = Tensor::allocate(parts[0].type());
  if (!whole)
    return whole;
  // A complex tensor counts as twice as many elements of its part type.
  int64_t count = parts[0].size() * (type.isComplex() ? 2 : 1);
  type = type.part();
  auto n = static_cast<size_t>(count);
  std::vector<double> sum(n), next(n);
  for (size_t p = 0; p < parts.size(); ++p) {
    numerics::toDoubles(type, parts[p].bytes(), next.data(), count);
    for (size_t i = 0; i < n; ++i)
      sum[i] = p == 0              ? next[i]
               : kind == Kind::Max ? std::fmax(sum[i], next[i])
               : kind == Kind::Min ? std::fmin(sum[i], next[i])
                                   : sum[i] + next[i];
  }
  if (kind == Kind::Mean)
    for (double &value : sum)
      value /= static_cast<double>(parts.size());
  numerics::convertArray(ElementType::floating(numerics::FloatFormat::F64),
                         sum.data(), type, whole->mutableBytes(), count);
  return whole;
}

llvm::Expected<Tensor> joinParts(llvm::ArrayRef<Tensor> parts,
                                 const Placement &placement) {
  if (placement.kind != Kind::Shard)
    return reduceParts(parts, placement.kind);
  llvm::Expected<Tensor> whole = joinShards(parts, placement);
  if (!whole || !placement.scaled || parts.size() == 1)
    return whole;
  // The mean of the whole and zeros: divides it by the number of parts.
  std::vector<Tensor> summands(1, *whole);
  llvm::Expected<Tensor> zeros = Tensor::allocate(whole->type());
  if (!zeros)
    return zeros;
  std::memset(zeros->mutableBytes(), 0,
              static_cast<size_t>(zeros->denseBytes()));
  summands.resize(parts.size(), *zeros);
  return reduceParts(summands, Kind::Mean);
}

//===--- Along all axes --------------------------------------------------===//

/// How two replicas differ; zero elements: they differ in shape or type.
static Divergence differenceOf(const Tensor &a, const Tensor &b) {
  Divergence result;
  if (!(a.type() == b.type()))
    return result;
  result.elements = a.size();
  int64_t each = a.elementType().storageBytes();
  std::vector<double> x = doublesOf(a), y = doublesOf(b);
  for (int64_t i = 0; i < a.size(); ++i) {
    auto at = static_cast<size_t>(i);
    if (std::memcmp(a.bytes() + i * each, b.bytes() + i * each,
                    static_cast<size_t>(each)) == 0)
      continue;
    ++result.differing;
    double difference = std::fabs(x[at] - y[at]);
    result.largest = std::isnan(difference)
                         ? HUGE_VAL
                         : std::max(result.largest, difference);
  }
  return result;
}

/// Returns the first replica and notes the others that differ from it.
static Tensor takeReplica(llvm::ArrayRef<RankPart> parts,
                          std::vector<Divergence> &diverging) {
  const RankPart *other = nullptr;
  for (const RankPart &part : parts)
    if (!other && !sameBytes(parts[0].tensor, part.tensor))
      other = &part;
  if (!other)
    return parts[0].tensor;
  Divergence found = differenceOf(parts[0].tensor, other->tensor);
  found.rank = other->rank;
  for (const RankPart &part : parts)
    found.ranks.push_back(part.rank);
  diverging.push_back(std::move(found));
  return parts[0].tensor;
}

static llvm::Error checkPlaces(llvm::ArrayRef<RankPart> parts) {
  for (const RankPart &part : parts) {
    if (part.places.size() != parts[0].places.size())
      return unsupported("its placement differs between ranks");
    for (size_t i = 0; i < part.places.size(); ++i) {
      const Place &mine = part.places[i], &first = parts[0].places[i];
      if (!mine.placement.unknown.empty())
        return unsupported("its placement '" + mine.placement.unknown +
                           "' has no meaning here");
      if (mine.axis != first.axis || mine.size != first.size ||
          toString(mine) != toString(first))
        return unsupported("its placement differs between ranks");
    }
  }
  return llvm::Error::success();
}

/// The axes in the order in which they are joined.
static std::vector<size_t> orderOf(const Places &places) {
  std::vector<size_t> order;
  for (bool last : {true, false})
    for (size_t i = places.size(); i-- > 0;)
      if (places[i].placement.cutLast == last)
        order.push_back(i);
  return order;
}

/// Joins the parts of one group along an axis.
static llvm::Expected<Tensor> joinGroup(llvm::ArrayRef<RankPart> group,
                                        size_t axis,
                                        std::vector<Divergence> &diverging) {
  const Place &place = group[0].places[axis];
  if (place.placement.kind == Kind::Replicate)
    return takeReplica(group, diverging);
  bool first = place.placement.kind == Kind::First;
  if (first || place.placement.kind == Kind::Last) {
    const RankPart &end = first ? group.front() : group.back();
    if (end.places[axis].coordinate == (first ? 0 : place.size - 1))
      return end.tensor;
    return unsupported("the " + llvm::Twine(first ? "first" : "last") +
                       " part along '" + place.axis + "' was not recorded");
  }
  if (static_cast<int64_t>(group.size()) != place.size)
    return unsupported("only " + llvm::Twine(group.size()) + " of " +
                       llvm::Twine(place.size) + " parts along '" + place.axis +
                       "' were recorded");
  std::vector<Tensor> tensors;
  for (const RankPart &part : group)
    tensors.push_back(part.tensor);
  return joinParts(tensors, place.placement);
}

llvm::Expected<Tensor> assemble(std::vector<RankPart> parts,
                                std::vector<Divergence> &diverging) {
  if (llvm::Error error = checkPlaces(parts))
    return error;
  for (size_t axis : orderOf(parts[0].places)) {
    // Parts whose places differ only along this axis.
    std::map<std::vector<int64_t>, std::map<int64_t, RankPart>> groups;
    for (RankPart &part : parts) {
      std::vector<int64_t> others;
      for (size_t i = 0; i < part.places.size(); ++i)
        others.push_back(i == axis ? 0 : part.places[i].coordinate);
      int64_t at = part.places[axis].coordinate;
      if (!groups[others].try_emplace(at, std::move(part)).second)
        return unsupported("two ranks have the same place");
    }
    parts.clear();
    for (auto &[others, along] : groups) {
      std::vector<RankPart> group;
      for (auto &[at, part] : along)
        group.push_back(std::move(part));
      llvm::Expected<Tensor> joined = joinGroup(group, axis, diverging);
      if (!joined)
        return joined;
      RankPart one{group[0].rank, std::move(*joined), group[0].places};
      one.places[axis].coordinate = 0;
      parts.push_back(std::move(one));
    }
  }
  return parts[0].tensor;
}

} // namespace assay::trace
