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

void ProgramRecorder::add(mlir::Operation *op, TensorKind kind, size_t i,
                          const tensor::Tensor &tensor) {
  ProgramRecorder &all = *first_;
  if (!all.failure_.empty())
    return;
  const Name &name = all.nameOf(op);
  DumpName dumpName{1,    name.path,       name.className, running_.lookup(op),
                    kind, std::to_string(i)};
  std::string dataset = dumpName.dataset();
  llvm::Expected<tensor::Tensor> dense = tensor.dense();
  llvm::Error error =
      dense ? writer_.add(dataset, std::move(*dense)) : dense.takeError();
  if (error) {
    ErrorText text = assay::takeError(std::move(error));
    all.failure_ = text.message;
    all.failureCode_ = text.code;
    return;
  }
  ++all.tensors_;
}

/// Whether a step is recorded: all except whole programs that run elsewhere.
static bool isRecorded(const StepNode &node) {
  return node.control == StepNode::Control::Data &&
         !mlir::isa<mlir::func::FuncOp>(node.op);
}

void ProgramRecorder::beforeStep(const StepNode &node,
                                 llvm::ArrayRef<Value *> operands) {
  if (!isRecorded(node))
    return;
  running_[node.op] = first_->nameOf(node.op).executions++;
  for (size_t i = 0; i < std::min<size_t>(operands.size(), node.op->getNumOperands());
       ++i)
    if (operands[i]->isTensor())
      add(node.op, TensorKind::ForwardInput, i, operands[i]->tensor());
}

void ProgramRecorder::onStep(const StepNode &node, llvm::ArrayRef<Value *>,
                             llvm::ArrayRef<Value> results, int64_t) {
  if (!isRecorded(node))
    return;
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i].isTensor())
      add(node.op, TensorKind::ForwardOutput, i, results[i].tensor());
}

llvm::Error ProgramRecorder::takeError() {
  if (failure_.empty())
    return llvm::Error::success();
  return makeError(failureCode_, "recording stopped: {0}", failure_);
}

} // namespace assay::trace
