// The observer behind `assay run --record`. Tensors are shared with the
// writer's queue, not copied: they are immutable, and a step that would write
// in place sees that its operand is shared and makes a copy.
#include "assay/trace/ProgramRecorder.h"
#include "assay/program/Plan.h"
#include "assay/trace/DumpName.h"
#include "assay/trace/OneOp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace assay::trace {

using program::StepNode;
using program::Value;

ProgramRecorder::Name &ProgramRecorder::nameOf(mlir::Operation *op) {
  auto [it, inserted] = names_.try_emplace(op);
  if (!inserted)
    return it->second;
  Name &name = it->second;
  name.className = op->getName().stripDialect().str();
  name.path = paths_.of(op);
  return name;
}

void ProgramRecorder::add(const Name &name, TensorKind kind, size_t i,
                          const tensor::Tensor &tensor) {
  if (!failure_.empty())
    return;
  DumpName dumpName{1,    name.path,        name.className, name.executions,
                    kind, std::to_string(i)};
  std::string dataset = dumpName.dataset();
  llvm::Expected<tensor::Tensor> dense = tensor.dense();
  llvm::Error error =
      dense ? writer_.add(dataset, std::move(*dense)) : dense.takeError();
  if (error) {
    ErrorText text = assay::takeError(std::move(error));
    failure_ = text.message;
    failureCode_ = text.code;
    return;
  }
  ++tensors_;
}

/// Not a whole program that runs elsewhere.
static bool isRecorded(const StepNode &node) {
  return node.control == StepNode::Control::Data &&
         !mlir::isa<mlir::func::FuncOp>(node.op);
}

void ProgramRecorder::beforeStep(const StepNode &node,
                                 llvm::ArrayRef<Value *> operands) {
  if (!isRecorded(node))
    return;
  Name &name = nameOf(node.op);
  for (size_t i = 0; i < std::min<size_t>(operands.size(), node.op->getNumOperands());
       ++i)
    if (operands[i]->isTensor())
      add(name, TensorKind::ForwardInput, i, operands[i]->tensor());
}

void ProgramRecorder::onStep(const StepNode &node, llvm::ArrayRef<Value *>,
                             llvm::ArrayRef<Value> results, int64_t) {
  if (!isRecorded(node))
    return;
  Name &name = nameOf(node.op);
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i].isTensor())
      add(name, TensorKind::ForwardOutput, i, results[i].tensor());
  ++name.executions;
}

llvm::Error ProgramRecorder::takeError() {
  if (failure_.empty())
    return llvm::Error::success();
  return makeError(failureCode_, "recording stopped: {0}", failure_);
}

} // namespace assay::trace
