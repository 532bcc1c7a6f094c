// Sums of products in the fields: dot_general, dot, convolution. Operands are
// brought into rows by the reference's own geometry.
#include "assay/dialect/Stablehlo.h"
#include "assay/judge/equivalence/AlgebraShadow.h"
#include "assay/reference/Windows.h"
#include "assay/reference/DotDimensions.h"
#include "assay/reference/DotOperands.h"
#include "assay/reference/Strided.h"

using namespace assay;
using namespace assay::judge;
using program::Value;
using reference::OperandView;
using tensor::Shape;

namespace {
/// Rows of elements, stored field by field.
struct Rows {
  int64_t count, length;
  std::vector<uint64_t> x[kLevels];
  std::vector<uint8_t> lost;

  Rows(llvm::ArrayRef<Element> elements, int64_t length, int levels)
      : count(length ? static_cast<int64_t>(elements.size()) / length : 0),
        length(length), lost(static_cast<size_t>(count)) {
    for (int level = 0; level < levels; ++level)
      x[level].reserve(elements.size());
    for (auto [i, e] : llvm::enumerate(elements)) {
      for (int level = 0; level < levels; ++level)
        x[level].push_back(e.x[level]);
      lost[i / static_cast<size_t>(length)] |= e.lost;
    }
  }
};
} // namespace

/// The sum of products, kept below p * 2^64.
static uint64_t sumOfProducts(int level, const uint64_t *a, const uint64_t *b,
                              int64_t k) {
  const Wide limit = static_cast<Wide>(kPrimes[level]) << 64;
  Wide sum = 0;
  for (int64_t t = 0; t < k; ++t) {
    sum += static_cast<Wide>(a[t]) * b[t];
    sum = sum >= limit ? sum - limit : sum;
  }
  return redc(level, sum);
}

static Element dot(const Rows &a, int64_t i, const Rows &b, int64_t j,
                   int levels) {
  Element e;
  for (int level = 0; level < levels; ++level)
    e.x[level] = sumOfProducts(level, a.x[level].data() + i * a.length,
                               b.x[level].data() + j * b.length, a.length);
  e.lost = a.lost[static_cast<size_t>(i)] | b.lost[static_cast<size_t>(j)];
  return e;
}

/// The elements of an operand in the order of a view; `part`: of complex ones.
static std::vector<Element> arranged(llvm::ArrayRef<Element> elements,
                                     llvm::ArrayRef<int64_t> shape,
                                     llvm::ArrayRef<int64_t> strides,
                                     int64_t parts, int64_t part) {
  std::vector<Element> one;
  if (parts > 1) {
    for (size_t i = static_cast<size_t>(part); i < elements.size();
         i += static_cast<size_t>(parts))
      one.push_back(elements[i]);
    elements = one;
  }
  std::vector<Element> out(elements.size());
  Shape dense = tensor::rowMajorStrides(shape);
  reference::copyStrided(sizeof(Element), shape, elements.data(), strides,
                         out.data(), dense);
  return out;
}

