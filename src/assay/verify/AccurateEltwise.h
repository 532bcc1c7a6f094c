/// The formulas of drivers with the accuracy that an implementation of them has to
/// have (judge/Accuracy.h), stated at the operations that end a function.
#pragma once

#include "assay/formulas/Arithmetic.h"
#include "assay/formulas/Eltwise.h"

namespace assay::verify {

/// f(x).
mlir::Value accurateEltwise(program::Builder &builder,
                            const formulas::EltwiseFunction &function,
                            mlir::Value x);
/// f'(data) * diffDst.
mlir::Value accurateEltwiseGradient(program::Builder &builder,
                                    const formulas::EltwiseFunction &function,
                                    mlir::Value data, mlir::Value diffDst);

/// Exponentials and logarithms as accurate as driver eltwise's.
class AccurateArithmetic final : public formulas::Arithmetic {
public:
  using Arithmetic::Arithmetic;
  mlir::Value unary(llvm::StringRef name, mlir::Value x) override;
};

} // namespace assay::verify
