// Products and the operations around them. A product reads each operand
// through strides, so transposes, slices, reshapes and broadcasts before it
// need not be made; and it writes through strides, so a transpose that is the only
// reader of its result is written directly. A bias for each column, and the maximum with zero after it,
// are done while its block of C is in the cache, only if nothing elementwise follows: a longer
// chain becomes one fused loop anyway, which reads the product once. A convolution reads its filter
// through strides, even backwards. Products of bytes that were widened to 32 bits read the bytes.
#include "assay/engine/native/ProductGroups.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/ConvAlgorithm.h"
#include "assay/engine/native/FusionRoles.h"
#include "assay/engine/native/GroupPasses.h"
#include "assay/engine/native/Groups.h"
#include "assay/engine/native/Lowering.h"
#include "assay/reference/DotAlgorithm.h"
#include "mlir/IR/IRMapping.h"

#include <limits>

namespace assay::engine {

using mlir::Operation;
using mlir::Value;

bool ProductGroup::takesIn() const {
  return !behind.empty() || sources[0].base != op->getOperand(0) ||
         sources[1].base != op->getOperand(1);
}

//===--- What it reads ---------------------------------------------------===//

static ProductSource sourceOf(View view, Value operand) {
  return {view.base, {view.shape, view.strides, view.offset}, *knownTypeOf(operand)};
}

/// The operation with one operand that makes a value, if that value is not observed.
template <typename Op> static Operation *makerOf(Value value) {
  Operation *op = value.getDefiningOp();
  return op && mlir::isa<Op>(op) && !isObserved(op) ? op : nullptr;
}

static ProductSource viewed(Value operand) {
  return sourceOf(viewOf(operand), operand);
}

/// The same, also through a reversal.
static ProductSource reversed(Value operand) {
  Operation *reverse = makerOf<stablehlo::ReverseOp>(operand);
  if (!reverse)
    return viewed(operand);
  View view = viewOf(reverse->getOperand(0));
  for (int64_t dim : reference::intsOf(reverse, "dimensions")) {
    view.offset += (view.shape[dim] - 1) * view.strides[dim];
    view.strides[dim] = -view.strides[dim];
  }
  return sourceOf(view, operand);
}

static bool isInteger(Value value, int bits) {
  auto type = knownTypeOf(value);
  return type && type->element.isInteger() && type->element.bits == bits;
}

/// The bytes that integers of 32 bits were widened from, if any.
static void narrow(ProductSource &source) {
  Operation *convert = makerOf<stablehlo::ConvertOp>(source.base);
  if (!convert || !isInteger(convert->getOperand(0), 8) ||
      !isInteger(convert->getResult(0), 32))
    return;
  source.base = convert->getOperand(0);
  source.type.element = knownTypeOf(source.base)->element;
}

/// A product of 32-bit integers: only the integers before widening can have a kernel.
static bool isWideIntegers(Operation *op) {
  return isInteger(op->getResult(0), 32) && isInteger(op->getOperand(0), 32) &&
         isInteger(op->getOperand(1), 32);
}

/// Two operands and one result of known shapes, not quantised.
static bool hasPlainTypes(Operation *op) {
  auto isPlain = [](Value value) {
    auto type = knownTypeOf(value);
    return type && !type->element.quantization;
  };
  return llvm::all_of(op->getOperands(), isPlain) && isPlain(op->getResult(0));
}

//===--- What is behind it -----------------------------------------------===//

/// The only reader of the value: it reads it once and has one result. Null where the
/// value is observed.
static Operation *soleReader(Value value) {
  if (!value.hasOneUse() || isObserved(value.getDefiningOp()))
    return nullptr;
  Operation *reader = *value.user_begin();
  bool isPlain = reader->getBlock() == value.getParentBlock() &&
                 reader->getNumResults() == 1 &&
                 reader->getNumRegions() == 0;
  return isPlain ? reader : nullptr;
}

/// The operand of an operation with two that the value is not.
static Value otherOperand(Operation *op, Value value) {
  return op->getOperand(op->getOperand(0) == value ? 1 : 0);
}

/// The vector that the addition repeats for each row of the
/// product: its last dimensions are the product's columns in order. Else null.
static Value biasOf(Operation *dot, Operation *add) {
  if (!mlir::isa<stablehlo::AddOp>(add))
    return {};
  Value other = otherOperand(add, dot->getResult(0));
  View view = viewOf(other);
  if (view.base == other || view.offset != 0)
    return {};
  TensorType lhs = *knownTypeOf(dot->getOperand(0)),
             result = *knownTypeOf(dot->getResult(0));
  DotDimensions dims = *dotDimensions(dot, lhs);
  size_t columns = lhs.shape.size() - dims.lhsContracted.size();
  int64_t next = 1;
  for (size_t d = result.shape.size(); d-- > 0;) {
    bool column = d >= columns;
    if (result.shape[d] != 1 && view.strides[d] != (column ? next : 0))
      return {};
    next *= column ? result.shape[d] : 1;
  }
  return next > 1 ? view.base : Value();
}

/// maximum(operand, +0)
static bool isRelu(Operation *op, Value operand) {
  if (!mlir::isa<stablehlo::MaximumOp>(op))
    return false;
  Value other = otherOperand(op, operand);
  while (Operation *made = makerOf<stablehlo::BroadcastInDimOp>(other))
    other = made->getOperand(0);
  mlir::DenseElementsAttr value = splatOf(other);
  return value && value.getSplatValue<llvm::APFloat>().isPosZero();
}

/// An operation that could fuse with the one that makes the value reads it, perhaps through
/// views.
static bool isReadByLoops(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *op) {
    if (op->getNumResults() == 1 && op->getNumOperands() == 1 &&
        viewOf(op->getResult(0)).base != op->getResult(0))
      return isReadByLoops(op->getResult(0));
    return reference::ElementwiseFunction::knows(op) ||
           mlir::isa<stablehlo::ReduceOp>(op);
  });
}

