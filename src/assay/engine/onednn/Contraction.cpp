// Convolutions, deconvolutions and inner products.
#include "assay/engine/onednn/Contraction.h"

namespace assay::engine::onednn {

ContractionDescs contractionDescs(const Problem &problem) {
  ContractionDescs d;
  auto get = [&](const std::string &role) {
    const Tensor *tensor = problem.tensor(role);
    return (tensor ? *tensor : problem.need("diff_" + role)).requested();
  };
  d.src = get("src");
  d.wei = get("wei");
  d.dst = get("dst");
  d.hasBias = problem.tensor("bia") || problem.tensor("diff_bia");
  if (d.hasBias)
    d.bia = biasDescriptor(problem);
  return d;
}

static auto sizes(const Problem &problem) {
  return std::make_tuple(problem.spatial("s"), problem.spatial("d"),
                         problem.spatial("p"), problem.spatial("p", "_r"));
}

Plan makeConvolution(const dnnl::engine &engine, const Problem &problem) {
  dnnl::algorithm algorithm =
      problem.algorithm == "wino"   ? dnnl::algorithm::convolution_winograd
      : problem.algorithm == "auto" ? dnnl::algorithm::convolution_auto
                                    : dnnl::algorithm::convolution_direct;
  return contraction<dnnl::convolution_forward, dnnl::convolution_backward_data,
                     dnnl::convolution_backward_weights>(
      engine, problem, std::make_tuple(algorithm), sizes(problem));
}

Plan makeDeconvolution(const dnnl::engine &engine, const Problem &problem) {
  dnnl::algorithm algorithm = problem.algorithm == "wino"
                                  ? dnnl::algorithm::deconvolution_winograd
                                  : dnnl::algorithm::deconvolution_direct;
  return contraction<dnnl::deconvolution_forward,
                     dnnl::deconvolution_backward_data,
                     dnnl::deconvolution_backward_weights>(
      engine, problem, std::make_tuple(algorithm), sizes(problem));
}

Plan makeInnerProduct(const dnnl::engine &engine, const Problem &problem) {
  return contraction<dnnl::inner_product_forward,
                     dnnl::inner_product_backward_data,
                     dnnl::inner_product_backward_weights>(
      engine, problem, std::make_tuple(), std::make_tuple());
}

} // namespace assay::engine::onednn
