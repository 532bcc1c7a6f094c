/// The types in files, in the words of tensor/.
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