static void findEpilogue(ProductGroup &product) {
  Value result = product.op->getResult(0);
  numerics::ElementType element = knownTypeOf(result)->element;
  if (!element.isFloat() || element.bits < 32)
    return; // narrower results are rounded before the addition
  Operation *add = soleReader(result);
  Value bias = add ? biasOf(product.op, add) : Value();
  if (!bias)
    return;
  llvm::SmallVector<Operation *, 2> taken{add};
  Operation *next = soleReader(add->getResult(0));
  if (next && isRelu(next, add->getResult(0)))
    taken.push_back(next);
  if (isReadByLoops(taken.back()->getResult(0)))
    return;
  product.bias = bias;
  product.epilogue.bias = kernels::Bias::PerColumn;
  if (taken.size() == 2)
    product.epilogue.activation = kernels::Activation::Relu;
  product.behind.append(taken.begin(), taken.end());
}

/// Strides of the product's own result in the transposed one.
static Shape stridesThrough(Operation *transpose) {
  Shape dense = tensor::rowMajorStrides(
            knownTypeOf(transpose->getResult(0))->shape),
        strides(dense.size());
  for (auto [to, from] :
       llvm::enumerate(reference::intsOf(transpose, "permutation")))
    strides[from] = dense[to];
  return strides;
}

/// True when neighbouring dimensions [begin, end) continue each other, so that
/// a product can write them as one.
static bool continues(const Shape &shape, const Shape &strides, size_t begin,
                      size_t end) {
  int64_t next = 0;
  for (size_t d = end; d-- > begin;) {
    if (shape[d] == 1)
      continue;
    if (next != 0 && strides[d] != next)
      return false;
    next = strides[d] * shape[d];
  }
  return true;
}

