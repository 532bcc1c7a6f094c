// Verifiers of Control.td: signatures of regions and of the functions to which
// operations refer.
#include "assay/dialect/Stablehlo.h"
#include "assay/dialect/Verify.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

namespace assay::stablehlo {

using namespace mlir;

LogicalResult IfOp::verify() {
  if (!shapeOf(getPred()).empty())
    return emitOpError() << "'pred' must have rank 0, got "
                         << getPred().getType();
  if (failed(expectRegion(*this, "true_branch", getTrueBranch(), {},
                          getResultTypes()))) // if_c1 to c3
    return failure();
  return expectRegion(*this, "false_branch", getFalseBranch(), {},
                      getResultTypes());
}

LogicalResult CaseOp::verify() {
  if (getBranches().empty()) // case_c1
    return emitOpError() << "needs at least one branch";
  for (auto [index, branch] : llvm::enumerate(getBranches())) // case_c2 to c4
    if (failed(expectRegion(*this, "branch " + std::to_string(index), branch,
                            {}, getResultTypes())))
      return failure();
  return success();
}

LogicalResult WhileOp::verify() {
  Type pred = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  TypeRange types = getOperandTypes();
  if (failed(expectRegion(*this, "cond", getCond(), types, pred)) || // while_c1
      failed(expectRegion(*this, "body", getBody(), types, types)))  // while_c2
    return failure();
  if (getNumResults() != types.size()) // while_c3
    return emitOpError() << "must have as many results as operands, "
                         << types.size() << ", got " << getNumResults();
  return expectRegion(*this, "body", getBody(), types,
                      getResultTypes()); // while_c3
}

LogicalResult OptimizationBarrierOp::verify() {
  for (Type type : getOperandTypes()) // tensors, per-tensor quantized, tokens
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && isPerAxis(tensor.getElementType()))
      return emitOpError() << "operands must not be quantized per axis, got "
                           << type;
  if (llvm::equal(getOperandTypes(),
                  getResultTypes())) // optimization_barrier_c1
    return success();
  return emitOpError() << "results must have the types of the operands";
}

LogicalResult TupleOp::verify() {
  if (llvm::equal(getVal().getTypes(),
                  getResult().getType().getTypes())) // tuple_c1
    return success();
  return emitOpError() << "result must be a tuple of the operands' types, got "
                       << getResult().getType();
}

LogicalResult GetTupleElementOp::verify() {
  TupleType tuple = getOperand().getType();
  auto index = static_cast<int32_t>(getIndex());
  if (index < 0 ||
      index >= static_cast<int64_t>(tuple.size())) // get_tuple_element_c1
    return emitOpError() << "'index' must be within [0, " << tuple.size()
                         << "), got " << index;
  if (tuple.getType(index) != getResult().getType()) // get_tuple_element_c2
    return emitOpError() << "result must have type " << tuple.getType(index)
                         << ", got " << getResult().getType();
  return success();
}

/// async_start_c2
static bool mayRunAsync(Operation &op) {
  return isa<AllReduceOp, AllGatherOp, AllToAllOp, CollectivePermuteOp,
             ReduceScatterOp, CollectiveBroadcastOp, SliceOp, DynamicSliceOp,
             DynamicUpdateSliceOp>(op);
}

LogicalResult AsyncStartOp::verify() {
  ArrayRef<Type> types = getResult().getType().getTypes();
  if (failed(expectRegion(*this, "body", getBody(), getOperandTypes(),
                          types))) // async_start_c4
    return failure();
  Block &block = getBody().front();
  if (block.getOperations().size() != 2) // async_start_c1
    return emitOpError()
           << "region 'body' must hold one operation and stablehlo.return";
  Operation &inner = block.front();
  if (!mayRunAsync(inner)) // async_start_c2
    return emitOpError()
           << "region 'body' must hold a collective operation or a slice, got "
           << inner.getName();
  if (!llvm::equal(inner.getOperands(), block.getArguments())) // async_start_c3
    return emitOpError() << "operands of " << inner.getName()
                         << " must be the arguments of region 'body'";
  return success();
}

LogicalResult AsyncDoneOp::verify() {
  if (llvm::equal(getOperand().getType().getTypes(),
                  getResultTypes())) // async_done_c1
    return success();
  return emitOpError() << "results must have the types of the future, "
                       << getOperand().getType();
}

LogicalResult CompositeOp::verify() {
  auto [space, name] = getName().split('.');
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  auto isName = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  };
  if (!space.empty() && llvm::isAlpha(space.front()) &&
      llvm::all_of(space, isWord) && !name.empty() &&
      llvm::all_of(name, isName)) // composite_c1
    return success();
  return emitOpError()
         << "'name' must have the form \"namespace.operation\", got \""
         << getName() << "\"";
}

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getDecompositionAttr());
  if (!function) // composite_c2
    return emitOpError() << "no function named '" << getDecomposition() << "'";
  if (!llvm::equal(function.getArgumentTypes(),
                   getInputs().getTypes())) // composite_c3
    return emitOpError()
           << "operands do not have the types of the arguments of '"
           << getDecomposition() << "'";
  if (!llvm::equal(function.getResultTypes(), getResultTypes())) // composite_c4
    return emitOpError() << "results do not have the types of the results of '"
                         << getDecomposition() << "'";
  return success();
}

