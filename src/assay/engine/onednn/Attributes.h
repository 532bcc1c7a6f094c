/// Post-ops, scales and zero points as attributes of a primitive.
#pragma once

#include "assay/engine/onednn/Primitive.h"

namespace assay::engine::onednn {

/// Why oneDNN would apply a product's scales in an inexact way; empty if it
/// would not.
std::string whyInexact(const Problem &problem);

/// The post-ops; in 2.x also the division by dst's scale. Throws Unsupported.
dnnl::post_ops makePostOps(const Problem &problem);

/// For primitives with only post-ops: Unsupported when there are scales or
/// zero points. `what` names the primitive in the message.
dnnl::primitive_attr postOpsOnly(const Problem &problem, const char *what);

/// For primitives without attributes: Unsupported when the problem has any.
void refuseAttributes(const Problem &problem, const char *what);

/// The attributes of a product or convolution, and their values at run time.
dnnl::primitive_attr productAttributes(const Problem &problem);
AttributeValues productValues(const dnnl::engine &engine,
                              const Problem &problem);

/// The bias as the primitive reads it. If 2.x has a scale, that is an f32 copy,
/// divided by it.
Desc biasDescriptor(const Problem &problem);
/// Whether productValues supplies the bias.
bool dividesBias(const Problem &problem);

bool isPowerOfTwo(double value);

/// Adds the memories of the zero points, for each argument that has them.
void addZeroPoints(const dnnl::engine &engine, const Problem &problem,
                   const assay_tensor_t *inputs, ArgumentMap &arguments);

/// Sets the attribute for zero points that are supplied at run time.
void setZeroPoints(dnnl::primitive_attr &attr, const Problem &problem);

/// One-dimensional memory over the caller's values.
dnnl::memory valuesMemory(const dnnl::engine &engine, DataType type,
                          int64_t count, void *data);

} // namespace assay::engine::onednn
