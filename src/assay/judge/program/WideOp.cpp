// A copy of one operation with wider types, as a program: `func.func
// @main(operands) -> results { op; return }`. It is moved through bytecode into
// its own context, so that the observed program is not touched. Bounds are
// computed with it: it applies the operation to absolute values and errors as
// if they were data. The reference runs it with its steps for shadows: sums in
// plain f64.
#include "assay/judge/program/WideOp.h"
#include "assay/program/Executor.h"
#include "assay/program/Inlining.h"
#include "assay/reference/Reference.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace assay;
using namespace assay::judge;
using tensor::Tensor;

namespace {
/// The reference's steps for shadows, as steps for values.
class WideCompiler final : public program::StepCompiler {
public:
  llvm::Expected<std::unique_ptr<program::Step>>
  compile(const program::StepSpec &spec) const override {
    program::StepSpec wide = spec;
    wide.shadow = true;
    return reference_.compile(wide);
  }
  std::unique_ptr<program::LaneFunction>
  compileLanes(mlir::Region &region, bool withShadow) const override {
    return reference_.compileLanes(region, withShadow);
  }

private:
  reference::ReferenceCompiler reference_;
};
} // namespace

static mlir::Type widened(mlir::Type type) {
  auto ranked = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!ranked)
    return type;
  mlir::Type f64 = mlir::Float64Type::get(type.getContext());
  if (mlir::isa<mlir::FloatType>(ranked.getElementType()))
    return ranked.clone(f64);
  if (mlir::isa<mlir::ComplexType>(ranked.getElementType()))
    return ranked.clone(mlir::ComplexType::get(f64));
  return type;
}

/// A constant inside a region: its elements to f64.
static bool widenConstant(mlir::Operation *op) {
  auto value = op->getAttrOfType<mlir::DenseElementsAttr>("value");
  if (!value || !mlir::isa<mlir::FloatType>(value.getElementType()))
    return !value || !mlir::isa<mlir::ComplexType>(value.getElementType());
  mlir::Type f64 = mlir::Float64Type::get(op->getContext());
  op->setAttr("value", mlir::cast<mlir::DenseFPElementsAttr>(value).mapValues(
                           f64, [](const llvm::APFloat &element) {
                             llvm::APFloat wide = element;
                             bool loses = false;
                             wide.convert(llvm::APFloat::IEEEdouble(),
                                          llvm::APFloat::rmNearestTiesToEven,
                                          &loses);
                             return wide.bitcastToAPInt();
                           }));
  return true;
}

static bool widenRegions(mlir::Operation *op) {
  bool good = true;
  for (mlir::Region &region : op->getRegions())
    region.walk<mlir::WalkOrder::PreOrder>([&](mlir::Block *block) {
      for (mlir::BlockArgument argument : block->getArguments())
        argument.setType(widened(argument.getType()));
      for (mlir::Operation &inner : *block) {
        good &= widenConstant(&inner);
        for (mlir::Value result : inner.getResults())
          result.setType(widened(result.getType()));
        for (mlir::Value operand : inner.getOperands())
          good &= op->isAncestor(operand.getParentBlock()->getParentOp());
      }
    });
  return good;
}

llvm::Expected<std::unique_ptr<WideOp>> WideOp::make(mlir::Operation *op) {
  llvm::SmallVector<mlir::Type> inputs, outputs;
  for (mlir::Type type : op->getOperandTypes())
    inputs.push_back(widened(type));
  for (mlir::Type type : op->getResultTypes())
    outputs.push_back(widened(type));
  mlir::Location location = mlir::UnknownLoc::get(op->getContext());
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location);
  auto function = mlir::func::FuncOp::create(
      location, "main",
      mlir::FunctionType::get(op->getContext(), inputs, outputs));
  module->push_back(function);
  mlir::Block *block = function.addEntryBlock();
  mlir::IRMapping mapping;
  // An operand that occurs twice gets an argument for each place, so that
  // each place can have its own data.
  mlir::Operation *copy = op->clone(mapping);
  block->push_back(copy);
  program::inlineCallsWithin(copy, op);
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    copy->setOperand(i, block->getArgument(i));
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    copy->getResult(i).setType(outputs[i]);
  copy->removeAttr("algorithm");
  if (!widenRegions(copy)) {
    copy->dropAllReferences();
    copy->erase();
    return makeError(ErrorCode::Unsupported,
                     "a region of '{0}' reads values from outside or holds "
                     "complex constants",
                     op->getName().getStringRef());
  }
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(block);
  mlir::func::ReturnOp::create(builder, location, copy->getResults());
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (mlir::failed(mlir::writeBytecodeToFile(*module, os)))
    return makeError(ErrorCode::Internal, "'{0}' has no bytecode",
                     op->getName().getStringRef());
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      program::Program::fromBytecode(bytes, "wide");
  if (!program)
    return program.takeError();
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      program::buildPlan(*program, WideCompiler(), {});
  if (!plan)
    return plan.takeError();
  auto wide = std::make_unique<WideOp>();
  wide->plan_ = std::move(*plan);
  return wide;
}

llvm::Expected<std::vector<Tensor>> WideOp::run(llvm::ArrayRef<Tensor> operands,
                                                ThreadPool &pool) const {
  program::RunContext context(pool);
  llvm::Expected<std::vector<program::Value>> results =
      program::execute(*plan_, operands, context);
  if (!results)
    return results.takeError();
  std::vector<Tensor> tensors;
  for (program::Value &result : *results) {
    llvm::Expected<Tensor> dense = result.tensor().dense();
    if (!dense)
      return dense.takeError();
    tensors.push_back(std::move(*dense));
  }
  return tensors;
}
