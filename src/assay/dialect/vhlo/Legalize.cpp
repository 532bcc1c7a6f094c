// Converts VHLO's operations to StableHLO. VHLO's names include the version;
// its attributes are flat where StableHLO has one attribute with fields
// (dimension numbers), and explicit where StableHLO omits a default.
#include "assay/dialect/StablehloAttrs.h"
#include "assay/dialect/vhlo/Defaults.h"
#include "assay/dialect/vhlo/Ops.h"
#include "assay/dialect/vhlo/Vhlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace assay::vhlo {

using namespace mlir;

namespace {
/// The attributes of one operation during the conversion. A missing attribute
/// or one of the wrong kind sets `wrong` in take...().
class Attributes {
public:
  explicit Attributes(Operation *op)
      : op_(op), context_(op->getContext()), list_(op->getAttrs()) {}

  void become(llvm::StringRef op);
  const NamedAttrList &list() const { return list_; }
  llvm::StringRef wrong() const { return wrong_; }

private:
  Attribute take(llvm::StringRef name) {
    Attribute value = list_.get(name);
    list_.erase(name);
    return value;
  }
  llvm::SmallVector<int64_t> takeInts(llvm::StringRef name);
  int64_t takeInt(llvm::StringRef name);
  void makeSymbol(llvm::StringRef name) {
    if (auto text = llvm::dyn_cast_or_null<StringAttr>(list_.get(name)))
      list_.set(name, FlatSymbolRefAttr::get(text));
  }
  void makeUnit(llvm::StringRef name) {
    auto flag = llvm::dyn_cast_or_null<BoolAttr>(take(name));
    if (flag && flag.getValue())
      list_.set(name, UnitAttr::get(context_));
  }
  void convolution();
  void dot();
  void gather();
  void scatter();
  void channel(llvm::StringRef op);
  void calls(llvm::StringRef op);
  void defaults(llvm::StringRef op);
  void arrays();

  Operation *op_;
  MLIRContext *context_;
  NamedAttrList list_;
  std::string wrong_;
};
} // namespace

/// Takes a list, which VHLO writes as a tensor of one dimension.
llvm::SmallVector<int64_t> Attributes::takeInts(llvm::StringRef name) {
  Attribute value = take(name);
  if (!value)
    return {}; // a version that did not have the attribute
  auto list = llvm::dyn_cast<DenseIntElementsAttr>(value);
  if (!list || !list.getElementType().isInteger(64)) {
    wrong_ = ("'" + name + "' is not a list of numbers").str();
    return {};
  }
  return llvm::to_vector(list.getValues<int64_t>());
}

int64_t Attributes::takeInt(llvm::StringRef name) {
  auto value = llvm::dyn_cast_or_null<IntegerAttr>(take(name));
  if (!value || value.getValue().getBitWidth() > 64) {
    wrong_ = ("'" + name + "' is not a number").str();
    return 0;
  }
  return value.getValue().getSExtValue();
}

void Attributes::convolution() {
  int64_t inBatch = takeInt("input_batch_dimension"),
          inFeature = takeInt("input_feature_dimension"),
          kernelIn = takeInt("kernel_input_feature_dimension"),
          kernelOut = takeInt("kernel_output_feature_dimension"),
          outBatch = takeInt("output_batch_dimension"),
          outFeature = takeInt("output_feature_dimension");
  auto input = takeInts("input_spatial_dimensions"),
       kernel = takeInts("kernel_spatial_dimensions"),
       output = takeInts("output_spatial_dimensions");
  list_.set("dimension_numbers",
            stablehlo::ConvDimensionNumbersAttr::get(
                context_, inBatch, inFeature, input, kernelIn, kernelOut,
                kernel, outBatch, outFeature, output));
}

