#include "assay/judge/FastConvolution.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cmath>

using namespace assay;

double judge::transformRoundoffs(double channels) {
  constexpr double kSomeTerms = 900, kAnyTerms = 30;
  return kSomeTerms / std::sqrt(std::max(channels, 1.0)) + kAnyTerms;
}

bool judge::allowFastConvolutions(const program::Program &program) {
  bool any = false;
  program.module()->walk([&](mlir::Operation *op) {
    llvm::StringRef name = op->getName().getStringRef();
    if (name != "stablehlo.convolution" && name != "stablehlo.dynamic_conv")
      return;
    auto type = mlir::dyn_cast<mlir::ShapedType>(op->getResult(0).getType());
    if (op->hasAttr(kFastConvolution) || !type ||
        !mlir::isa<mlir::FloatType>(type.getElementType()))
      return;
    op->setAttr(kFastConvolution, mlir::UnitAttr::get(op->getContext()));
    any = true;
  });
  return any;
}
