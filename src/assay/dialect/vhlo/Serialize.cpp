// Writes StableHLO as a portable artifact, in three steps. First every
// operation gets VHLO's explicit attributes (flat dimension numbers, defaults).
// Then the oldest sufficient version is determined from the rows of Ops.def,
// the defaults, and the types and attributes in use. Last, a copy of the module
// in VHLO's operations of that version is written as MLIR bytecode.
//
// A row can express an operation if attributes that later rows added have their
// defaults, so an artifact's version is no later than its program requires.
#include "assay/dialect/StablehloAttrs.h"
#include "assay/dialect/vhlo/Defaults.h"
#include "assay/dialect/vhlo/Ops.h"
#include "assay/dialect/vhlo/Vhlo.h"
#include "assay/dialect/vhlo/Wire.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/DenseSet.h"

namespace assay::vhlo {

using namespace mlir;

//===--- Attributes ------------------------------------------------------===//

namespace {
template <typename Numbers> struct Field {
  llvm::StringLiteral name;
  ArrayRef<int64_t> (Numbers::*list)() const;
  int64_t (Numbers::*number)() const;
};
using Conv = stablehlo::ConvDimensionNumbersAttr;
using Dot = stablehlo::DotDimensionNumbersAttr;
using Gather = stablehlo::GatherDimensionNumbersAttr;
using Scatter = stablehlo::ScatterDimensionNumbersAttr;
} // namespace

static constexpr Field<Conv> kConv[] = {
    {"input_batch_dimension", nullptr, &Conv::getInputBatchDimension},
    {"input_feature_dimension", nullptr, &Conv::getInputFeatureDimension},
    {"input_spatial_dimensions", &Conv::getInputSpatialDimensions, nullptr},
    {"kernel_input_feature_dimension", nullptr,
     &Conv::getKernelInputFeatureDimension},
    {"kernel_output_feature_dimension", nullptr,
     &Conv::getKernelOutputFeatureDimension},
    {"kernel_spatial_dimensions", &Conv::getKernelSpatialDimensions, nullptr},
    {"output_batch_dimension", nullptr, &Conv::getOutputBatchDimension},
    {"output_feature_dimension", nullptr, &Conv::getOutputFeatureDimension},
    {"output_spatial_dimensions", &Conv::getOutputSpatialDimensions, nullptr}};
static constexpr Field<Dot> kDot[] = {
    {"lhs_batching_dimensions", &Dot::getLhsBatchingDimensions, nullptr},
    {"rhs_batching_dimensions", &Dot::getRhsBatchingDimensions, nullptr},
    {"lhs_contracting_dimensions", &Dot::getLhsContractingDimensions, nullptr},
    {"rhs_contracting_dimensions", &Dot::getRhsContractingDimensions, nullptr}};
static constexpr Field<Gather> kGather[] = {
    {"offset_dims", &Gather::getOffsetDims, nullptr},
    {"collapsed_slice_dims", &Gather::getCollapsedSliceDims, nullptr},
    {"operand_batching_dims", &Gather::getOperandBatchingDims, nullptr},
    {"start_indices_batching_dims", &Gather::getStartIndicesBatchingDims,
     nullptr},
    {"start_index_map", &Gather::getStartIndexMap, nullptr},
    {"index_vector_dim", nullptr, &Gather::getIndexVectorDim}};
static constexpr Field<Scatter> kScatter[] = {
    {"update_window_dims", &Scatter::getUpdateWindowDims, nullptr},
    {"inserted_window_dims", &Scatter::getInsertedWindowDims, nullptr},
    {"input_batching_dims", &Scatter::getInputBatchingDims, nullptr},
    {"scatter_indices_batching_dims", &Scatter::getScatterIndicesBatchingDims,
     nullptr},
    {"scatter_dims_to_operand_dims", &Scatter::getScatterDimsToOperandDims,
     nullptr},
    {"index_vector_dim", nullptr, &Scatter::getIndexVectorDim}};

namespace {
/// An operation of VHLO before its version is chosen.
struct Flat {
  llvm::StringRef stem;
  llvm::SmallVector<const Row *> rows;
  NamedAttrList attributes;
};
} // namespace

template <typename Numbers, size_t N>
static bool flatten(NamedAttrList &list, llvm::StringRef name,
                    const Field<Numbers> (&fields)[N]) {
  auto numbers = llvm::dyn_cast_or_null<Numbers>(list.get(name));
  if (!numbers)
    return false;
  list.erase(name);
  Builder b(numbers.getContext());
  for (const Field<Numbers> &field : fields)
    list.set(field.name,
             field.list
                 ? Attribute(b.getDenseI64ArrayAttr((numbers.*field.list)()))
                 : b.getI64IntegerAttr((numbers.*field.number)()));
  return true;
}

static void flattenAlgorithm(NamedAttrList &list) {
  auto a = llvm::dyn_cast_or_null<stablehlo::DotAlgorithmAttr>(
      list.erase("algorithm"));
  if (!a)
    return;
  Builder b(a.getContext());
  list.set("lhs_precision_type", TypeAttr::get(a.getLhsPrecisionType()));
  list.set("rhs_precision_type", TypeAttr::get(a.getRhsPrecisionType()));
  list.set("accumulation_type", TypeAttr::get(a.getAccumulationType()));
  list.set("lhs_component_count",
           b.getI64IntegerAttr(a.getLhsComponentCount()));
  list.set("rhs_component_count",
           b.getI64IntegerAttr(a.getRhsComponentCount()));
  list.set("num_primitive_operations",
           b.getI64IntegerAttr(a.getNumPrimitiveOperations()));
  list.set("allow_imprecise_accumulation",
           b.getBoolAttr(a.getAllowImpreciseAccumulation()));
}

/// Splits dimension numbers and similar attributes into separate ones.
static NamedAttrList flatten(Operation *op, llvm::StringRef stem) {
  NamedAttrList list(op->getAttrDictionary());
  flatten(list, "dimension_numbers", kConv) ||
      flatten(list, "dimension_numbers", kGather) ||
      flatten(list, "dot_dimension_numbers", kDot) ||
      flatten(list, "scatter_dimension_numbers", kScatter);
  flattenAlgorithm(list);
  Builder b(op->getContext());
  if (auto channel = llvm::dyn_cast_or_null<stablehlo::ChannelHandleAttr>(
          list.erase("channel_handle"))) {
    list.set("channel_id", b.getI64IntegerAttr(channel.getHandle()));
    if (stem == "send" || stem == "recv")
      list.set("channel_type", b.getI64IntegerAttr(channel.getType()));
  }
  for (llvm::StringRef name : {"use_global_device_ids", "has_dynamic_root"})
    if (llvm::isa_and_nonnull<UnitAttr>(list.get(name)))
      list.set(name, b.getBoolAttr(true));
  return list;
}

/// The number of dimensions of an operation's windows.
static int64_t countWindows(Operation *op, llvm::StringRef stem) {
  if (op->getNumOperands() == 0)
    return 0;
  Type first = op->getOperand(0).getType();
  if (auto value = llvm::dyn_cast<ValueType>(first)) // already replaced
    first = value.getType();
  auto type = llvm::dyn_cast<RankedTensorType>(first);
  int64_t rank = type ? type.getRank() : 0;
  bool convolves = stem == "convolution" || stem == "dynamic_conv";
  return convolves ? std::max<int64_t>(rank - 2, 0) : rank;
}

/// "add" for stablehlo.add, "func" for func.func; empty if VHLO has no such
/// operation.
static llvm::StringRef vhloStem(Operation *op) {
  llvm::StringRef name = op->getName().stripDialect(),
                  dialect = op->getName().getDialectNamespace();
  bool ofFunctions = dialect == "func" &&
                     (name == "func" || name == "call" || name == "return");
  return dialect == "stablehlo" || ofFunctions ? name : "";
}

static FailureOr<Flat> flattened(Operation *op) {
  Flat flat{vhloStem(op), {}, {}};
  if (!flat.stem.empty())
    flat.rows = rowsOf(flat.stem);
  if (flat.rows.empty())
    return op->emitError("'")
           << op->getName()
           << "' is not an operation of portable artifacts, which have those of "
              "stablehlo and func";
  flat.attributes = flatten(op, flat.stem);
  int64_t windows = countWindows(op, flat.stem);
  for (const Row *row : flat.rows)
    for (llvm::StringRef name : row->attributeNames()) {
      if (flat.attributes.get(name))
        continue;
      Attribute value = makeDefault(flat.stem, name, windows, op->getContext());
      if (!value)
        return op->emitError("'")
               << op->getName() << "' lacks the attribute '" << name << "'";
      flat.attributes.set(name, value);
    }
  return flat;
}

//===--- Versions --------------------------------------------------------===//

namespace {
/// Writes nothing; walks nested attributes and collects the version that they
/// require.
class Probe : public DialectBytecodeWriter {
public:
  Need need;
  /// The first type or attribute that VHLO cannot represent; empty if there is
  /// none.
  std::string unknown;

