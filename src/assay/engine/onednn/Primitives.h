/// From a plugin problem to a oneDNN primitive: reading the problem's JSON,
/// attributes, and the primitive descriptors of matmul, convolution,
/// deconvolution and inner product in both major versions of the API.
#pragma once

#include "assay/engine/assay_plugin.h"
#include "oneapi/dnnl/dnnl.hpp"
#include "llvm/Support/JSON.h"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace assay::engine::onednn {

using DataType = dnnl::memory::data_type;

struct Tensor {
  std::string role;
  DataType type = DataType::undef;
  dnnl::memory::dims dims, strides;
  bool isOutput = false,
       any = false; ///< any: the layout is the primitive's choice
  dnnl::memory::desc descriptor() const {
    return dnnl::memory::desc(dims, type, strides);
  }
  dnnl::memory::desc requested() const;
};

/// One entry of scales or zero_points.
struct ValueEntry {
  std::string argument; ///< src wei dst
  int mask = 0;
  double value = 1; ///< when mask is 0
  int dnnlArgument() const;
};

struct PostOp {
  std::string kind, name;
  float alpha = 0, beta = 0, scale = 1;
  int zeroPoint = 0, mask = 0;
  DataType type = DataType::undef;
};

struct Problem {
  std::string driver, direction, algorithm;
  std::vector<Tensor> tensors;
  size_t inputCount = 0;
  std::vector<ValueEntry> scales, zeroPoints;
  std::vector<PostOp> postOps;
  dnnl::memory::dims strides, dilations, padLeft, padRight;

  const Tensor *tensor(const std::string &role) const;
  const assay_tensor_t *find(const std::string &role,
                             const assay_tensor_t *inputs) const;
  bool hasSum() const;
  bool hasOutputScale() const;    ///< 2.x: of src or wei
  bool staticOutputScale() const; ///< known when the primitive is made
  int outputScaleMask() const;
  std::vector<float> outputScales(const assay_tensor_t *inputs) const;
  dnnl::memory::desc scaledBiasDescriptor() const;
};

/// Why oneDNN cannot take the problem, or empty.
std::string readProblem(const assay_problem_t &description, Problem &problem);

/// Why oneDNN would compute the problem's scales another way, or empty.
std::string whyInexact(const Problem &problem);

/// A problem that oneDNN does not do; the text says what it is.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct PrimitiveHandle {
  dnnl::primitive primitive;
  std::function<dnnl::memory::desc(int argument)>
      layout; ///< of the primitive's own arguments
  /// The argument number of a tensor, 0 for those that are passed as
  /// attributes.
  int argument(const Tensor &tensor, const Problem &problem) const;
  dnnl::memory::desc wanted(int argument, const Tensor &tensor) const;
};
PrimitiveHandle makePrimitive(const dnnl::engine &engine,
                              const Problem &problem);

int64_t elementCount(const assay_tensor_t &tensor);
std::vector<float> readFloats(const assay_tensor_t &tensor);

} // namespace assay::engine::onednn
