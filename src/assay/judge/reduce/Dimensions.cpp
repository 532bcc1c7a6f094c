// Dimensions of values are joined as each operation demands (union-find);
// windows, paddings and concatenations give formulas. The resulting classes are
// the sizes of the problem: m, n and k of a product, batch and channels of a
// convolution.
#include "assay/judge/reduce/Dimensions.h"
#include "assay/program/Types.h"
#include "mlir/IR/Builders.h"

using namespace assay;
using namespace assay::judge;
using tensor::Tensor;

static mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

Dimensions::Dimensions(mlir::func::FuncOp function) {
  mlir::Block &block = function.getBody().front();
  for (mlir::BlockArgument argument : block.getArguments())
    addValue(argument);
  for (mlir::Operation &op : block.without_terminator())
    for (mlir::Value result : op.getResults())
      addValue(result);
  for (mlir::Operation &op : block.without_terminator())
    addOperation(&op);
  number();
}

void Dimensions::addValue(mlir::Value value) {
  first_[value] = parent_.size();
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  for (int64_t size : type ? type.getShape() : llvm::ArrayRef<int64_t>()) {
    parent_.push_back(parent_.size());
    idSizes_.push_back(size);
    idPinned_.push_back(mlir::ShapedType::isDynamic(size));
  }
}

size_t Dimensions::root(size_t id) const {
  while (parent_[id] != id)
    id = parent_[id] = parent_[parent_[id]];
  return id;
}

void Dimensions::tie(mlir::Value a, int64_t i, mlir::Value b, int64_t j) {
  size_t x = root(first_.lookup(a) + static_cast<size_t>(i)),
         y = root(first_.lookup(b) + static_cast<size_t>(j));
  if (x > y)
    std::swap(x, y);
  parent_[y] = x;
  // They differ where an attribute has just changed, for example the groups of
  // a convolution.
  idSizes_[x] = std::min(idSizes_[x], idSizes_[y]);
  idPinned_[x] = idPinned_[x] || idPinned_[y];
}

void Dimensions::pin(mlir::Value value, int64_t d) {
  idPinned_[root(first_.lookup(value) + static_cast<size_t>(d))] = true;
}

void Dimensions::pinAll(mlir::Operation *op) {
  for (auto range : {mlir::ValueRange(op->getOperands()),
                     mlir::ValueRange(op->getResults())})
    for (mlir::Value value : range)
      if (auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType()))
        for (int64_t d = 0; d < type.getRank(); ++d)
          pin(value, d);
}

void Dimensions::derive(
    mlir::Value value, int64_t d,
    llvm::ArrayRef<std::pair<mlir::Value, int64_t>> from,
    std::function<int64_t(llvm::ArrayRef<int64_t>)> compute) {
  Formula formula{
      first_.lookup(value) + static_cast<size_t>(d), {}, std::move(compute)};
  for (auto [source, i] : from)
    formula.from.push_back(first_.lookup(source) + static_cast<size_t>(i));
  formulas_.push_back(std::move(formula));
}

/// Classes get numbers in the order of their first dimension.
void Dimensions::number() {
  numbers_.resize(parent_.size());
  for (size_t id = 0; id < parent_.size(); ++id) {
    if (root(id) != id)
      continue;
    numbers_[id] = sizes_.size();
    sizes_.push_back(idSizes_[id]);
    pinned_.push_back(idPinned_[id]);
    derived_.push_back(false);
  }
  for (size_t id = 0; id < parent_.size(); ++id)
    numbers_[id] = numbers_[root(id)];
  for (Formula &formula : formulas_) {
    formula.result = numbers_[formula.result];
    for (size_t &from : formula.from)
      from = numbers_[from];
    derived_[formula.result] = true;
  }
}

size_t Dimensions::of(mlir::Value value, int64_t d) const {
  return numbers_[first_.lookup(value) + static_cast<size_t>(d)];
}

bool Dimensions::isFree(size_t dimension) const {
  return !pinned_[dimension] && !derived_[dimension];
}

std::optional<std::vector<int64_t>>
Dimensions::settle(std::vector<int64_t> sizes) const {
  for (size_t round = 0; round <= formulas_.size(); ++round) {
    bool changed = false;
    for (const Formula &formula : formulas_) {
      std::vector<int64_t> from;
      for (size_t dimension : formula.from)
        from.push_back(sizes[dimension]);
      int64_t size = formula.compute(from);
      changed |= size != sizes[formula.result];
      sizes[formula.result] = size;
    }
    if (!changed)
      break;
    if (round == formulas_.size())
      return std::nullopt; // two formulas contradict each other
  }
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < 1 || (!derived_[i] && sizes[i] > sizes_[i]) ||
        (pinned_[i] && sizes[i] != sizes_[i]))
      return std::nullopt;
  return sizes;
}

std::optional<std::vector<int64_t>> Dimensions::resized(size_t dimension,
                                                        int64_t size) const {
  std::vector<int64_t> sizes = sizes_;
  sizes[dimension] = size;
  return settle(std::move(sizes));
}

std::optional<std::vector<int64_t>> Dimensions::derived() const {
  return settle(sizes_);
}