  void writeAttribute(Attribute attribute) override {
    if (seen_.insert(attribute.getAsOpaquePointer()).second &&
        failed(vhlo::writeAttribute(llvm::cast<ValueAttr>(attribute), *this,
                                    need)))
      note(llvm::cast<ValueAttr>(attribute).getValue());
  }
  void writeType(Type type) override {
    if (seen_.insert(type.getAsOpaquePointer()).second &&
        failed(vhlo::writeType(llvm::cast<ValueType>(type), *this, need)))
      note(llvm::cast<ValueType>(type).getType());
  }
  void writeOptionalAttribute(Attribute attribute) override {
    if (attribute)
      writeAttribute(attribute);
  }
  void writeResourceHandle(const AsmDialectResourceHandle &) override {}
  void writeVarInt(uint64_t) override {}
  void writeSignedVarInt(int64_t) override {}
  void writeAPIntWithKnownWidth(const APInt &) override {}
  void writeAPFloatWithKnownSemantics(const APFloat &) override {}
  void writeOwnedString(StringRef) override {}
  void writeOwnedBlob(ArrayRef<char>) override {}
  void writeOwnedBool(bool) override {}
  int64_t getBytecodeVersion() const override {
    return kNewest.bytecodeVersion();
  }
  FailureOr<const DialectVersion *>
  getDialectVersion(StringRef) const override {
    return failure();
  }

private:
  template <typename T> void note(T what) {
    llvm::raw_string_ostream(unknown) << what;
  }
  llvm::DenseSet<const void *> seen_;
};
} // namespace

/// Whether a row can express the operation: attributes that the row lacks must
/// have their default, the first rows of collectives allow one operand, and the
/// first row of composite allows no region.
static bool canExpress(const Row &row, Operation *op, const Flat &flat) {
  auto names = row.attributeNames();
  for (llvm::StringRef name : flat.rows.back()->attributeNames())
    if (!llvm::is_contained(names, name) &&
        !isDefault(flat.stem, name, flat.attributes.get(name)))
      return false;
  if (&row == flat.rows.back())
    return true;
  if (flat.stem == "all_gather" || flat.stem == "all_reduce" ||
      flat.stem == "all_to_all")
    return op->getNumOperands() == 1;
  return flat.stem != "composite" || op->getNumRegions() == 0;
}

static ValueAttr valueOf(llvm::StringRef name, Attribute value) {
  return ValueAttr::get(value, name == "api_version" ? kApiVersion : 0);
}

/// Raises the version for uses that are newer than the operation's row and its
/// attributes.
static void raiseForUse(Operation *op, const Flat &flat, Need &need) {
  if (flat.stem == "custom_call") {
    auto api = llvm::dyn_cast_or_null<stablehlo::CustomCallApiVersionAttr>(
        flat.attributes.get("api_version"));
    if (llvm::isa_and_nonnull<DictionaryAttr>(
            flat.attributes.get("backend_config")) ||
        (api && api.getValue() ==
                    stablehlo::CustomCallApiVersion::API_VERSION_TYPED_FFI))
      need.raise("1.3.0");
    if (llvm::any_of(op->getOperandTypes(),
                     llvm::IsaPred<stablehlo::FutureType>))
      need.raise("1.17.0");
    return;
  }
  if (flat.stem == "convolution" || flat.stem == "dynamic_conv") {
    Type lhs = getElementTypeOrSelf(op->getOperand(0)),
         rhs = getElementTypeOrSelf(op->getOperand(1));
    if (lhs != rhs && llvm::isa<FloatType>(lhs) && llvm::isa<FloatType>(rhs))
      need.raise("1.20.0");
    return;
  }
  for (llvm::StringRef name : {"lhs_precision_type", "rhs_precision_type"})
    if (auto type =
            llvm::dyn_cast_or_null<TypeAttr>(flat.attributes.get(name));
        type && llvm::isa<Float8E4M3FNType>(type.getValue()))
      need.raise("1.21.0");
  constexpr llvm::StringRef kReducers[] = {
      "all_reduce",    "reduce",  "reduce_scatter",
      "reduce_window", "scatter", "select_and_scatter"};
  if (!llvm::is_contained(kReducers, flat.stem))
    return;
  for (auto [operand, result] :
       llvm::zip(op->getOperandTypes(), op->getResultTypes()))
    if (getElementTypeOrSelf(operand) != getElementTypeOrSelf(result))
      need.raise("0.17.0"); // for results that are wider than their operands
}

/// The oldest version that supports the operation with its types and
/// attributes. Errors: a diagnostic at an operation that no version can
/// express.
static FailureOr<Version> oldestVersionOf(Operation *op, Probe &probe) {
  FailureOr<Flat> flat = flattened(op);
  if (failed(flat))
    return failure();
  probe.need = {};
  const Row *row = *llvm::find_if(
      flat->rows, [&](const Row *one) { return canExpress(*one, op, *flat); });
  probe.need.raise(row->since);
  raiseForUse(op, *flat, probe.need);
  auto kept = row->attributeNames();
  for (NamedAttribute entry : flat->attributes)
    if (llvm::is_contained(kept, entry.getName().getValue()) ||
        !isDefault(flat->stem, entry.getName(), entry.getValue()))
      probe.writeAttribute(valueOf(entry.getName(), entry.getValue()));
  auto note = [&](TypeRange types) {
    for (Type type : types)
      probe.writeType(ValueType::get(type));
  };
  note(op->getOperandTypes());
  note(op->getResultTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      note(block.getArgumentTypes());
  if (probe.unknown.empty())
    return probe.need.version;
  return op->emitError("'") << op->getName() << "' has "
                            << llvm::StringRef(probe.unknown).take_front(200)
                            << ", which has no form in portable artifacts";
}

/// The oldest version that supports every operation of a program. Errors: a
/// diagnostic at an operation that needs a later version than `limit`.
static FailureOr<Version> oldestVersionOf(ModuleOp module, Version limit) {
  Version need = kOldest;
  WalkResult result = module->walk([&](Operation *op) -> WalkResult {
    if (op == module)
      return WalkResult::advance();
    Probe probe;
    FailureOr<Version> own = oldestVersionOf(op, probe);
    if (failed(own))
      return WalkResult::interrupt();
    need = std::max(need, *own);
    if (*own <= limit)
      return WalkResult::advance();
    op->emitError("'") << op->getName() << "' in this form needs portable "
                       << "artifacts of version " << own->text()
                       << " or later, the target is " << limit.text();
    return WalkResult::interrupt();
  });
  return result.wasInterrupted() ? FailureOr<Version>(failure()) : need;
}

//===--- Writing ---------------------------------------------------------===//

/// Replaces an operation of StableHLO by VHLO's.
static LogicalResult replace(Operation *op, Version version) {
  FailureOr<Flat> flat = flattened(op);
  if (failed(flat))
    return failure();
  const Row *row = flat->rows.front();
  for (const Row *one : flat->rows)
    if (*Version::parse(one->since) <= version)
      row = one;
  OperationState state(op->getLoc(), row->name);
  state.addOperands(op->getOperands());
  for (Type type : op->getResultTypes())
    state.addTypes(ValueType::get(type));
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  auto own = row->attributeNames();
  if (!own.empty())
    for (llvm::StringRef name : own)
      state.getOrAddProperties<Values>().list.push_back(
          valueOf(name, flat->attributes.get(name)));
  auto known = flat->rows.back()->attributeNames();
  for (NamedAttribute entry : flat->attributes)
    if (!llvm::is_contained(own, entry.getName().getValue()) &&
        !llvm::is_contained(known, entry.getName().getValue()) &&
        !isDefault(flat->stem, entry.getName(), entry.getValue()))
      state.addAttribute(entry.getName(), ValueAttr::get(entry.getValue()));
  OpBuilder builder(op);
  Operation *made = builder.create(state);
  for (Region &region : made->getRegions())
    for (Value argument : region.getArguments())
      argument.setType(ValueType::get(argument.getType()));
  op->replaceAllUsesWith(made->getResults());
  op->erase();
  return success();
}

LogicalResult serialize(ModuleOp module, std::optional<Version> target,
                        llvm::raw_ostream &os) {
  module->getContext()->getOrLoadDialect<VhloDialect>();
  FailureOr<Version> need = oldestVersionOf(module, target.value_or(kNewest));
  if (failed(need))
    return failure();
  Version version = target.value_or(std::max(*need, kUsual));
  OwningOpRef<ModuleOp> copy(module.clone());
  WalkResult result =
      copy->walk<WalkOrder::PostOrder>([&](Operation *op) -> WalkResult {
        return op != copy->getOperation() && failed(replace(op, version))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      });
  if (result.wasInterrupted())
    return failure();
  std::string producer = "StableHLO_v" + version.text();
  BytecodeWriterConfig config(producer);
  config.setDesiredBytecodeVersion(version.bytecodeVersion());
  return writeBytecodeToFile(*copy, os, config);
}

} // namespace assay::vhlo
