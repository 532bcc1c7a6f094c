// Describes a program's products and convolutions as problems of verify's
// grammar; repro lines contain the words of these problems.
#include "assay/verify/Offers.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/program/Types.h"
#include "assay/reference/Attributes.h"
#include "assay/reference/DotAlgorithm.h"
#include "assay/reference/DotDimensions.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/Options.h"
#include "assay/verify/drivers/Drivers.h"

namespace assay::verify {

using engine::Offer;
using reference::DotDimensions;
using tensor::Shape;
using tensor::TensorType;

namespace {
/// The types of an operation with two operands and one result.
struct Types {
  TensorType operands[2], results[1];
};

/// A tensor of the program as a tensor of the problem: sizes in the problem's
/// order, and the program's strides in it.
struct View {
  Shape shape, strides;
};

/// A problem of the grammar, and how its three tensors are read and written.
struct Description {
  Problem problem;
  View a, b, c;
};
} // namespace

/// The dimensions `order` of a dense tensor.
static View viewOf(const TensorType &type, llvm::ArrayRef<int64_t> order) {
  Shape strides = tensor::rowMajorStrides(type.shape);
  View view;
  for (int64_t dim : order) {
    view.shape.push_back(type.shape[dim]);
    view.strides.push_back(strides[dim]);
  }
  return view;
}

/// The types of src, wei, dst; nullopt where the grammar lacks one. The grammar
/// saturates narrow integer results, so sums that wrap are not offered.
static std::optional<std::array<ElementType, 3>> typesOf(const Types &spec) {
  std::array<ElementType, 3> types{spec.operands[0].element,
                                   spec.operands[1].element,
                                   spec.results[0].element};
  auto isOffered = [](ElementType type) {
    return type.isInteger() ? type.bits == 8 || type == types::S32
                            : type.isFloat() && type.bits >= 16;
  };
  if (!llvm::all_of(types, isOffered) ||
      (types[2].isInteger() && types[2].bits < 32))
    return std::nullopt;
  return types;
}

static int64_t product(const TensorType &type, llvm::ArrayRef<int64_t> dims) {
  int64_t size = 1;
  for (int64_t dim : dims)
    size *= type.shape[dim];
  return size;
}

static std::optional<Description> describeDot(const Types &spec,
                                              const DotDimensions &dot) {
  const TensorType &lhs = spec.operands[0], &rhs = spec.operands[1],
                   &result = spec.results[0];
  auto order = [](const TensorType &type, llvm::ArrayRef<int64_t> first,
                  llvm::ArrayRef<int64_t> contracted, bool freeFirst) {
    Shape dims(first.begin(), first.end()), free;
    for (int64_t d = 0; d < static_cast<int64_t>(type.shape.size()); ++d)
      if (!llvm::is_contained(first, d) && !llvm::is_contained(contracted, d))
        free.push_back(d);
    for (llvm::ArrayRef<int64_t> part :
         {freeFirst ? llvm::ArrayRef<int64_t>(free) : contracted,
          freeFirst ? contracted : free})
      dims.append(part.begin(), part.end());
    return dims;
  };
  int64_t batch = product(lhs, dot.lhsBatch),
          k = product(lhs, dot.lhsContracted);
  if (batch * k == 0 || product(result, {}) == 0 ||
      llvm::is_contained(result.shape, 0))
    return std::nullopt; // an empty product: the grammar has none
  int64_t m = 1, n = 1;
  for (int64_t size : lhs.shape)
    m *= size;
  for (int64_t size : rhs.shape)
    n *= size;
  m /= batch * k;
  n /= batch * k;
  Description d;
  d.problem.driver = &drivers::kMatmul;
  MatmulSizes &sizes = d.problem.matmul;
  sizes.src = {m, k}, sizes.wei = {k, n};
  if (!dot.lhsBatch.empty())
    for (Dims *dims : {&sizes.src, &sizes.wei})
      dims->insert(dims->begin(), batch);
  drivers::setMatmulSizes(sizes);
  d.a = viewOf(lhs, order(lhs, dot.lhsBatch, dot.lhsContracted, true));
  d.b = viewOf(rhs, order(rhs, dot.rhsBatch, dot.rhsContracted, false));
  d.c = {result.shape, tensor::rowMajorStrides(result.shape)};
  return d;
}

static std::optional<Description>
describeConvolution(const Types &spec, stablehlo::ConvolutionOp op) {
  auto dims = op.getDimensionNumbers();
  const TensorType &lhs = spec.operands[0], &rhs = spec.operands[1],
                   &result = spec.results[0];
  auto rank = static_cast<int64_t>(dims.getInputSpatialDimensions().size());
  auto strides = reference::intsOf(op, "window_strides", rank, 1),
       low = reference::intsOf(op, "padding", 2 * rank, 0),
       base = reference::intsOf(op, "lhs_dilation", rank, 1),
       taps = reference::intsOf(op, "rhs_dilation", rank, 1),
       reversal = reference::intsOf(op, "window_reversal", rank, 0);
  auto groups = reference::intOf(op, "feature_group_count", 1);
  auto isOne = [](int64_t x) { return x == 1; };
  if (rank < 1 || rank > 3 || !llvm::all_of(base, isOne) ||
      llvm::any_of(reversal, [](int64_t x) { return x != 0; }) ||
      reference::intOf(op, "batch_group_count", 1) != 1 ||
      llvm::any_of(low, [](int64_t x) { return x < 0; }) ||
      llvm::is_contained(result.shape, 0) || llvm::is_contained(lhs.shape, 0) ||
      llvm::is_contained(rhs.shape, 0))
    return std::nullopt;
  Description d;
  d.problem.driver = &drivers::kConv;
  Shape a{dims.getInputBatchDimension(), dims.getInputFeatureDimension()},
      b{dims.getKernelOutputFeatureDimension(),
        dims.getKernelInputFeatureDimension()},
      c{dims.getOutputBatchDimension(), dims.getOutputFeatureDimension()};
  Descriptor &sizes = d.problem.descriptor;
  sizes.g = groups, sizes.hasGroups = groups > 1;
  sizes.mb = lhs.shape[a[0]], sizes.ic = lhs.shape[a[1]];
  sizes.oc = rhs.shape[b[0]];
  sizes.ndims = static_cast<int>(rank) + 2;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t in = dims.getInputSpatialDimensions()[i],
            window = dims.getKernelSpatialDimensions()[i],
            out = dims.getOutputSpatialDimensions()[i];
    setAxis(sizes, static_cast<size_t>(3 - rank + i),
            {lhs.shape[in], result.shape[out], rhs.shape[window], strides[i],
             taps[i], 1, low[2 * i]});
    a.push_back(in), b.push_back(window), c.push_back(out);
  }
  d.a = viewOf(lhs, a), d.b = viewOf(rhs, b), d.c = viewOf(result, c);
  return d;
}

