// A failing test: its identity (for the journal), its size, and the two edits
// that make up every cut: a changed copy of the program, a part of a tensor.
#include "assay/judge/reduce/TestCase.h"
#include "assay/formats/Hdf5Reader.h"
#include "assay/reference/Strided.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace assay;
using namespace assay::judge;
using tensor::Tensor;

mlir::func::FuncOp TestCase::main() const {
  return llvm::cantFail(program->function("main"));
}

static void addHash(std::string &all, const Tensor &tensor) {
  all += tensor::toString(tensor.type());
  auto size =
      static_cast<size_t>(tensor.isSplat() ? tensor.elementType().storageBytes()
                                           : tensor.denseBytes());
  all += formats::hashBytes(llvm::ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t *>(tensor.bytes()), size));
}

std::string TestCase::key() const {
  std::string all;
  llvm::raw_string_ostream os(all);
  program->module().print(os, mlir::OpPrintingFlags().enableDebugInfo(false));
  for (const std::vector<Tensor> *list : {&inputs, &recorded, &expected})
    for (const Tensor &tensor : *list)
      addHash(all, tensor);
  return formats::hashBytes(llvm::ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t *>(all.data()), all.size()));
}

int64_t TestCase::elements() const {
  int64_t count = 0;
  for (const Tensor &input : inputs)
    count += input.size();
  return count;
}

int64_t TestCase::operations() const {
  int64_t count = 0;
  main().walk([&](mlir::Operation *op) {
    count += mlir::isa<mlir::func::FuncOp>(op->getParentOp()) &&
             op->getName().getStringRef() != "stablehlo.constant" &&
             !op->hasTrait<mlir::OpTrait::IsTerminator>();
  });
  return count;
}

llvm::Expected<std::shared_ptr<const program::Program>>
judge::editedProgram(const program::Program &program,
                     llvm::function_ref<void(mlir::ModuleOp)> edit) {
  llvm::Expected<std::shared_ptr<const program::Program>> copy =
      program::Program::copyOf(program.module(), program.name());
  if (!copy)
    return copy;
  mlir::ModuleOp module = (*copy)->module();
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(
      module.getContext(),
      [&](mlir::Diagnostic &diagnostic) { messages += diagnostic.str(); });
  edit(module);
  if (mlir::failed(mlir::verify(module)))
    return makeError(ErrorCode::InvalidArgument, "{0}", messages);
  return copy;
}

llvm::Expected<Tensor> judge::sliceOf(const Tensor &tensor,
                                      llvm::ArrayRef<int64_t> starts,
                                      llvm::ArrayRef<int64_t> shape) {
  if (tensor.shape() == shape)
    return tensor;
  for (size_t d = 0; d < shape.size(); ++d)
    if (starts[d] < 0 || starts[d] + shape[d] > tensor.shape()[d])
      return makeError(ErrorCode::InvalidArgument,
                       "{0} elements from {1} on are not in {2}", shape[d],
                       starts[d], tensor::toString(tensor.type()));
  llvm::Expected<Tensor> whole = tensor.dense();
  if (!whole)
    return whole;
  llvm::Expected<Tensor> part = Tensor::allocate(
      {tensor.elementType(), tensor::Shape(shape.begin(), shape.end())});
  if (!part)
    return part;
  tensor::Shape strides = tensor::rowMajorStrides(tensor.shape());
  int64_t width = tensor.elementType().storageBytes();
  reference::copyStrided(
      width, shape,
      whole->bytes() + reference::dotIndex(starts, strides) * width, strides,
      part->mutableBytes(), tensor::rowMajorStrides(shape));
  return part;
}
