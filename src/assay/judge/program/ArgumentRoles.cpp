// A walk over the operations in order, with a map from values to the argument
// that they copy.
#include "assay/judge/program/ArgumentRoles.h"
#include "assay/dialect/Stablehlo.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;

static constexpr int kMostCalls = 64;

namespace {
/// A value that is a copy of an argument.
struct Copy {
  int argument = -1;
  bool widened = false; ///< repeated along new dimensions
  bool shifted = false; ///< a constant was added
};

class RoleFinder {
public:
  explicit RoleFinder(size_t arguments) : roles(arguments) {}
  void visit(mlir::Block &block);

  std::vector<ArgumentRole> roles;
  llvm::DenseMap<mlir::Value, Copy> copies;

private:
  void visit(mlir::Operation &op);
  void enter(mlir::Block &block, mlir::ValueRange operands);
  void findFanIn(mlir::Operation &op);
  void findShift(mlir::Operation &op);
  int calls_ = 0;
};
} // namespace

static double elements(mlir::Type type) {
  auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
  return shaped && shaped.hasStaticShape()
             ? static_cast<double>(shaped.getNumElements())
             : 1.0;
}

/// How many products one element of the result of a dot or convolution sums.
static double depthOf(mlir::Operation &op) {
  auto lhs = mlir::cast<mlir::ShapedType>(op.getOperand(0).getType()),
       rhs = mlir::cast<mlir::ShapedType>(op.getOperand(1).getType());
  if (auto dot = mlir::dyn_cast<stablehlo::DotGeneralOp>(op)) {
    double depth = 1;
    for (int64_t d : dot.getDotDimensionNumbers().getLhsContractingDimensions())
      depth *= static_cast<double>(lhs.getDimSize(static_cast<unsigned>(d)));
    return depth;
  }
  if (auto conv = mlir::dyn_cast<stablehlo::ConvolutionOp>(op)) {
    int64_t d = conv.getDimensionNumbers().getKernelOutputFeatureDimension();
    return elements(rhs) /
           static_cast<double>(std::max<int64_t>(1, rhs.getShape()[d]));
  }
  return lhs.getRank() ? static_cast<double>(lhs.getShape().back()) : 1;
}

void RoleFinder::findFanIn(mlir::Operation &op) {
  for (unsigned i : {1u, 0u}) {
    Copy copy = copies.lookup(op.getOperand(i));
    if (copy.argument < 0 || copy.shifted)
      continue;
    double &fanIn = roles[static_cast<size_t>(copy.argument)].fanIn;
    fanIn = std::max(fanIn, depthOf(op));
    return;
  }
}

/// Notes that the result is a copy of an argument plus a constant.
void RoleFinder::findShift(mlir::Operation &op) {
  for (unsigned i : {0u, 1u}) {
    Copy copy = copies.lookup(op.getOperand(i));
    mlir::Operation *other = op.getOperand(1 - i).getDefiningOp();
    while (other && other->getNumOperands() == 1)
      other = other->getOperand(0).getDefiningOp();
    if (copy.argument < 0 || !other ||
        other->getName().getStringRef() != "stablehlo.constant")
      continue;
    copy.shifted = true;
    copies[op.getResult(0)] = copy;
  }
}

void RoleFinder::enter(mlir::Block &block, mlir::ValueRange operands) {
  for (auto [argument, operand] : llvm::zip(block.getArguments(), operands))
    if (Copy copy = copies.lookup(operand); copy.argument >= 0)
      copies[argument] = copy;
  visit(block);
}

void RoleFinder::visit(mlir::Operation &op) {
  llvm::StringRef name = op.getName().stripDialect();
  bool moves = llvm::StringSwitch<bool>(name)
                   .Cases({"reshape", "transpose", "convert", "slice",
                           "dynamic_slice", "reverse", "optimization_barrier",
                           "broadcast", "broadcast_in_dim"},
                          true)
                   .Default(false);
  if (moves) {
    Copy copy = copies.lookup(op.getOperand(0));
    copy.widened |= elements(op.getResult(0).getType()) >
                    elements(op.getOperand(0).getType());
    if (copy.argument >= 0)
      copies[op.getResult(0)] = copy;
  } else if (name == "dot" || name == "dot_general" || name == "convolution") {
    findFanIn(op);
  } else if (name == "add") {
    findShift(op);
  } else if (name == "multiply") {
    for (mlir::Value operand : op.getOperands())
      if (Copy copy = copies.lookup(operand); copy.argument >= 0)
        roles[static_cast<size_t>(copy.argument)].isGain |= copy.widened;
  } else if (name == "sqrt" || name == "rsqrt" || name == "log") {
    Copy copy = copies.lookup(op.getOperand(0));
    if (copy.argument >= 0 && (copy.shifted || copy.widened))
      roles[static_cast<size_t>(copy.argument)].isVariance = true;
  } else if (name == "while") {
    for (mlir::Region &region : op.getRegions())
      enter(region.front(), op.getOperands());
  } else if (name == "if" || name == "case") {
    for (mlir::Region &region : op.getRegions())
      visit(region.front());
  } else if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op)) {
    auto callee =
        mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(
            call, call.getCalleeAttr());
    if (callee && !callee.isDeclaration() && ++calls_ <= kMostCalls)
      enter(callee.getBody().front(), op.getOperands());
  }
}

void RoleFinder::visit(mlir::Block &block) {
  for (mlir::Operation &op : block)
    visit(op);
}

std::vector<ArgumentRole> judge::rolesOfArguments(mlir::func::FuncOp function) {
  RoleFinder finder(function.getNumArguments());
  for (mlir::BlockArgument argument : function.getArguments())
    finder.copies[argument].argument =
        static_cast<int>(argument.getArgNumber());
  finder.visit(function.getBody().front());
  return finder.roles;
}
