// Eigenvalues of Hermitian matrices and singular values, as LAPACK's calls
// return them. By Weyl's theorem none moves further than the matrix:
//
//   |lambda(A + E) - lambda(A)| <= ||E||_2 <= ||E||_F
//
// E is the error of the operand plus the backward error of a stable algorithm,
// p(n) eps ||A||; p(n) = 2 max(m, n) here (LAPACK Users' Guide, 4.7 and 4.9).
// Both sides of a comparison have that error, because no wider run is made.
// Vectors are open: signs, phases and bases are the routine's choice.
#include "assay/judge/program/ErrorTracker.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::judge;

/// The index of the result with the values; -1: another call.
static int valuesOf(mlir::Operation *op) {
  auto target = op->getAttrOfType<mlir::StringAttr>("call_target_name");
  llvm::StringRef name = target ? target.getValue() : "";
  if (!name.consume_front("lapack_") || !name.consume_back("_ffi"))
    return -1;
  name = name.drop_front();
  return name == "syevd" || name == "heevd" || name == "gesdd" ||
                 name == "gesvd"
             ? 1
             : -1;
}

static double lengthOf(llvm::ArrayRef<double> values) {
  double squares = 0;
  for (double x : values)
    squares += x * x;
  return std::sqrt(squares);
}

BoundResult judge::spectrumBound(BoundRequest &r) {
  int at = valuesOf(r.op);
  if (at < 0 || r.operands.size() != 1 || r.results.size() < 3)
    return makeError(ErrorCode::Unsupported, "");
  const program::Value &matrix = *r.operands[0];
  const tensor::Shape &shape = matrix.tensor().type().shape;
  std::vector<Errors> out(r.results.size());
  for (size_t i = 0; i < out.size(); ++i)
    if (isFloating(r.results[i]))
      out[i] = undecided(r.results[i]);
  if (shape.size() < 2 || matrix.tensor().size() == 0)
    return out;
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  size_t each = static_cast<size_t>(rows * columns),
         count = static_cast<size_t>(std::min(rows, columns));
  bool isWide = matrix.tensor().elementType().part().format ==
                numerics::FloatFormat::F64;
  double unit = (isWide ? 0x1p-53 : 0x1p-24) *
                2 * static_cast<double>(std::max(rows, columns));
  std::vector<double> sizes = magnitudes(matrix, nullptr);
  for (size_t k = 0; k < sizes.size() / each; ++k) {
    llvm::ArrayRef<double> own(sizes.data() + k * each, each);
    double moved = 0;
    if (const Errors &errors = r.operandErrors[0])
      moved = std::sqrt(2.0) *
              lengthOf(llvm::ArrayRef(*errors).slice(k * each, each));
    std::fill_n(out[static_cast<size_t>(at)]->begin() +
                    static_cast<ptrdiff_t>(k * count),
                count, 2 * (unit * lengthOf(own) + moved));
  }
  return out;
}
