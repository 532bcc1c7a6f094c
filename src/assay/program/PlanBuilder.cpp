// From MLIR to a plan. Every function that the entry function can reach becomes
// a FunctionPlan. Its values are numbered; a region shares the slots of its
// function, so that captured values need no copies. Its operations become
// StepNodes. Each value is released in the block that defines it, after the
// last operation there that uses it directly or inside a nested region.
#include "assay/program/PlanBuilder.h"
#include "assay/dialect/Native.h"
#include "assay/dialect/Sdy.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/program/DynamicStep.h"
#include "assay/program/Shardings.h"
#include "assay/program/Types.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

namespace assay::program {

namespace {
class Builder {
public:
  Builder(std::shared_ptr<const Program> program, const StepCompiler &compiler,
          const PlanOptions &options)
      : program_(std::move(program)), compiler_(compiler), options_(options),
        symbols_(program_->module()) {}

  llvm::Expected<std::unique_ptr<Plan>> build();

private:
  llvm::Expected<uint32_t> functionIndex(llvm::StringRef name,
                                         mlir::Operation *user);
  llvm::Error buildFunction(uint32_t index);
  llvm::Expected<uint32_t> buildBlock(FunctionPlan &function,
                                      mlir::Block &block, bool keepArguments);
  llvm::Error buildParallel(mlir::Operation &op, StepNode &node);
  llvm::Error buildManual(mlir::Operation &op, StepNode &node);
  llvm::Error buildNode(FunctionPlan &function, mlir::Operation &op,
                        StepNode &node);
  llvm::Error buildBlocks(FunctionPlan &function, mlir::Operation &op,
                          StepNode &node, StepNode::Control control);
  llvm::Expected<std::unique_ptr<Step>> compile(const StepSpec &spec);
  llvm::Error buildData(FunctionPlan &function, mlir::Operation &op,
                        StepNode &node);
  void buildShadow(StepSpec spec, StepNode &node);
  void findReleases(mlir::Block &block, BlockPlan &plan, bool keepArguments);
  SlotId slotOf(FunctionPlan &function, mlir::Value value);

