/// Makes the types of tensor/ known in this namespace.
#pragma once

#include "assay/tensor/Tensor.h"

namespace assay::formats {

using numerics::ElementType;
using tensor::Buffer;
using tensor::elementCount;
using tensor::Shape;
using tensor::Tensor;
using tensor::TensorType;
using tensor::toString;
using tensor::typeString;

} // namespace assay::formats
