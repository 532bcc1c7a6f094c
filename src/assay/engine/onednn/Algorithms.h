/// benchdnn's names of functions as oneDNN's algorithms. All throw Unsupported,
/// with the name, for what this version of oneDNN lacks.
#pragma once

#include "assay/engine/onednn/Problem.h"

namespace assay::engine::onednn {

struct Eltwise {
  dnnl::algorithm algorithm;
  float alpha = 0, beta = 0;
  bool usesDst = false; ///< the backward pass reads dst instead of src
};

/// The algorithm with the alpha and beta that this version expects.
Eltwise eltwiseAlgorithm(const std::string &name, float alpha, float beta);

dnnl::algorithm binaryAlgorithm(const std::string &name);
dnnl::algorithm reductionAlgorithm(const std::string &name);
dnnl::algorithm poolingAlgorithm(const std::string &name);
dnnl::algorithm resamplingAlgorithm(const std::string &name);
dnnl::algorithm softmaxAlgorithm(const std::string &name);
dnnl::algorithm lrnAlgorithm(const std::string &name);

} // namespace assay::engine::onednn