void Attributes::dot() {
  auto lhsBatch = takeInts("lhs_batching_dimensions"),
       rhsBatch = takeInts("rhs_batching_dimensions"),
       lhsSummed = takeInts("lhs_contracting_dimensions"),
       rhsSummed = takeInts("rhs_contracting_dimensions");
  list_.set("dot_dimension_numbers",
            stablehlo::DotDimensionNumbersAttr::get(
                context_, lhsBatch, rhsBatch, lhsSummed, rhsSummed));
  constexpr llvm::StringLiteral kTypes[] = {
      "lhs_precision_type", "rhs_precision_type", "accumulation_type"};
  constexpr llvm::StringLiteral kCounts[] = {
      "lhs_component_count", "rhs_component_count", "num_primitive_operations"};
  // Without an algorithm, each attribute is the type attribute of `none`.
  auto first = llvm::dyn_cast_or_null<TypeAttr>(list_.get(kTypes[0]));
  bool none = !first || llvm::isa<NoneType>(first.getValue());
  llvm::SmallVector<Type> types;
  llvm::SmallVector<int64_t> counts;
  for (llvm::StringRef name : kTypes) {
    auto type = llvm::dyn_cast_or_null<TypeAttr>(take(name));
    if (!none && !type)
      wrong_ = ("'" + name + "' is not a type").str();
    types.push_back(type ? type.getValue() : Type());
  }
  for (llvm::StringRef name : kCounts)
    counts.push_back(none ? (take(name), 0) : takeInt(name));
  auto imprecise =
      llvm::dyn_cast_or_null<BoolAttr>(take("allow_imprecise_accumulation"));
  if (!none && wrong_.empty())
    list_.set("algorithm",
              stablehlo::DotAlgorithmAttr::get(
                  context_, types[0], types[1], types[2], counts[0], counts[1],
                  counts[2], imprecise && imprecise.getValue()));
}

void Attributes::gather() {
  auto offset = takeInts("offset_dims"),
       collapsed = takeInts("collapsed_slice_dims"),
       operandBatch = takeInts("operand_batching_dims"),
       indexBatch = takeInts("start_indices_batching_dims"),
       map = takeInts("start_index_map");
  list_.set("dimension_numbers",
            stablehlo::GatherDimensionNumbersAttr::get(
                context_, offset, collapsed, operandBatch, indexBatch, map,
                takeInt("index_vector_dim")));
}

void Attributes::scatter() {
  auto window = takeInts("update_window_dims"),
       inserted = takeInts("inserted_window_dims"),
       inputBatch = takeInts("input_batching_dims"),
       indexBatch = takeInts("scatter_indices_batching_dims"),
       map = takeInts("scatter_dims_to_operand_dims");
  list_.set("scatter_dimension_numbers",
            stablehlo::ScatterDimensionNumbersAttr::get(
                context_, window, inserted, inputBatch, indexBatch, map,
                takeInt("index_vector_dim")));
}

/// Collectives only have the channel's number, 0 for none; send and recv also
/// have its type.
void Attributes::channel(llvm::StringRef op) {
  makeUnit("use_global_device_ids");
  makeUnit("has_dynamic_root");
  if (!list_.get("channel_id"))
    return;
  bool isTransfer = op == "send" || op == "recv";
  int64_t number = takeInt("channel_id"),
          kind = isTransfer ? takeInt("channel_type") : 0;
  if (number != 0 || isTransfer)
    list_.set("channel_handle",
              stablehlo::ChannelHandleAttr::get(context_, number, kind));
}

/// Converts attributes of functions, calls and called functions.
void Attributes::calls(llvm::StringRef op) {
  if (op == "call")
    makeSymbol("callee");
  if (op == "composite") {
    makeSymbol("decomposition");
    if (int64_t version = list_.get("version") ? takeInt("version") : 0)
      list_.set("version", Builder(context_).getI32IntegerAttr(
                               static_cast<int32_t>(version)));
  }
  if (auto called =
          llvm::dyn_cast_or_null<ArrayAttr>(list_.get("called_computations"))) {
    llvm::SmallVector<Attribute> symbols;
    for (Attribute name : called)
      if (auto text = llvm::dyn_cast<StringAttr>(name))
        symbols.push_back(FlatSymbolRefAttr::get(text));
    list_.set("called_computations", ArrayAttr::get(context_, symbols));
  }
  list_.erase("result_tilings"); // only hints
}