/// The longest of dimensions [begin, end) is long, and the others make few products.
static bool isLongAlone(const Shape &shape, size_t begin, size_t end) {
  constexpr int64_t kLong = 32, kMostProducts = 64;
  int64_t longest = 1, all = 1;
  for (size_t d = begin; d < end; ++d) {
    longest = std::max(longest, shape[d]);
    all *= shape[d];
  }
  return longest >= kLong && all <= kMostProducts * longest;
}

/// Rows and columns of the result are each equally spaced; or, where there are
/// batches anyway, would be if they were batches too (groups of queries that share keys).
static bool isWritable(const ProductGroup &product, const Shape &strides) {
  TensorType lhs = *knownTypeOf(product.op->getOperand(0)),
             result = *knownTypeOf(product.op->getResult(0));
  DotDimensions dims = *dotDimensions(product.op, lhs);
  size_t batch = dims.lhsBatch.size(),
         rows = lhs.shape.size() - dims.lhsContracted.size(),
         rank = result.shape.size();
  bool maySplit = batch > 0 && !product.bias;
  auto lies = [&](size_t begin, size_t end) {
    return continues(result.shape, strides, begin, end) ||
           (maySplit && isLongAlone(result.shape, begin, end));
  };
  return lies(batch, rows) && lies(rows, rank);
}

static void findTranspose(ProductGroup &product) {
  Operation *last = product.behind.empty() ? product.op : product.behind.back(),
            *transpose = soleReader(last->getResult(0));
  if (!transpose || !mlir::isa<stablehlo::TransposeOp>(transpose) ||
      isObserved(transpose))
    return;
  Shape strides = stridesThrough(transpose);
  if (!isWritable(product, strides))
    return;
  product.resultStrides = strides;
  product.behind.push_back(transpose);
}

//===--- Groups and steps ------------------------------------------------===//

std::optional<ProductGroup> productAround(Operation *op) {
  if (!mlir::isa<stablehlo::DotGeneralOp, stablehlo::DotOp>(op) ||
      reference::hasAlgorithm(op) || !hasPlainTypes(op))
    return std::nullopt;
  ProductGroup product{op, {viewed(op->getOperand(0)), viewed(op->getOperand(1))}};
  bool isWide = isWideIntegers(op);
  if (isWide)
    for (ProductSource &source : product.sources)
      narrow(source);
  if (!kernelTakes(product.sources[0].type.element,
                   product.sources[1].type.element,
                   knownTypeOf(op->getResult(0))->element))
    return std::nullopt;
  if (!isWide) {
    findEpilogue(product);
    findTranspose(product);
  }
  return product;
}

std::optional<ProductGroup> convolutionAround(Operation *op) {
  if (!mlir::isa<stablehlo::ConvolutionOp>(op) || !hasPlainTypes(op))
    return std::nullopt;
  Value image = op->getOperand(0);
  ProductGroup convolution{op,
                           {sourceOf(View::dense(image, knownTypeOf(image)->shape), image),
                            reversed(op->getOperand(1))}};
  if (isWideIntegers(op))
    for (ProductSource &source : convolution.sources)
      narrow(source);
  return convolution;
}

std::unique_ptr<Step>
makeProductStep(const std::shared_ptr<NativeContext> &context,
                const ProductGroup &product) {
  return makeDotStep(
      context, *dotDimensions(product.op, *knownTypeOf(product.op->getOperand(0))),
      product.sources[0].layout, product.sources[1].layout,
      product.sources[0].type, product.sources[1].type,
      *knownTypeOf(product.op->getResult(0)), product.resultStrides,
      product.epilogue);
}

static StepSpec specOf(const ProductGroup &convolution,
                       const program::NumericOptions &numeric) {
  return {convolution.op,
          {convolution.sources[0].type, convolution.sources[1].type},
          {*knownTypeOf(convolution.op->getResult(0))},
          numeric};
}

