/// The reference engine's table of operations. Ops.def maps each operation to
/// its factory, a function in ops/<Family>.cpp that decodes the attributes and
/// returns the step.
#pragma once

#include "assay/program/PlanBuilder.h"
#include "assay/reference/Attributes.h"

namespace assay::reference {

using numerics::ElementType;
using program::Step;
using program::StepContext;
using program::StepSpec;
using program::Value;
using tensor::Shape;
using tensor::Tensor;
using tensor::TensorType;

using StepFactory =
    llvm::Expected<std::unique_ptr<Step>> (*)(const StepSpec &spec);

#define ASSAY_OP(name, factory)                                                \
  llvm::Expected<std::unique_ptr<Step>> factory(const StepSpec &spec);
#include "assay/reference/Ops.def"
#undef ASSAY_OP

/// The factory of an operation, or null.
StepFactory findFactory(llvm::StringRef name);

/// The step of pad with given amounts: result[low + i * (interior + 1)] =
/// operand[i], and the padding value elsewhere.
std::unique_ptr<Step> makePad(const TensorType &from, const TensorType &to,
                              llvm::ArrayRef<int64_t> low,
                              llvm::ArrayRef<int64_t> interior);

} // namespace assay::reference
