// The tables of names. Sources: benchdnn's documentation of its drivers for the
// names, oneDNN's developer guide for the formulas.
#include "assay/engine/onednn/Algorithms.h"

#include <cmath>
#include <unordered_map>

using namespace assay::engine::onednn;
using dnnl::algorithm;

using Table = std::unordered_map<std::string, algorithm>;

static algorithm lookUp(const Table &table, const std::string &name,
                        const char *what) {
  auto found = table.find(name);
  if (found == table.end())
    throw Unsupported(versionName() + " has no " + what + " '" + name + "'");
  return found->second;
}

static const Table kEltwise = {
    {"abs", algorithm::eltwise_abs},
    {"clip", algorithm::eltwise_clip},
    {"clip_v2", algorithm::eltwise_clip_v2},
    {"clip_v2_dst", algorithm::eltwise_clip_v2_use_dst_for_bwd},
    {"elu", algorithm::eltwise_elu},
    {"elu_dst", algorithm::eltwise_elu_use_dst_for_bwd},
    {"exp", algorithm::eltwise_exp},
    {"exp_dst", algorithm::eltwise_exp_use_dst_for_bwd},
    {"gelu_erf", algorithm::eltwise_gelu_erf},
    {"gelu_tanh", algorithm::eltwise_gelu_tanh},
    {"hardswish", algorithm::eltwise_hardswish},
    {"linear", algorithm::eltwise_linear},
    {"log", algorithm::eltwise_log},
    {"logistic", algorithm::eltwise_logistic},
    {"logistic_dst", algorithm::eltwise_logistic_use_dst_for_bwd},
    {"mish", algorithm::eltwise_mish},
    {"pow", algorithm::eltwise_pow},
    {"relu", algorithm::eltwise_relu},
    {"relu_dst", algorithm::eltwise_relu_use_dst_for_bwd},
    {"round", algorithm::eltwise_round},
    {"soft_relu", algorithm::eltwise_soft_relu},
    {"sqrt", algorithm::eltwise_sqrt},
    {"sqrt_dst", algorithm::eltwise_sqrt_use_dst_for_bwd},
    {"square", algorithm::eltwise_square},
    {"swish", algorithm::eltwise_swish},
    {"tanh", algorithm::eltwise_tanh},
    {"tanh_dst", algorithm::eltwise_tanh_use_dst_for_bwd},
#if DNNL_VERSION_MAJOR >= 3
    {"hardsigmoid", algorithm::eltwise_hardsigmoid},
#endif
};

#if DNNL_VERSION_MAJOR < 3
/// 2.x's soft_relu is log(1 + exp(x)); 3.x divides log(1 + exp(alpha x)) by
/// alpha, and with alpha = -1 it is 2.x's logsigmoid. 2.x's hardswish has fixed
/// numbers, 1/6 and 1/2.
static void adjust(const std::string &name, Eltwise &function) {
  if (name == "soft_relu") {
    if (function.alpha == -1)
      function.algorithm = algorithm::eltwise_logsigmoid;
    else if (function.alpha != 0 && function.alpha != 1)
      throw Unsupported("oneDNN 2.x has no soft_relu with alpha");
    function.alpha = 0;
  }
  if (name == "hardswish" &&
      (std::abs(function.alpha - 1.0f / 6) > 1e-6f || function.beta != 0.5f))
    throw Unsupported("oneDNN 2.x has no hardswish with alpha and beta");
}
#else
static void adjust(const std::string &name, Eltwise &function) {
  if (name == "soft_relu" && function.alpha == 0)
    function.alpha = 1;
}
#endif

Eltwise assay::engine::onednn::eltwiseAlgorithm(const std::string &name,
                                                float alpha, float beta) {
  Eltwise function{lookUp(kEltwise, name, "eltwise function"), alpha, beta,
                   llvm::StringRef(name).ends_with("_dst")};
  adjust(name, function);
  return function;
}

algorithm assay::engine::onednn::binaryAlgorithm(const std::string &name) {
  static const Table kTable = {
      {"add", algorithm::binary_add}, {"sub", algorithm::binary_sub},
      {"mul", algorithm::binary_mul}, {"div", algorithm::binary_div},
      {"min", algorithm::binary_min}, {"max", algorithm::binary_max},
      {"eq", algorithm::binary_eq},   {"ne", algorithm::binary_ne},
      {"ge", algorithm::binary_ge},   {"gt", algorithm::binary_gt},
      {"le", algorithm::binary_le},   {"lt", algorithm::binary_lt}};
  return lookUp(kTable, name, "binary function");
}

algorithm assay::engine::onednn::reductionAlgorithm(const std::string &name) {
  static const Table kTable = {
      {"sum", algorithm::reduction_sum},
      {"mul", algorithm::reduction_mul},
      {"max", algorithm::reduction_max},
      {"min", algorithm::reduction_min},
      {"mean", algorithm::reduction_mean},
      {"norm_lp_max", algorithm::reduction_norm_lp_max},
      {"norm_lp_sum", algorithm::reduction_norm_lp_sum},
      {"norm_lp_power_p_max", algorithm::reduction_norm_lp_power_p_max},
      {"norm_lp_power_p_sum", algorithm::reduction_norm_lp_power_p_sum}};
  return lookUp(kTable, name, "reduction");
}

algorithm assay::engine::onednn::poolingAlgorithm(const std::string &name) {
  static const Table kTable = {
      {"max", algorithm::pooling_max},
      {"avg_np", algorithm::pooling_avg_exclude_padding},
      {"avg_p", algorithm::pooling_avg_include_padding}};
  return lookUp(kTable, name, "pooling");
}

algorithm assay::engine::onednn::resamplingAlgorithm(const std::string &name) {
  static const Table kTable = {{"nearest", algorithm::resampling_nearest},
                               {"linear", algorithm::resampling_linear}};
  return lookUp(kTable, name, "resampling");
}

algorithm assay::engine::onednn::softmaxAlgorithm(const std::string &name) {
  static const Table kTable = {{"softmax", algorithm::softmax_accurate},
                               {"logsoftmax", algorithm::softmax_log}};
  return lookUp(kTable, name, "softmax");
}

algorithm assay::engine::onednn::lrnAlgorithm(const std::string &name) {
  static const Table kTable = {{"across", algorithm::lrn_across_channels},
                               {"within", algorithm::lrn_within_channel}};
  return lookUp(kTable, name, "local response normalization");
}
