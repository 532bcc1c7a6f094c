// Driver `matmul`: "B0xB1xMxK:B0xB1xKxN" with an optional name "_n...".
// dst[b,i,j] = sum over k of src[b,i,k] * wei[b,k,j]; a batch size of 1 on one
// side broadcasts.
#include "assay/verify/drivers/Drivers.h"
#include "llvm/ADT/StringExtras.h"

using namespace assay;
using namespace assay::verify;

static llvm::Expected<Dims> parseDims(llvm::StringRef text,
                                      llvm::StringRef token) {
  llvm::SmallVector<llvm::StringRef, 6> parts;
  text.split(parts, 'x');
  Dims dims;
  for (llvm::StringRef part : parts) {
    int64_t size = 0;
    if (part.empty() || !llvm::all_of(part, llvm::isDigit))
      return makeError(
          ErrorCode::InvalidArgument,
          "problem '{0}': '{1}' is not a size; expected BxMxK:BxKxN", token,
          part);
    if (part.getAsInteger(10, size) || size > (int64_t(1) << 40))
      return makeError(
          ErrorCode::InvalidArgument,
          "problem '{0}': size {1} is too large; sizes go up to 2^40", token,
          part);
    dims.push_back(size);
  }
  return dims;
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
    llvm::Expected<Dims> parsed = parseDims(text, token);
    if (!parsed)
      return parsed.takeError();
    *dims = *parsed;
  }
  size_t rank = mm.src.size();
  if (rank < 2 || rank > 12 || mm.wei.size() > rank)
    return makeError(
        ErrorCode::InvalidArgument,
        "problem '{0}': both tensors need the same 2 to 12 dimensions", token);
  mm.wei.resize(rank, 1);
  mm.m = mm.src[rank - 2], mm.k = mm.src[rank - 1], mm.n = mm.wei[rank - 1];
  mm.dst = mm.src;
  for (size_t d = 0; d + 2 < rank; ++d) {
    int64_t a = mm.src[d], b = mm.wei[d];
    if (a != b && a != 1 && b != 1)
      problem.invalid = llvm::formatv("batch sizes {0} and {1} of dimension "
                                      "{2} differ and neither is 1",
                                      a, b, d)
                            .str();
    mm.dst[d] = a == 0 || b == 0 ? 0 : std::max(a, b);
  }
  if (mm.wei[rank - 2] != mm.k)
    problem.invalid = llvm::formatv("the reduced sizes differ: {0} in the "
                                    "source, {1} in the weights of '{2}'",
                                    mm.k, mm.wei[rank - 2], sizes)
                          .str();
  mm.dst[rank - 2] = mm.m;
  mm.dst[rank - 1] = mm.n;
  return llvm::Error::success();
}

static Dims dims(const Problem &problem, Role role) {
  const MatmulSizes &mm = problem.matmul;
  return role == Role::Src ? mm.src : role == Role::Wei ? mm.wei : mm.dst;
}

static Dims biasDims(const Problem &problem) {
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

const Driver drivers::kMatmul = {
    DriverKind::Matmul,      "matmul",   parse, dims, biasDims, text,
    /*tokens=*/nullptr,      operations,
    /*hasDirections=*/false,
    /*hasAlgorithm=*/false,
    /*hasStrides=*/true,
    /*hasBiasMask=*/true};
