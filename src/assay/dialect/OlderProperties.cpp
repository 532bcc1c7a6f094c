// Reads and writes properties in bytecode in alphabetical order, like MLIR's
// generated code, except for the one that may be missing. If the wrong number
// of properties is assumed, reading always fails: types differ, or the bytes
// end.
#include "assay/dialect/OlderProperties.h"
#include "assay/dialect/Chlo.h"
#include "assay/dialect/Stablehlo.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

namespace assay {

static thread_local bool older = false;

OlderProperties::OlderProperties() { older = true; }
OlderProperties::~OlderProperties() { older = false; }
bool OlderProperties::isActive() { return older; }
bool OlderProperties::mayMatter(llvm::StringRef bytecode) {
  return bytecode.contains("custom_call") || bytecode.contains("top_k");
}

/// Whether the program of `op` must be written in the later form. All
/// operations of a program are written in the same form.
static bool hasLaterProperties(mlir::Operation *op) {
  while (op->getParentOp())
    op = op->getParentOp();
  return op
      ->walk([](mlir::Operation *one) {
        auto call = mlir::dyn_cast<stablehlo::CustomCallOp>(one);
        auto top = mlir::dyn_cast<chlo::TopKOp>(one);
        return (call && call.getResultTilingsAttr()) ||
                       (top && top.getIsStableAttr())
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace assay

namespace assay::stablehlo {

llvm::LogicalResult
CustomCallOp::readProperties(mlir::DialectBytecodeReader &reader,
                             mlir::OperationState &state) {
  auto &p = state.getOrAddProperties<Properties>();
  return llvm::success(
      succeeded(reader.readOptionalAttribute(p.api_version)) &&
      succeeded(reader.readOptionalAttribute(p.backend_config)) &&
      succeeded(reader.readAttribute(p.call_target_name)) &&
      succeeded(reader.readOptionalAttribute(p.called_computations)) &&
      succeeded(reader.readOptionalAttribute(p.has_side_effect)) &&
      succeeded(reader.readOptionalAttribute(p.operand_layouts)) &&
      succeeded(reader.readOptionalAttribute(p.output_operand_aliases)) &&
      succeeded(reader.readOptionalAttribute(p.result_layouts)) &&
      (older || succeeded(reader.readOptionalAttribute(p.result_tilings))));
}

void CustomCallOp::writeProperties(mlir::DialectBytecodeWriter &writer) {
  const Properties &p = getProperties();
  writer.writeOptionalAttribute(p.api_version);
  writer.writeOptionalAttribute(p.backend_config);
  writer.writeAttribute(p.call_target_name);
  writer.writeOptionalAttribute(p.called_computations);
  writer.writeOptionalAttribute(p.has_side_effect);
  writer.writeOptionalAttribute(p.operand_layouts);
  writer.writeOptionalAttribute(p.output_operand_aliases);
  writer.writeOptionalAttribute(p.result_layouts);
  if (hasLaterProperties(getOperation()))
    writer.writeOptionalAttribute(p.result_tilings);
}

} // namespace assay::stablehlo

namespace assay::chlo {

llvm::LogicalResult TopKOp::readProperties(mlir::DialectBytecodeReader &reader,
                                           mlir::OperationState &state) {
  auto &p = state.getOrAddProperties<Properties>();
  return llvm::success(
      (older || succeeded(reader.readOptionalAttribute(p.is_stable))) &&
      succeeded(reader.readAttribute(p.k)));
}

void TopKOp::writeProperties(mlir::DialectBytecodeWriter &writer) {
  const Properties &p = getProperties();
  if (hasLaterProperties(getOperation()))
    writer.writeOptionalAttribute(p.is_stable);
  writer.writeAttribute(p.k);
}

} // namespace assay::chlo
