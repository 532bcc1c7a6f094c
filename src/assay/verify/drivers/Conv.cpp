// Driver `conv`: src [mb, ic, id, ih, iw], wei [g, oc/g, ic/g, kd, kh, kw], dst
// [mb, oc, od, oh, ow] (the dimensions that the descriptor has). dst[n,o,x] =
// sum over i, k of src[n, i, x*s - p + k*(d+1)] * wei[o, i, k].
#include "assay/verify/drivers/Drivers.h"

using namespace assay;
using namespace assay::verify;

static llvm::Error parse(llvm::StringRef token, int64_t mb, Problem &problem) {
  llvm::Expected<Descriptor> descriptor =
      readConvolution(token, /*transposed=*/false, problem.name);
  if (!descriptor)
    return descriptor.takeError();
  problem.descriptor = *descriptor;
  if (mb)
    problem.descriptor.mb = mb;
  return llvm::Error::success();
}

Dims drivers::convolutionDims(const Problem &problem, Role role) {
  const Descriptor &c = problem.descriptor;
  Dims dims;
  Dims tail;
  if (role == Role::Src) {
    dims = {c.mb, c.ic};
    tail = spatial(c.ndims, c.id, c.ih, c.iw);
  } else if (role == Role::Dst) {
    dims = {c.mb, c.oc};
    tail = spatial(c.ndims, c.od, c.oh, c.ow);
  } else {
    if (c.hasGroups)
      dims.push_back(c.g);
    dims.append({c.oc / c.g, c.ic / c.g});
    tail = spatial(c.ndims, c.kd, c.kh, c.kw);
  }
  dims.append(tail);
  return dims;
}

Dims drivers::channelBiasDims(const Problem &problem) {
  return {problem.descriptor.oc};
}

std::string drivers::convolutionDescriptorText(const Problem &problem) {
  return convolutionText(problem.descriptor);
}

static double operations(const Problem &problem) {
  return convolutionOperations(problem.descriptor);
}

static llvm::Expected<judge::Case> contraction(const Problem &problem) {
  return drivers::convolutionCase(problem, /*transposed=*/false);
}
static llvm::Expected<BoundProgram> build(const Problem &problem) {
  return drivers::convolutionProgram(problem, /*transposed=*/false);
}
static std::optional<Problem> recognise(const BoundProgram &bound) {
  return drivers::recogniseConvolution(drivers::kConv, bound,
                                       /*transposed=*/false);
}

const Driver drivers::kConv = {.name = "conv",
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