std::unique_ptr<Step>
makeViewedConvolution(const std::shared_ptr<NativeContext> &context,
                      const ProductGroup &convolution,
                      const program::NumericOptions &numeric) {
  StepSpec spec = specOf(convolution, numeric);
  Compiled made =
      makeConvolution({context, spec, convolution.sources[1].layout});
  auto *step = std::get_if<std::unique_ptr<Step>>(&made);
  return step ? std::move(*step) : nullptr;
}

/// Gives an operand its own copies of the operations that make it from `end` (null:
/// of all, from a constant on), where the group also reads one of their results as it
/// is.
static void separate(mlir::OpOperand &operand, Value end,
                     llvm::ArrayRef<Value> read) {
  llvm::SmallVector<Operation *> makers;
  bool isShared = false;
  for (Value value = operand.get(); value != end;) {
    Operation *maker = value.getDefiningOp();
    isShared |= llvm::is_contained(read, value);
    makers.push_back(maker);
    value = maker->getNumOperands() > 0 ? maker->getOperand(0) : Value();
  }
  if (!isShared)
    return;
  mlir::OpBuilder builder(operand.getOwner());
  mlir::IRMapping copies;
  for (Operation *maker : llvm::reverse(makers))
    builder.clone(*maker, copies);
  operand.set(copies.lookup(operand.get()));
}

static Operation *makeGroup(const ProductGroup &product, llvm::StringRef name) {
  GroupParts parts;
  parts.members = {product.op};
  parts.operands = {product.sources[0].base, product.sources[1].base};
  if (product.bias)
    parts.operands.push_back(product.bias);
  for (unsigned o : {0, 1}) {
    separate(product.op->getOpOperand(o), product.sources[o].base,
             parts.operands);
    parts.addViews(product.op->getOperand(o), product.sources[o].base);
  }
  Value made = product.op->getResult(0);
  for (Operation *op : product.behind) {
    parts.members.push_back(op);
    if (op->getNumOperands() == 2) {
      unsigned o = op->getOperand(0) == made ? 1 : 0;
      bool isBias = viewOf(op->getOperand(o)).base == product.bias;
      separate(op->getOpOperand(o), isBias ? product.bias : Value(),
               parts.operands);
      Value other = op->getOperand(o), base = viewOf(other).base;
      parts.addViews(other, base);
      if (!isBias)
        parts.views.insert(base.getDefiningOp()); // the zero of a ReLU
    }
    made = op->getResult(0);
  }
  return makeGroup(name, std::move(parts), product.op->getLoc());
}

static double leastCost(const ConvRequest &request) {
  auto candidates = convCandidates(request);
  return candidates.empty() ? std::numeric_limits<double>::infinity()
                            : candidates.front().cost;
}

/// A convolution that costs no more through views than on copies, which are made at each run: some
/// algorithms read only those.
static void groupConvolution(const ProductGroup &convolution,
                             Lowering &lowering) {
  StepSpec viewed = specOf(convolution, lowering.numeric()), plain = viewed;
  for (unsigned o : {0, 1})
    plain.operands[o] = *knownTypeOf(convolution.op->getOperand(o));
  constexpr double kCopies = 1.3;
  if (kCopies * leastCost({lowering.context(), plain}) <
      leastCost({lowering.context(), viewed, convolution.sources[1].layout}))
    return;
  if (auto step = makeViewedConvolution(lowering.context(), convolution,
                                        lowering.numeric()))
    lowering.keep(makeGroup(convolution, "native.conv"), std::move(step));
}

void groupProducts(mlir::ModuleOp module, const ProgramPassOptions &options) {
  llvm::SmallVector<Operation *> found;
  forEachBlock(module, [&](mlir::Block &block) {
    for (Operation &op : block)
      if (!isObserved(&op))
        found.push_back(&op);
  });
  for (Operation *op : found) {
    if (auto product = productAround(op); product && product->takesIn())
      makeGroup(*product, "native.gemm");
    else if (auto convolution = convolutionAround(op);
             convolution && convolution->takesIn())
      groupConvolution(*convolution, *options.lowering);
  }
}

} // namespace assay::engine