/// Checks that layouts are given for all values or for none, and that each is a
/// permutation of the dimensions.
static LogicalResult expectLayouts(Operation *op, StringRef name,
                                   std::optional<ArrayAttr> layouts,
                                   TypeRange types) {
  if (!layouts)
    return success();
  if (types.size() == 1 && layouts->size() != 1)
    if (auto tuple = dyn_cast<TupleType>(types.front()))
      types = tuple.getTypes();
  if (failed(expectSize(op, name, layouts->size(), types.size())))
    return failure();
  for (auto [layout, type] : llvm::zip_equal(*layouts, types)) {
    auto dims = dyn_cast<DenseIntElementsAttr>(layout);
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!dims || !dims.getElementType().isIndex())
      return op->emitOpError()
             << "'" << name << "' must hold lists of dimensions, got "
             << layout;
    if (!tensor && !dims.empty())
      return op->emitOpError() << "'" << name << "' must be empty for " << type
                               << ", which is not a tensor, got " << layout;
    if (!tensor)
      continue;
    if (dims.getType().getShape() != Shape{tensor.getRank()})
      return op->emitOpError()
             << "'" << name << "' must name " << tensor.getRank()
             << " dimensions, got " << dims.getType();
    auto order =
        llvm::map_to_vector(dims.getValues<APInt>(), [](const APInt &dim) {
          return dim.getSExtValue();
        });
    if (failed(expectInRange(op, name, order, tensor.getRank())) ||
        failed(expectUnique(op, name, order)))
      return failure();
  }
  return success();
}

/// The type at a path of positions in nested tuples; null where the path is not
/// valid.
static Type typeAt(Type type, ArrayRef<int64_t> path) {
  for (int64_t index : path) {
    auto tuple = dyn_cast<TupleType>(type);
    if (!tuple || index < 0 || index >= static_cast<int64_t>(tuple.size()))
      return {};
    type = tuple.getType(index);
  }
  return type;
}

/// Checks that values that share memory have the same type. Several results
/// count as one tuple.
static LogicalResult expectAlias(CustomCallOp op,
                                 OutputOperandAliasAttr alias) {
  if (failed(expectInRange(op, "operand_index", alias.getOperandIndex(),
                           op.getInputs().size())))
    return failure();
  Type whole = op.getNumResults() == 1
                   ? op.getResult(0).getType()
                   : TupleType::get(op.getContext(), op.getResultTypes());
  Type output = typeAt(whole, alias.getOutputTupleIndices()),
       operand = typeAt(op.getInputs()[alias.getOperandIndex()].getType(),
                        alias.getOperandTupleIndices());
  if (!output)
    return op.emitOpError()
           << "'output_tuple_indices' point outside the result, " << whole;
  if (!operand)
    return op.emitOpError()
           << "'operand_tuple_indices' point outside operand "
           << alias.getOperandIndex() << ", "
           << op.getInputs()[alias.getOperandIndex()].getType();
  if (output != operand)
    return op.emitOpError() << "an alias must have one type, got " << output
                            << " (result) and " << operand << " (operand)";
  return success();
}

/// Checks that the configuration is a dictionary for the typed interface, text
/// for the older ones.
static LogicalResult expectConfig(CustomCallOp op) {
  std::optional<Attribute> config = op.getBackendConfig();
  bool typed =
      op.getApiVersion() == CustomCallApiVersion::API_VERSION_TYPED_FFI;
  if (!config || isa<DictionaryAttr>(*config) == typed)
    return success();
  return op.emitOpError() << "'backend_config' of api_version "
                          << stringifyCustomCallApiVersion(op.getApiVersion())
                          << " must be a " << (typed ? "dictionary" : "string")
                          << ", got " << *config;
}

LogicalResult CustomCallOp::verify() {
  if (failed(expectConfig(*this)))
    return failure();
  if (getOperandLayouts().has_value() != getResultLayouts().has_value())
    return emitOpError()
           << "'operand_layouts' and 'result_layouts' must be given together";
  if (failed(expectLayouts(*this, "operand_layouts", getOperandLayouts(),
                           getInputs().getTypes())) ||
      failed(expectLayouts(*this, "result_layouts", getResultLayouts(),
                           getResultTypes())))
    return failure();
  for (auto alias :
       getOutputOperandAliases().getAsRange<OutputOperandAliasAttr>())
    if (failed(expectAlias(*this, alias)))
      return failure();
  return success();
}

} // namespace assay::stablehlo