/// The types of the operation; nullopt when its operands and results are not
/// a product's.
static std::optional<Types> operandsOf(mlir::Operation *op) {
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return std::nullopt;
  Types types;
  auto read = [](mlir::Value value, TensorType &type) {
    llvm::Expected<TensorType> found = program::tensorTypeOf(value.getType());
    bool known = static_cast<bool>(found);
    if (known)
      type = std::move(*found);
    else
      llvm::consumeError(found.takeError());
    return known;
  };
  if (!read(op->getOperand(0), types.operands[0]) ||
      !read(op->getOperand(1), types.operands[1]) ||
      !read(op->getResult(0), types.results[0]))
    return std::nullopt;
  return types;
}

static std::optional<Description> describe(mlir::Operation *op,
                                           const Types &types) {
  std::optional<Description> description;
  if (reference::hasAlgorithm(op)) // a descriptor cannot name an algorithm
    return std::nullopt;
  if (std::optional<DotDimensions> dot =
          reference::dotDimensions(op, types.operands[0]))
    description = describeDot(types, *dot);
  else if (auto convolution = mlir::dyn_cast<stablehlo::ConvolutionOp>(op))
    description = describeConvolution(types, convolution);
  std::optional<std::array<ElementType, 3>> elements = typesOf(types);
  if (!description || !elements)
    return std::nullopt;
  Problem &problem = description->problem;
  problem.types = *elements;
  problem.direction = Direction::FwdD;
  problem.options = std::make_shared<RunOptions>();
  return description;
}

std::vector<Offer> offersFor(mlir::Operation *op) {
  std::optional<Types> types = operandsOf(op);
  if (!types)
    return {};
  std::optional<Description> description = describe(op, *types);
  if (!description)
    return {};
  llvm::Expected<Lowered> lowered = lower(description->problem);
  if (!lowered) {
    llvm::consumeError(lowered.takeError());
    return {};
  }
  engine::ProblemDescription described =
      llvm::cantFail(verify::describe(*lowered, 0, /*engine=*/""));
  Offer offer;
  offer.driver = described.driver;
  offer.json = described.json;
  offer.words =
      "--" + described.driver + " " +
      llvm::StringRef(reproText(description->problem, /*canonical=*/false))
          .trim()
          .str();
  offer.covered = {op};
  offer.tensors.resize(described.tensors.size());
  auto put = [&](int slot, mlir::Value value, const View &view) {
    offer.tensors[slot] = {std::move(described.tensors[slot]),
                           value,
                           view.shape,
                           view.strides,
                           tensor::rowMajorStrides(view.shape),
                           judge::bytesOf(lowered->slots[slot].type)};
  };
  put(lowered->a, op->getOperand(0), description->a);
  put(lowered->b, op->getOperand(1), description->b);
  put(lowered->out, op->getResult(0), description->c);
  return {std::move(offer)};
}

} // namespace assay::verify