/// Converts one-dimensional lists, except for constants, to StableHLO's arrays.
void Attributes::arrays() {
  NamedAttrList changed;
  for (NamedAttribute entry : list_) {
    auto list = llvm::dyn_cast<DenseIntElementsAttr>(entry.getValue());
    bool isList =
        list && list.getType().getRank() == 1 && entry.getName() != "value";
    if (isList && list.getElementType().isInteger(64))
      changed.set(entry.getName(),
                  DenseI64ArrayAttr::get(
                      context_, llvm::to_vector(list.getValues<int64_t>())));
    else if (isList && list.getElementType().isInteger(1))
      changed.set(entry.getName(),
                  DenseBoolArrayAttr::get(
                      context_, llvm::to_vector(list.getValues<bool>())));
    else
      changed.push_back(entry);
  }
  list_ = std::move(changed);
}

/// Removes attributes that have their default, which StableHLO omits. Layouts
/// are kept for all operands and results or for none.
void Attributes::defaults(llvm::StringRef op) {
  Attribute operands = list_.get("operand_layouts"),
            results = list_.get("result_layouts");
  bool hasLayouts = operands && results &&
                    !(isDefault(op, "operand_layouts", operands) &&
                      isDefault(op, "result_layouts", results));
  NamedAttrList kept;
  for (NamedAttribute entry : list_) {
    llvm::StringRef name = entry.getName();
    bool isLayout = name == "operand_layouts" || name == "result_layouts";
    if (isLayout ? hasLayouts : !isDefault(op, name, entry.getValue()))
      kept.push_back(entry);
  }
  list_ = std::move(kept);
}

void Attributes::become(llvm::StringRef op) {
  if (op == "convolution" || op == "dynamic_conv")
    convolution();
  else if (op == "dot_general")
    dot();
  else if (op == "gather" || op == "dynamic_gather")
    gather();
  else if (op == "scatter")
    scatter();
  calls(op);
  if (op != "func")
    channel(op);
  defaults(op);
  arrays();
}

static std::string nameFor(Operation *op, llvm::StringRef stem) {
  Operation *parent = op->getParentOp();
  bool ofFunction =
      parent && stemOf(parent->getName().getStringRef()) == "func";
  if (stem == "func" || stem == "call" || (stem == "return" && ofFunction))
    return ("func." + stem).str();
  return ("stablehlo." + stem).str();
}

static LogicalResult legalize(Operation *op) {
  llvm::StringRef stem = stemOf(op->getName().getStringRef());
  if (stem.empty())
    return op->getName().getDialectNamespace() == "vhlo"
               ? op->emitError("'")
                     << op->getName() << "' is not an operation of VHLO"
               : success();
  std::optional<RegisteredOperationName> name =
      RegisteredOperationName::lookup(nameFor(op, stem), op->getContext());
  if (!name)
    return op->emitError("'")
           << op->getName() << "' has no known form in StableHLO";
  if (stem == "compare" && isWeakOrder(op))
    return expandWeakOrder(op);
  Attributes attributes(op);
  attributes.become(stem);
  if (!attributes.wrong().empty())
    return op->emitError("'") << op->getName() << "': " << attributes.wrong();
  OperationState state(op->getLoc(), *name);
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  state.attributes = attributes.list();
  // An inherent attribute of the wrong kind is dropped; the verifier reports
  // that it is missing.
  OpBuilder builder(op);
  Operation *made = builder.create(state);
  op->replaceAllUsesWith(made->getResults());
  op->erase();
  return success();
}

LogicalResult legalizeVhlo(ModuleOp module) {
  module->getContext()->loadDialect<func::FuncDialect>();
  WalkResult result =
      module->walk<WalkOrder::PostOrder>([](Operation *op) -> WalkResult {
        return failed(legalize(op)) ? WalkResult::interrupt()
                                    : WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

} // namespace assay::vhlo
