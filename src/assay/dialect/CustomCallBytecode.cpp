// The properties of custom_call in bytecode, in the order of their names as
// MLIR's generated code has them. result_tilings is the last: its place may be
// missing.
#include "assay/dialect/CustomCallBytecode.h"
#include "assay/dialect/Stablehlo.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

namespace assay::stablehlo {

static thread_local bool withoutTilings = false;

CustomCallsWithoutTilings::CustomCallsWithoutTilings() {
  withoutTilings = true;
}
CustomCallsWithoutTilings::~CustomCallsWithoutTilings() {
  withoutTilings = false;
}
bool CustomCallsWithoutTilings::isActive() { return withoutTilings; }

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
      (withoutTilings ||
       succeeded(reader.readOptionalAttribute(p.result_tilings))));
}

/// All custom calls of a program are written in one of the versions.
static bool anyHasTilings(mlir::Operation *op) {
  while (op->getParentOp())
    op = op->getParentOp();
  return op
      ->walk([](CustomCallOp call) {
        return call.getResultTilingsAttr() ? mlir::WalkResult::interrupt()
                                           : mlir::WalkResult::advance();
      })
      .wasInterrupted();
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
  if (anyHasTilings(getOperation()))
    writer.writeOptionalAttribute(p.result_tilings);
}

} // namespace assay::stablehlo
