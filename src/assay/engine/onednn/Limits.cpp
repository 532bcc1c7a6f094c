// What the attributes of oneDNN 2.x cannot express exactly, with the reason.
// 2.x has one output scale, over the output's channel only, which it applies to
// the sum and the bias together, and no scale of the destination. The adapter
// divides the bias by the output scale and lets a last linear post-op divide by
// the destination's scale. Both are exact for powers of two and refused for
// other numbers. 3.x has scales for each tensor.
#include "assay/engine/onednn/Attributes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace assay::engine::onednn;

#if DNNL_VERSION_MAJOR < 3
/// The number with all digits that a float needs.
static std::string text(double value) {
  return llvm::formatv("{0}", llvm::json::Value(value)).str();
}

/// The bits of the output's channel in a mask of the weights' scales.
static int channelMask(const Problem &problem) {
  const Tensor *weights = problem.tensor("wei");
  size_t rank = weights ? weights->dims.size() : 0;
  const Tensor *src = problem.tensor("src");
  if (problem.driver == "matmul")
    return 1 << (rank - 1);
  return src && rank > src->dims.size() ? 3 : 1; // [g,] oc
}

static std::string whyNoBias(const Problem &problem, double single,
                             bool masked) {
  const Tensor *bias = problem.tensor("bia");
  if (!bias)
    return {};
  if (!isPowerOfTwo(single))
    return llvm::formatv("oneDNN 2.x multiplies the bias by the scale too; a "
                         "bias divided by {0} is not exact",
                         text(single));
  const Tensor *dst = problem.tensor("dst");
  size_t channel = problem.driver == "matmul" ? dst->dims.size() - 1 : 1;
  int64_t count = 1;
  for (int64_t size : bias->dims)
    count *= size;
  if (masked && (bias->dims.back() != dst->dims[channel] ||
                 count % dst->dims[channel] != 0))
    return "oneDNN 2.x multiplies the bias by the scale too; this bias does "
           "not run over the output's channel as the scale does";
  return {};
}

std::string assay::engine::onednn::whyInexact(const Problem &problem) {
  double product = 1;
  bool masked = false, any = false;
  for (const ValueEntry &entry : problem.scales) {
    if (entry.argument == "dst") {
      if (entry.mask)
        return "oneDNN 2.x has no scale of the destination with a mask";
      if (!isPowerOfTwo(entry.value))
        return llvm::formatv("oneDNN 2.x has no scale of the destination; "
                             "multiplying by 1 / {0} is not exact",
                             text(entry.value));
      continue;
    }
    any = true;
    if (entry.mask &&
        (entry.argument != "wei" || entry.mask != channelMask(problem)))
      return llvm::formatv("oneDNN 2.x has one scale, along the output's "
                           "channel: none of '{0}' with mask {1}",
                           entry.argument, entry.mask);
    masked |= entry.mask != 0;
    if (!entry.mask)
      product *= static_cast<float>(entry.value);
  }
  if (static_cast<float>(product) != product)
    return llvm::formatv("oneDNN 2.x has one scale; the product {0} of two is "
                         "not exact",
                         text(product));
  return any ? whyNoBias(problem, product, masked) : std::string();
}
#else
std::string assay::engine::onednn::whyInexact(const Problem &) { return {}; }
#endif
