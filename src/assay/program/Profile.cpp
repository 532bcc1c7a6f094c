// The profile table and the progress line.
#include "assay/program/Profile.h"
#include "assay/dialect/Native.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/program/Plan.h"
#include "assay/program/Types.h"
#include "assay/support/Table.h"

#include <cmath>

namespace assay::program {

static double elementsOf(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape()
             ? static_cast<double>(type.getNumElements())
             : 0;
}

double flopsOf(mlir::Operation *op) {
  if (!op || op->getNumOperands() < 2 || op->getNumResults() != 1)
    return 0;
  double lhs = elementsOf(op->getOperand(0)),
         rhs = elementsOf(op->getOperand(1)),
         result = elementsOf(op->getResult(0));
  if (auto dot = mlir::dyn_cast<stablehlo::DotGeneralOp>(op)) {
    double depth = 1;
    for (int64_t dim :
         dot.getDotDimensionNumbers().getLhsContractingDimensions())
      depth *= static_cast<double>(
          mlir::cast<mlir::RankedTensorType>(op->getOperand(0).getType())
              .getDimSize(dim));
    return 2 * result * depth;
  }
  if (mlir::isa<stablehlo::DotOp>(op))
    return 2 * std::sqrt(lhs * rhs * result); // m k * k n * m n = (m n k)^2
  if (auto convolution = mlir::dyn_cast<stablehlo::ConvolutionOp>(op)) {
    auto type = mlir::cast<mlir::RankedTensorType>(op->getOperand(1).getType());
    int64_t features = type.getDimSize(
        convolution.getDimensionNumbers().getKernelOutputFeatureDimension());
    return features > 0 ? 2 * result * rhs / static_cast<double>(features) : 0;
  }
  return 0;
}

/// The product or convolution that a step computes, possibly inside a group.
static mlir::Operation *productOf(mlir::Operation *op) {
  if (!op || !mlir::isa<native::GemmOp, native::ConvOp>(op))
    return op;
  for (mlir::Operation &inner : op->getRegion(0).front())
    if (mlir::isa<stablehlo::DotGeneralOp, stablehlo::DotOp,
                  stablehlo::ConvolutionOp, native::GemmOp, native::ConvOp>(
            inner))
      return productOf(&inner);
  return op;
}

static int64_t bytesOf(const Value &value) {
  return value.isTensor() ? value.tensor().heldBytes() : 0;
}

void Profile::onStep(const StepNode &node, llvm::ArrayRef<Value *> operands,
                     llvm::ArrayRef<Value> results, int64_t timeNs) {
  // Arithmetic inside loops is not counted.
  mlir::Operation *product = productOf(node.op);
  double flops = flopsOf(product);
  std::string name = (product != node.op ? product->getName().getStringRef()
                                         : node.name)
                         .str();
  if (flops > 0)
    for (mlir::Value operand : product->getOperands().take_front(2)) {
      if (auto type = program::tensorTypeOf(operand.getType()))
        name += " " + tensor::typeString(type->shape, type->element);
      else
        llvm::consumeError(type.takeError());
    }
  Row &row = rows_[name];
  ++row.calls;
  row.timeNs += timeNs;
  row.flops += flops;
  for (const Value *operand : operands)
    row.bytes += bytesOf(*operand);
  for (const Value &result : results) {
    row.elements += result.isTensor() ? result.tensor().size() : 0;
    row.bytes += bytesOf(result);
  }
}

void Profile::print(llvm::raw_ostream &os, const MachineLimits &limits) const {
  std::vector<std::pair<llvm::StringRef, Row>> rows;
  int64_t totalNs = 0;
  for (const auto &entry : rows_) {
    rows.emplace_back(entry.getKey(), entry.getValue());
    totalNs += entry.getValue().timeNs;
  }
  llvm::sort(rows, [](const auto &a, const auto &b) {
    return a.second.timeNs > b.second.timeNs;
  });
  using Align = Table::Align;
  bool known = limits.gflops > 0;
  std::vector<Table::Column> columns{{"operation"}};
  for (const char *title :
       {"calls", "ms", "share", "ns/element", "GFLOP/s", "GB/s"})
    columns.push_back({title, Align::Right});
  if (known)
    columns.push_back({"of limit", Align::Right});
  Table table(std::move(columns));
  for (const auto &[name, row] : rows) {
    auto rate = [&, &row = row](double amount) {
      return row.timeNs > 0 ? amount / static_cast<double>(row.timeNs) : 0;
    };
    double gflops = rate(row.flops),
           gigabytes = rate(static_cast<double>(row.bytes));
    std::vector<std::string> cells{
        name.str(),
        std::to_string(row.calls),
        llvm::formatv("{0:F3}", row.timeNs * 1e-6).str(),
        llvm::formatv("{0:F1} %", totalNs ? 100.0 * row.timeNs / totalNs : 0.0)
            .str(),
        row.elements ? llvm::formatv("{0:F2}", static_cast<double>(row.timeNs) /
                                                   row.elements)
                           .str()
                     : "-",
        row.flops > 0 ? llvm::formatv("{0:F1}", gflops).str() : "-",
        llvm::formatv("{0:F1}", gigabytes).str()};
    if (known)
      cells.push_back(
          llvm::formatv("{0:F0} %",
                        100 * (row.flops > 0 ? gflops / limits.gflops
                                             : gigabytes / limits.gigabytes))
              .str());
    table.addRow(std::move(cells));
  }
  table.print(os);
}

void ProgressObserver::onStep(const StepNode &node, llvm::ArrayRef<Value *>,
                              llvm::ArrayRef<Value>, int64_t) {
  progress_.update(++done_, node.name);
}

} // namespace assay::program