void Dimensions::apply(mlir::func::FuncOp function,
                       llvm::ArrayRef<int64_t> sizes) const {
  mlir::Block &block = function.getBody().front();
  auto retype = [&](mlir::Value value) {
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
    if (!type)
      return;
    llvm::SmallVector<int64_t> shape;
    for (int64_t d = 0; d < type.getRank(); ++d)
      shape.push_back(sizes[of(value, d)]);
    value.setType(type.clone(shape));
  };
  for (mlir::BlockArgument argument : block.getArguments())
    retype(argument);
  for (mlir::Operation &op : block.without_terminator()) {
    if (op.getName().getStringRef() == "stablehlo.slice") {
      // Only dimensions that are sliced whole change; the others are pinned.
      auto old = typeOf(op.getOperand(0)).getShape(); // already the new type
      auto limits = op.getAttrOfType<mlir::DenseI64ArrayAttr>("limit_indices");
      auto starts = op.getAttrOfType<mlir::DenseI64ArrayAttr>("start_indices");
      if (limits && starts) {
        llvm::SmallVector<int64_t> ends(limits.asArrayRef());
        for (size_t d = 0; d < ends.size(); ++d)
          if (starts[static_cast<int64_t>(d)] == 0)
            ends[d] = std::min(ends[d], old[d]);
        op.setAttr("limit_indices",
                   mlir::DenseI64ArrayAttr::get(op.getContext(), ends));
      }
    }
    for (mlir::Value result : op.getResults())
      retype(result);
  }
  mlir::Builder builder(function.getContext());
  function.setType(builder.getFunctionType(
      llvm::to_vector(block.getArgumentTypes()),
      llvm::to_vector(block.getTerminator()->getOperandTypes())));
}

/// Slices the tensors of a test: each dimension that changed begins at
/// `starts`.
static llvm::Expected<std::vector<Tensor>>
sliced(llvm::ArrayRef<Tensor> tensors, mlir::ValueRange values,
       const Dimensions &dimensions, llvm::ArrayRef<int64_t> sizes,
       llvm::ArrayRef<int64_t> starts) {
  std::vector<Tensor> parts;
  for (auto [tensor, value] : llvm::zip(tensors, values)) {
    tensor::Shape shape, from;
    for (int64_t d = 0; d < tensor.rank(); ++d) {
      size_t at = dimensions.of(value, d);
      shape.push_back(sizes[at]);
      from.push_back(sizes[at] == dimensions.size(at) ? 0 : starts[at]);
    }
    llvm::Expected<Tensor> part = sliceOf(tensor, from, shape);
    if (!part)
      return part.takeError();
    parts.push_back(std::move(*part));
  }
  return parts;
}

/// The test under new sizes. `dimensions` are those of the test's own program.
static llvm::Expected<TestCase> cut(const TestCase &test,
                                    const Dimensions &dimensions,
                                    llvm::ArrayRef<int64_t> sizes,
                                    llvm::ArrayRef<int64_t> starts) {
  TestCase smaller;
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      editedProgram(*test.program, [&](mlir::ModuleOp module) {
        auto function = mlir::cast<mlir::func::FuncOp>(
            mlir::SymbolTable::lookupSymbolIn(module, "main"));
        Dimensions(function).apply(function, sizes);
      });
  if (!program)
    return program.takeError();
  smaller.program = std::move(*program);
  mlir::Block &block = test.main().getBody().front();
  llvm::Expected<std::vector<Tensor>> inputs =
      sliced(test.inputs, block.getArguments(), dimensions, sizes, starts);
  if (!inputs)
    return inputs.takeError();
  smaller.inputs = std::move(*inputs);
  for (auto [from, to] : {std::pair(&test.recorded, &smaller.recorded),
                          std::pair(&test.expected, &smaller.expected)}) {
    llvm::Expected<std::vector<Tensor>> parts = sliced(
        *from, block.getTerminator()->getOperands(), dimensions, sizes, starts);
    if (!parts)
      return parts.takeError();
    *to = std::move(*parts);
  }
  return smaller;
}

llvm::Expected<TestCase> judge::withSize(const TestCase &test, size_t dimension,
                                         int64_t size, int64_t start) {
  Dimensions dimensions(test.main());
  std::optional<std::vector<int64_t>> sizes =
      dimensions.resized(dimension, size);
  if (!sizes)
    return makeError(ErrorCode::InvalidArgument, "no such size");
  std::vector<int64_t> starts(dimensions.count());
  starts[dimension] = start;
  return cut(test, dimensions, *sizes, starts);
}

llvm::Expected<TestCase>
judge::withAttributes(const TestCase &test,
                      llvm::function_ref<void(mlir::Operation *)> edit) {
  TestCase changed = test;
  std::optional<std::vector<int64_t>> sizes;
  // The old types with the new attributes would not verify, so the sizes are
  // set in the same edit.
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      editedProgram(*test.program, [&](mlir::ModuleOp module) {
        auto function = mlir::cast<mlir::func::FuncOp>(
            mlir::SymbolTable::lookupSymbolIn(module, "main"));
        for (mlir::Operation &op :
             function.getBody().front().without_terminator())
          edit(&op);
        Dimensions dimensions(function);
        sizes = dimensions.derived();
        if (sizes)
          dimensions.apply(function, *sizes);
      });
  if (!program)
    return program.takeError();
  if (!sizes)
    return makeError(ErrorCode::InvalidArgument, "no such sizes");
  changed.program = std::move(*program);
  mlir::Block &block = changed.main().getBody().front();
  for (auto [input, argument] :
       llvm::zip(changed.inputs, block.getArguments())) {
    llvm::Expected<Tensor> part =
        sliceOf(input, tensor::Shape(input.shape().size(), 0),
                typeOf(argument).getShape());
    if (!part)
      return part.takeError();
    input = std::move(*part);
  }
  return changed;
}
