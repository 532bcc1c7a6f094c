// Driver `matmul`: "B0xB1xMxK:B0xB1xKxN" with an optional name "_n...".
// dst[b,i,j] = sum over k of src[b,i,k] * wei[b,k,j]; a batch size of 1 on one
// side broadcasts.
#include "assay/verify/ContractionProgram.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/drivers/Drivers.h"
#include "assay/verify/drivers/GroupedMatmul.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace assay;
using namespace assay::verify;

void drivers::setMatmulSizes(MatmulSizes &mm) {
  size_t rank = mm.src.size();
  mm.m = mm.src[rank - 2], mm.k = mm.src[rank - 1], mm.n = mm.wei[rank - 1];
  mm.dst = mm.src;
  for (size_t d = 0; d + 2 < rank; ++d)
    mm.dst[d] =
        mm.src[d] == 0 || mm.wei[d] == 0 ? 0 : std::max(mm.src[d], mm.wei[d]);
  mm.dst[rank - 2] = mm.m;
  mm.dst[rank - 1] = mm.n;
}

static llvm::Error parse(llvm::StringRef token, int64_t mb, Problem &problem) {
  auto [sizes, name] = token.split('n');
  problem.name = name.str();
  sizes.consume_back("_");
  llvm::SmallVector<llvm::StringRef, 3> tensors;
  sizes.split(tensors, ':');
  if (tensors.size() != 2)
    return makeError(
        ErrorCode::InvalidArgument,
        "problem '{0}': expected two tensors as BxMxK:BxKxN, got {1}", token,
        tensors.size());
  MatmulSizes &mm = problem.matmul;
  for (auto [text, dims] :
       {std::pair(tensors[0], &mm.src), std::pair(tensors[1], &mm.wei)}) {
    llvm::Expected<Dims> parsed = readShape(text, token);
    if (!parsed)
      return parsed.takeError();
    *dims = *parsed;
  }
  if (drivers::isGrouped(problem)) {
    drivers::setGroupedSizes(problem);
    return llvm::Error::success();
  }
  size_t rank = mm.src.size();
  if (rank < 2 || rank > 12 || mm.wei.size() > rank)
    return makeError(
        ErrorCode::InvalidArgument,
        "problem '{0}': both tensors need the same 2 to 12 dimensions", token);
  mm.wei.resize(rank, 1);
  drivers::setMatmulSizes(mm);
  for (size_t d = 0; d + 2 < rank; ++d) {
    int64_t a = mm.src[d], b = mm.wei[d];
    if (a != b && a != 1 && b != 1)
      problem.invalid = llvm::formatv("batch sizes {0} and {1} of dimension "
                                      "{2} differ and neither is 1",
                                      a, b, d)
                            .str();
  }
  if (mm.wei[rank - 2] != mm.k)
    problem.invalid = llvm::formatv("the reduced sizes differ: {0} in the "
                                    "source, {1} in the weights of '{2}'",
                                    mm.k, mm.wei[rank - 2], sizes)
                          .str();
  return llvm::Error::success();
}

static Dims dims(const Problem &problem, Role role) {
  const MatmulSizes &mm = problem.matmul;
  return role == Role::Src ? mm.src : role == Role::Wei ? mm.wei : mm.dst;
}

static Dims biasDims(const Problem &problem) {
  if (drivers::isGrouped(problem))
    return drivers::groupedBiasDims(problem);
  Dims dims = problem.matmul.dst;
  for (size_t d = 0; d < dims.size(); ++d)
    if (!(problem.biasMask >> d & 1))
      dims[d] = 1;
  return dims;
}

static std::string text(const Problem &problem) {
  return toText(problem.matmul.src) + ":" + toText(problem.matmul.wei);
}

static double operations(const Problem &problem) {
  double count = 2.0 * problem.matmul.k;
  for (int64_t size : problem.matmul.dst)
    count *= size;
  return count;
}

static llvm::Expected<judge::Case> contraction(const Problem &p) {
  if (drivers::isGrouped(p))
    return makeError(ErrorCode::Unsupported,
                     "groups of products are not a single sum");
  const MatmulSizes &mm = p.matmul;
  Sums sums;
  sums.isMatmul = true;
  judge::Contraction &k = sums.contraction;
  k.m = mm.m, k.n = mm.n, k.k = mm.k;
  k.aI = mm.k, k.aK = 1, k.bK = mm.n, k.bJ = 1;
  Dims aStrides = rowMajor(mm.src), bStrides = rowMajor(mm.wei);
  for (size_t d = 0; d + 2 < mm.dst.size(); ++d) {
    k.batch.push_back(mm.dst[d]);
    k.aBatch.push_back(mm.src[d] == 1 ? 0 : aStrides[d]);
    k.bBatch.push_back(mm.wei[d] == 1 ? 0 : bStrides[d]);
  }
  int64_t aCount = 1, bCount = 1;
  for (size_t d = 0; d + 2 < mm.dst.size(); ++d)
    aCount *= mm.src[d], bCount *= mm.wei[d];
  sums.aShape = {aCount * mm.m, mm.k, 1};
  sums.bShape = {bCount, mm.k, mm.n};
  return caseOf(p, sums);
}

static llvm::Expected<BoundProgram> build(const Problem &p) {
  if (drivers::isGrouped(p))
    return drivers::buildGrouped(p);
  llvm::Expected<judge::Case> c = contraction(p);
  if (!c)
    return c.takeError();
  return contractionProgram(p, *c);
}

static std::optional<Problem> recognise(const BoundProgram &bound) {
  std::optional<FoundContraction> found = findContraction(bound);
  if (!found ||
      found->product->getName().getStringRef() != "stablehlo.dot_general")
    return std::nullopt;
  Problem p = sharedParts(drivers::kMatmul, bound, *found);
  p.matmul.src = dimsOfArgument(bound, found->a);
  p.matmul.wei = dimsOfArgument(bound, found->b);
  if (p.matmul.src.size() < 2 || p.matmul.src.size() != p.matmul.wei.size())
    return std::nullopt;
  drivers::setMatmulSizes(p.matmul);
  return p;
}

static void json(const Problem &p, llvm::json::Object &o) {
  int64_t batch = 1;
  for (size_t d = 0; d + 2 < p.matmul.dst.size(); ++d)
    batch *= p.matmul.dst[d];
  o["b"] = batch, o["m"] = p.matmul.m, o["n"] = p.matmul.n, o["k"] = p.matmul.k;
}

static std::optional<int64_t> maskOfPolicy(const Problem &p,
                                           llvm::StringRef argument,
                                           llvm::StringRef policy) {
  if (argument == "po" || policy.starts_with("per_dim_"))
    return std::nullopt;
  size_t rank = p.matmul.dst.size();
  if (policy == "per_ocic")
    return int64_t(3) << (rank - 2);
  if (policy == "per_oc")
    return int64_t(1) << (rank - 1);
  return std::nullopt;
}

const Driver drivers::kMatmul = {.name = "matmul",
                                 .parse = parse,
                                 .text = text,
                                 .build = build,
                                 .recognise = recognise,
                                 .contraction = contraction,
                                 .dims = dims,
                                 .biasDims = biasDims,
                                 .operations = operations,
                                 .json = json,
                                 .hasTypes = true,
                                 .hasBias = true,
                                 .hasBiasMask = true,
                                 .hasTags = true,
                                 .hasStrides = true,
                                 .hasAttributes = true,
                                 .namePrefix = "_n",
                                 .maskOfPolicy = maskOfPolicy};