  std::shared_ptr<const Program> program_;
  const StepCompiler &compiler_;
  const PlanOptions &options_;
  mlir::SymbolTable symbols_;
  std::unique_ptr<Plan> plan_ = std::make_unique<Plan>();
  llvm::DenseMap<mlir::Operation *, uint32_t> functions_;
  llvm::DenseMap<mlir::Value, SlotId> slots_;
};
} // namespace

int64_t Plan::stepCount() const {
  int64_t count = 0;
  for (const std::unique_ptr<FunctionPlan> &function : functions)
    for (const BlockPlan &block : function->blocks)
      count += static_cast<int64_t>(block.steps.size());
  return count;
}

static llvm::Error atOperation(llvm::Error error, mlir::Operation *op) {
  return addContext(std::move(error), describeLocation(op->getLoc()) + ": '" +
                                          op->getName().getStringRef() + "'");
}

SlotId Builder::slotOf(FunctionPlan &function, mlir::Value value) {
  auto [it, inserted] = slots_.try_emplace(value, function.slots);
  if (inserted)
    ++function.slots;
  return it->second;
}

llvm::Expected<uint32_t> Builder::functionIndex(llvm::StringRef name,
                                                mlir::Operation *user) {
  auto function = symbols_.lookup<mlir::func::FuncOp>(name);
  if (!function || function.isDeclaration())
    return atOperation(makeError(ErrorCode::NotFound,
                                 "the program has no body for @{0}", name),
                       user);
  auto [it, inserted] = functions_.try_emplace(
      function, static_cast<uint32_t>(plan_->functions.size()));
  if (inserted) {
    plan_->functions.push_back(std::make_unique<FunctionPlan>());
    plan_->functions.back()->name = name.str();
    plan_->functions.back()->op = function;
  }
  return it->second;
}

llvm::Expected<std::unique_ptr<Plan>> Builder::build() {
  llvm::Expected<mlir::func::FuncOp> entry = program_->function(options_.entry);
  if (!entry)
    return entry.takeError();
  plan_->program = program_;
  plan_->shadow = options_.shadow;
  plan_->customFunctions = options_.functions;
  llvm::Expected<uint32_t> index = functionIndex(entry->getSymName(), *entry);
  if (!index)
    return index.takeError();
  plan_->entry = *index;
  // functionIndex appends the functions that bodies call, so this loop sees
  // each of them once.
  for (uint32_t i = 0; i < plan_->functions.size(); ++i)
    if (llvm::Error error = buildFunction(i))
      return error;
  return std::move(plan_);
}

llvm::Error Builder::buildFunction(uint32_t index) {
  FunctionPlan &function = *plan_->functions[index];
  mlir::Region &body = function.op->getRegion(0);
  if (!body.hasOneBlock())
    return makeError(
        ErrorCode::Unsupported,
        "@{0} has several blocks; only structured control flow runs",
        function.name);
  return buildBlock(function, body.front(), false).takeError();
}

llvm::Expected<uint32_t> Builder::buildBlock(FunctionPlan &function,
                                             mlir::Block &block,
                                             bool keepArguments) {
  auto index = static_cast<uint32_t>(function.blocks.size());
  function.blocks
      .emplace_back(); // reserves the index, since nested blocks are appended
                       // after it
  BlockPlan plan;
  for (mlir::BlockArgument argument : block.getArguments())
    plan.arguments.push_back(slotOf(function, argument));
  for (mlir::Operation &op : block.without_terminator()) {
    StepNode &node = plan.steps.emplace_back();
    node.op = &op;
    node.name = op.getName().getStringRef();
    for (mlir::Value operand : op.getOperands())
      node.operands.push_back(slotOf(function, operand));
    for (mlir::Value result : op.getResults())
      node.results.push_back(slotOf(function, result));
    if (llvm::Error error = buildNode(function, op, node))
      return atOperation(std::move(error), &op);
  }
  for (mlir::Value value : block.getTerminator()->getOperands())
    plan.returns.push_back(slotOf(function, value));
  findReleases(block, plan, keepArguments);
  function.blocks[index] = std::move(plan);
  return index;
}

void Builder::findReleases(mlir::Block &block, BlockPlan &plan,
                           bool keepArguments) {
  llvm::DenseMap<SlotId, size_t> lastUse;
  auto defines = [&](mlir::Value value) {
    if (value.getParentBlock() != &block)
      return false;
    return !(keepArguments && mlir::isa<mlir::BlockArgument>(value));
  };
  size_t index = 0;
  for (mlir::Operation &op : block.without_terminator()) {
    op.walk([&](mlir::Operation *inner) {
      for (mlir::Value operand : inner->getOperands())
        if (defines(operand))
          lastUse[slots_.lookup(operand)] = index;
    });
    for (mlir::Value result : op.getResults())
      lastUse.try_emplace(slots_.lookup(result), index);
    ++index;
  }
  llvm::DenseMap<SlotId, int> returned;
  for (SlotId slot : plan.returns)
    ++returned[slot];
  for (auto [slot, step] : lastUse)
    if (!returned.count(slot))
      plan.steps[step].release.push_back(slot);
  for (mlir::Value value : block.getTerminator()->getOperands())
    plan.returnMoves.push_back(defines(value) &&
                               returned[slots_.lookup(value)] == 1);
  for (StepNode &node : plan.steps) {
    llvm::sort(node.release);
    // An operand that a region of the operation also captures must stay in its
    // slot while the region runs.
    llvm::SmallVector<SlotId> captured;
    if (!native::isGroup(node.op))
      for (mlir::Region &region : node.op->getRegions())
        region.walk([&](mlir::Operation *inner) {
          for (mlir::Value operand : inner->getOperands())
            captured.push_back(slots_.lookup(operand));
        });
    for (SlotId slot : node.operands)
      node.dying.push_back(llvm::is_contained(node.release, slot) &&
                           llvm::count(node.operands, slot) == 1 &&
                           !llvm::is_contained(captured, slot));
  }
}

llvm::Error Builder::buildBlocks(FunctionPlan &function, mlir::Operation &op,
                                 StepNode &node, StepNode::Control control) {
  node.control = control;
  for (mlir::Region &region : op.getRegions()) {
    bool isCondition =
        control == StepNode::Control::While && node.blocks.empty();
    llvm::Expected<uint32_t> block =
        buildBlock(function, region.front(), isCondition);
    if (!block)
      return block.takeError();
    node.blocks.push_back(*block);
  }
  return llvm::Error::success();
}

std::optional<StepNode::Control> regionControl(mlir::Operation *op) {
  if (mlir::isa<stablehlo::AsyncStartOp>(op))
    return StepNode::Control::Async;
  if (mlir::isa<stablehlo::WhileOp>(op))
    return StepNode::Control::While;
  if (mlir::isa<stablehlo::IfOp>(op))
    return StepNode::Control::If;
  if (mlir::isa<stablehlo::CaseOp>(op))
    return StepNode::Control::Case;
  return std::nullopt;
}

mlir::ElementsAttr constantOf(mlir::Operation *op) {
  llvm::StringRef name = op->getName().getStringRef();
  bool isConstant = name == "stablehlo.constant" || name == "chlo.constant" ||
                    name == "arith.constant";
  return isConstant ? op->getAttrOfType<mlir::ElementsAttr>("value")
                    : mlir::ElementsAttr();
}

llvm::Error setConstant(StepNode &node, mlir::ElementsAttr value,
                        const std::shared_ptr<const Program> &program) {
  llvm::Expected<Tensor> tensor = tensorOf(value, program);
  if (!tensor)
    return tensor.takeError();
  // The literal of a quantised constant is written in the storage type.
  llvm::Expected<TensorType> type =
      tensorTypeOf(node.op->getResult(0).getType());
  if (!type)
    return type.takeError();
  if (type->element.quantization)
    *tensor = tensor->bitcast(type->element);
  node.control = StepNode::Control::Constant;
  node.constant = Value(std::move(*tensor));
  return llvm::Error::success();
}

/// Types of values that are not tensors (tokens, tuples) are left empty.
template <typename Types, typename Out>
static llvm::Error typesOf(Types &&types, Out &out) {
  for (mlir::Type type : types) {
    if (!mlir::isa<mlir::ShapedType>(type)) {
      out.emplace_back();
      continue;
    }
    llvm::Expected<TensorType> tensorType = dynamicTypeOf(type);
    if (!tensorType)
      return tensorType.takeError();
    out.push_back(*tensorType);
  }
  return llvm::Error::success();
}

/// Compiles the step now, or at run time where a shape is not known yet.
llvm::Expected<std::unique_ptr<Step>> Builder::compile(const StepSpec &spec) {
  if (llvm::none_of(spec.operands, isDynamic) &&
      llvm::none_of(spec.results, isDynamic))
    return compiler_.compile(spec);
  plan_->dynamic = true;
  std::shared_ptr<const StepCompiler> compiler = compiler_.atRunTime();
  if (!compiler)
    return makeError(ErrorCode::Unsupported,
                     "shapes that are known at run time alone are not "
                     "supported here");
  return makeDynamicStep(spec, std::move(compiler));
}

llvm::Error Builder::buildData(FunctionPlan &function, mlir::Operation &op,
                               StepNode &node) {
  StepSpec spec{&op, {}, {}, options_.numeric, false, options_.functions.get()};
  if (llvm::Error error = typesOf(op.getOperandTypes(), spec.operands))
    return error;
  if (llvm::Error error = typesOf(op.getResultTypes(), spec.results))
    return error;
  llvm::Expected<std::unique_ptr<Step>> step = compile(spec);
  if (!step)
    return step.takeError();
  node.step = std::move(*step);
  if (!node.step->ownsResults())
    node.resultTypes.assign(spec.results.begin(), spec.results.end());
  if (native::isGroup(&op))
    return llvm::Error::success(); // such a step handles its region itself
  for (mlir::Region &region : op.getRegions()) {
    for (mlir::Type argument : region.getArgumentTypes())
      if (auto ranked = mlir::dyn_cast<mlir::RankedTensorType>(argument);
          ranked && ranked.getRank() != 0)
        return makeError(ErrorCode::Unsupported,
                         "a region with arguments that are not scalars is not "
                         "run");
    llvm::Expected<uint32_t> block =
        buildBlock(function, region.front(), false);
    if (!block)
      return block.takeError();
    node.blocks.push_back(*block);
    node.lanes.push_back(compiler_.compileLanes(region, options_.shadow));
  }
  if (options_.shadow)
    buildShadow(std::move(spec), node);
  return llvm::Error::success();
}

/// Builds the shadow step, if the results have a shadow: the same operation
/// with every float type widened.
void Builder::buildShadow(StepSpec spec, StepNode &node) {
  bool anyShadow = false;
  for (TensorType &type : spec.results) {
    std::optional<numerics::ElementType> wide = shadowTypeOf(type.element);
    anyShadow |= wide.has_value();
    if (wide)
      type.element = *wide;
    node.shadowResultTypes.push_back(wide ? type : TensorType());
  }
  if (!anyShadow) {
    node.shadowResultTypes.clear();
    return;
  }
  if (node.step->jointShadow())
    return;
  for (TensorType &type : spec.operands)
    if (std::optional<numerics::ElementType> wide = shadowTypeOf(type.element))
      type.element = *wide;
  spec.shadow = true;
  llvm::Expected<std::unique_ptr<Step>> shadow = compile(spec);
  if (shadow) {
    node.shadowStep = std::move(*shadow);
    return;
  }
  // without a shadow step, the shadow is the converted result
  ErrorText text = takeError(shadow.takeError());
  if (text.code == ErrorCode::NotFound && plan_->noShadow.empty())
    plan_->noShadow = llvm::formatv("operation {0}: {1}", spec.op->getName(),
                                    text.message);
}

/// Plans every function that the operation names. `callee` becomes the last
/// one.
llvm::Error Builder::buildParallel(mlir::Operation &op, StepNode &node) {
  node.control = StepNode::Control::Call;
  auto plan = [&](mlir::Attribute attribute) -> llvm::Error {
    return functionIndex(
               mlir::cast<mlir::FlatSymbolRefAttr>(attribute).getValue(), &op)
        .moveInto(node.callee);
  };
  if (auto infeed = op.getAttrOfType<mlir::ArrayAttr>("infeed"))
    for (mlir::Attribute function : infeed)
      if (llvm::Error error = plan(function))
        return error;
  for (mlir::Attribute row : op.getAttrOfType<mlir::ArrayAttr>("programs"))
    for (mlir::Attribute function : mlir::cast<mlir::ArrayAttr>(row))
      if (llvm::Error error = plan(function))
        return error;
  return llvm::Error::success();
}

/// Like a call of a function whose body is the operation's region. Each process
/// runs it.
llvm::Error Builder::buildManual(mlir::Operation &op, StepNode &node) {
  if (llvm::Error error = ManualComputation::decode(&op).takeError())
    return error;
  node.control = StepNode::Control::Call;
  node.callee = static_cast<uint32_t>(plan_->functions.size());
  plan_->functions.push_back(std::make_unique<FunctionPlan>());
  plan_->functions.back()->name = "manual_computation";
  plan_->functions.back()->op = &op;
  return llvm::Error::success();
}

llvm::Error Builder::buildNode(FunctionPlan &function, mlir::Operation &op,
                               StepNode &node) {
  using Control = StepNode::Control;
  if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op)) {
    node.control = Control::Call;
    return functionIndex(call.getCallee(), &op).moveInto(node.callee);
  }
  if (auto composite = mlir::dyn_cast<stablehlo::CompositeOp>(op)) {
    node.control = Control::Call;
    return functionIndex(composite.getDecomposition(), &op)
        .moveInto(node.callee);
  }
  if (node.name == "interpreter.run_parallel")
    return buildParallel(op, node);
  if (mlir::isa<sdy::ManualComputationOp>(op))
    return buildManual(op, node);
  if (std::optional<Control> control = regionControl(&op))
    return buildBlocks(function, op, node, *control);
  if (mlir::ElementsAttr value = constantOf(&op))
    return setConstant(node, value, program_);
  return buildData(function, op, node);
}

llvm::Expected<std::unique_ptr<Plan>>
buildPlan(std::shared_ptr<const Program> program, const StepCompiler &compiler,
          const PlanOptions &options) {
  return Builder(std::move(program), compiler, options).build();
}

} // namespace assay::program
