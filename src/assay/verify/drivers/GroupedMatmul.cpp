// Grouped products as programs: slices of src (and of the weights), one product
// for each, concatenated. Engines that take programs run them; the judge bounds
// operation by operation.
#include "assay/verify/drivers/GroupedMatmul.h"
#include "assay/verify/Requests.h"
#include "assay/verify/drivers/Assembly.h"

using namespace assay;
using namespace assay::verify;
using namespace assay::verify::drivers;
using mlir::Value;

namespace {
struct Groups {
  bool overK = false;
  Dims sizes;
  int64_t total() const {
    int64_t sum = 0;
    for (int64_t size : sizes)
      sum += size;
    return sum;
  }
};
} // namespace

/// Parses the knob's text, which is valid: DIM:COUNT:SIZES[:MAX].
static Groups groupsOf(const Problem &p) {
  Groups groups;
  llvm::SmallVector<llvm::StringRef, 4> fields;
  llvm::SmallVector<llvm::StringRef, 64> sizes;
  llvm::StringRef(p.requests.at("grouped")).split(fields, ':');
  groups.overK = fields[0] == "1";
  fields[2].split(sizes, '+');
  for (llvm::StringRef text : sizes) {
    int64_t size = 0;
    text.getAsInteger(10, size);
    groups.sizes.push_back(size);
  }
  return groups;
}

bool drivers::isGrouped(const Problem &problem) {
  return problem.requests.count("grouped") != 0;
}

void drivers::setGroupedSizes(Problem &p) {
  Groups groups = groupsOf(p);
  MatmulSizes &mm = p.matmul;
  auto count = static_cast<int64_t>(groups.sizes.size());
  size_t rank = groups.overK ? 2 : 3;
  if (mm.src.size() != 2 || mm.wei.size() != rank ||
      (!groups.overK && mm.wei[0] != count) || mm.wei[rank - 2] != mm.src[1] ||
      mm.src[groups.overK ? 1 : 0] != groups.total()) {
    p.invalid = "--grouped: the sizes of the groups and of the tensors do not "
                "fit; expected sumxK:GxKxN over M, Mxsum:sumxN over K";
    return;
  }
  mm.m = mm.src[0], mm.k = mm.src[1], mm.n = mm.wei[rank - 1];
  mm.dst = groups.overK ? Dims{count, mm.m, mm.n} : Dims{mm.m, mm.n};
  if (!p.attributes.scales.empty() || !p.attributes.zeroPoints.empty())
    p.unimplemented = "--grouped with scales or zero points";
  for (const PostOp &op : p.attributes.postOps)
    if (op.kind == PostOp::Kind::Binary && op.mask.isSingle() &&
        op.mask.form != Mask::Form::None)
      p.unimplemented = "--grouped with an operand for each group";
}

Dims drivers::groupedBiasDims(const Problem &problem) {
  return {static_cast<int64_t>(groupsOf(problem).sizes.size()),
          problem.matmul.n};
}

llvm::Expected<BoundProgram> drivers::buildGrouped(const Problem &p) {
  if (!p.invalid.empty())
    return makeError(ErrorCode::InvalidArgument, "{0}", p.invalid);
  Groups groups = groupsOf(p);
  const MatmulSizes &mm = p.matmul;
  Assembly a(p, p.type(Role::Src));
  program::Builder &b = a.builder();
  auto layout = [&](int role) { return Layout{p.tags[role], p.strides[role]}; };
  Value src = a.input("src", p.type(Role::Src), mm.src, layout(0)),
        wei = a.input("wei", p.type(Role::Wei), mm.wei, layout(1)), bias;
  if (p.hasBias())
    bias = a.input("bia", p.biasType, groupedBiasDims(p));
  llvm::SmallVector<Value> parts;
  int64_t begin = 0;
  for (size_t g = 0; g < groups.sizes.size(); ++g) {
    auto at = static_cast<int64_t>(g);
    int64_t end = begin + groups.sizes[g];
    Value rows, weights;
    if (groups.overK) {
      rows = b.slice(src, {0, begin}, {mm.m, end}, {1, 1});
      weights = b.slice(wei, {begin, 0}, {end, mm.n}, {1, 1});
    } else {
      rows = b.slice(src, {begin, 0}, {end, mm.k}, {1, 1});
      weights =
          b.reshape(b.slice(wei, {at, 0, 0}, {at + 1, mm.k, mm.n}, {1, 1, 1}),
                    {mm.k, mm.n});
    }
    Value product = b.dot(rows, weights, {}, {}, {1}, {0});
    Dims shape{groups.overK ? mm.m : end - begin, mm.n};
    if (bias)
      product =
          b.binary("add", product,
                   b.broadcast(b.slice(bias, {at, 0}, {at + 1, mm.n}, {1, 1}),
                               shape, {0, 1}));
    if (groups.overK)
      product = b.reshape(product, {1, mm.m, mm.n});
    if (end > begin || groups.overK)
      parts.push_back(product);
    begin = end;
  }
  if (parts.empty())
    return makeError(ErrorCode::InvalidArgument,
                     "--grouped: every group is empty");
  Value all = parts.size() == 1 ? parts[0] : b.concatenate(parts, 0);
  a.finishDst(all, p.type(Role::Dst), mm.dst, layout(2));
  return a.finish(Direction::FwdD);
}