llvm::Error AlgebraShadow::product(mlir::Operation *op, Values operands,
                                   Values results) {
  auto dims = reference::dotDimensions(op, operands[0].tensor().type());
  OperandView lhs = reference::viewOf(operands[0].tensor().type(),
                                      dims->lhsBatch, dims->lhsContracted),
              rhs = reference::viewOf(operands[1].tensor().type(),
                                      dims->rhsBatch, dims->rhsContracted);
  llvm::Expected<std::vector<Element>> a = elementsOf(operands[0]),
                                       b = elementsOf(operands[1]);
  if (!a || !b)
    return llvm::joinErrors(a.takeError(), b.takeError());
  int levels = algebra_.levels();
  int64_t m = lhs.free, n = rhs.free, total = lhs.batch * m * n;
  auto sums = [&](int64_t pa, int64_t pb) {
    std::vector<Element> out(static_cast<size_t>(total));
    if (lhs.contracted == 0)
      return out;
    Rows left(arranged(*a, lhs.shape, lhs.strides,
                       partsOf(operands[0].tensor().elementType()), pa),
              lhs.contracted, levels),
        right(arranged(*b, rhs.shape, rhs.strides,
                       partsOf(operands[1].tensor().elementType()), pb),
              rhs.contracted, levels);
    run_.threads.parallelFor(lhs.batch * m, 1 + 4096 / (1 + n * lhs.contracted),
                             [&](int64_t begin, int64_t end) {
                               for (int64_t row = begin; row < end; ++row)
                                 for (int64_t j = 0; j < n; ++j)
                                   out[static_cast<size_t>(row * n + j)] =
                                       dot(left, row, right, row / m * n + j,
                                           levels);
                             });
    return out;
  };
  if (!results[0].tensor().elementType().isComplex())
    return set(results[0], sums(0, 0));
  auto rr = sums(0, 0), ii = sums(1, 1), ri = sums(0, 1), ir = sums(1, 0);
  std::vector<Element> out;
  for (size_t i = 0; i < rr.size(); ++i) {
    out.push_back(algebra_.add(rr[i], algebra_.negate(ii[i])));
    out.push_back(algebra_.add(ri[i], ir[i]));
  }
  return set(results[0], std::move(out));
}

llvm::Error AlgebraShadow::convolution(mlir::Operation *op, Values operands,
                                       Values results) {
  if (results[0].tensor().elementType().isComplex())
    return makeError(ErrorCode::Unsupported, "complex numbers");
  program::NumericOptions numeric;
  program::StepSpec spec{
      op,
      {operands[0].tensor().type(), operands[1].tensor().type()},
      {results[0].tensor().type()},
      numeric};
  auto c = reference::convolutionOf(spec);
  llvm::Expected<std::vector<Element>> a = elementsOf(operands[0]),
                                       b = elementsOf(operands[1]);
  if (!a || !b)
    return llvm::joinErrors(a.takeError(), b.takeError());
  auto ordered = [](llvm::ArrayRef<Element> elements, const Value &value,
                    llvm::ArrayRef<int64_t> order) {
    Shape all = tensor::rowMajorStrides(value.tensor().shape()), shape, strides;
    for (int64_t d : order) {
      shape.push_back(value.tensor().shape()[d]);
      strides.push_back(all[d]);
    }
    return arranged(elements, shape, strides, 1, 0);
  };
  std::vector<Element> in = ordered(*a, operands[0], c.lhsOrder),
                       kernel = ordered(*b, operands[1], c.rhsOrder);
  int levels = algebra_.levels();
  int64_t k = c.taps() * c.groupIn(), groupOut = c.groupOut(),
          positions = c.positions(), outBatch = c.batch / c.batchGroups;
  std::vector<Element> out(static_cast<size_t>(results[0].tensor().size()));
  if (k == 0 || groupOut == 0)
    return set(results[0], std::move(out));
  Rows weights(kernel, k, levels);
  run_.threads.parallelFor(
      outBatch * positions * c.groups(), 1, [&](int64_t begin, int64_t end) {
        std::vector<Element> window(static_cast<size_t>(k));
        Shape at(c.axes.size());
        for (int64_t work = begin; work < end; ++work) {
          int64_t group = work / (outBatch * positions),
                  row = work % (outBatch * positions);
          c.unflatten(row % positions, &geometry::Axis::out, at);
          int64_t n =
              row / positions + (c.batchGroups > 1 ? group * outBatch : 0);
          c.gather(reinterpret_cast<const std::byte *>(in.data()), n, at,
                   c.featureGroups > 1 ? group * c.groupIn() : 0,
                   sizeof(Element),
                   reinterpret_cast<std::byte *>(window.data()));
          Rows left(window, k, levels);
          int64_t offset = row / positions * c.outStrides[0] +
                           group * groupOut * c.outStrides.back();
          for (size_t d = 0; d < at.size(); ++d)
            offset += at[d] * c.outStrides[d + 1];
          for (int64_t o = 0; o < groupOut; ++o)
            out[static_cast<size_t>(offset + o * c.outStrides.back())] =
                dot(left, 0, weights, group * groupOut + o, levels);
        }
      });
  return set(results[0], std::move(out));
}
