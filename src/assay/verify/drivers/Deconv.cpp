// Driver `deconv`: a transposed convolution. Sizes as in conv, with src the
// small and dst the large side: dst[n, o, x*s - p + k*(d+1)] += src[n, i, x] *
// wei[o, i, k]. It is the backward-data pass of a convolution whose input is
// dst and whose output is src (Contraction.cpp uses that).
#include "assay/verify/drivers/Drivers.h"

using namespace assay;
using namespace assay::verify;

static llvm::Error parse(llvm::StringRef token, int64_t mb, Problem &problem) {
  llvm::Expected<Descriptor> descriptor =
      readConvolution(token, /*transposed=*/true, problem.name);
  if (!descriptor)
    return descriptor.takeError();
  problem.descriptor = *descriptor;
  if (mb)
    problem.descriptor.mb = mb;
  return llvm::Error::success();
}

static double operations(const Problem &problem) {
  Descriptor c = problem.descriptor;
  std::swap(c.ic, c.oc);
  std::swap(c.id, c.od);
  std::swap(c.ih, c.oh);
  std::swap(c.iw, c.ow);
  return convolutionOperations(c);
}

static llvm::Expected<judge::Case> contraction(const Problem &problem) {
  return drivers::convolutionCase(problem, /*transposed=*/true);
}
static llvm::Expected<BoundProgram> build(const Problem &problem) {
  return drivers::convolutionProgram(problem, /*transposed=*/true);
}
static std::optional<Problem> recognise(const BoundProgram &bound) {
  return drivers::recogniseConvolution(drivers::kDeconv, bound,
                                       /*transposed=*/true);
}

const Driver drivers::kDeconv = {.name = "deconv",
                                 .parse = parse,
                                 .text = convolutionDescriptorText,
                                 .build = build,
                                 .recognise = recognise,
                                 .contraction = contraction,
                                 .dims = convolutionDims,
                                 .biasDims = channelBiasDims,
                                 .operations = operations,
                                 .json = descriptorJson,
                                 .hasTypes = true,
                                 .hasDirections = true,
                                 .hasBias = true,
                                 .hasTags = true,
                                 .hasStrides = true,
                                 .hasAlgorithm = true,
                                 .hasAttributes = true,
                                 .maskOfPolicy = channelMask};
