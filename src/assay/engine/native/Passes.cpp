// The passes of the native engine, in order, over every block of a plan.
#include "assay/engine/native/Passes.h"

namespace assay::engine {

void runPasses(program::Plan &, const NativeCompiler &,
               const std::function<bool(mlir::Operation *)> &) {}

} // namespace assay::engine
