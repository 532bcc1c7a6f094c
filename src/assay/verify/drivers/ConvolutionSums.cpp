// The shared parts of conv and deconv beyond their descriptor: the sums, the
// program, and the recogniser, which finds the descriptor of a program. A
// deconvolution is the backward-data pass of the convolution with input and
// output exchanged.
#include "assay/program/Builder.h"
#include "assay/reference/Attributes.h"
#include "assay/verify/ContractionProgram.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/drivers/Drivers.h"

using namespace assay;
using namespace assay::verify;
using judge::Contraction;

/// The convolution behind a problem, seen from the side of an ordinary one.
static Contraction sumsOf(const Problem &p, Contraction::Form form,
                          bool transposed) {
  Descriptor d = p.descriptor;
  if (transposed) // the convolution whose backward-data pass this is
    std::swap(d.ic, d.oc);
  Contraction c;
  c.form = form;
  c.mb = d.mb, c.groups = d.g, c.inPerGroup = d.ic / d.g,
  c.outPerGroup = d.oc / d.g;
  c.axes = axesOf(p.descriptor, transposed);
  // Weights are stored [g, oc/g, ic/g, taps] in the problem's own sense of oc
  // and ic.
  int64_t area = c.kernelArea();
  c.weiGroup = area * c.inPerGroup * c.outPerGroup;
  c.weiOut = transposed ? area : area * c.inPerGroup;
  c.weiIn = transposed ? area * c.outPerGroup : area;
  return c;
}

/// Each factor as [outer, depth, inner].
static void shapeFactors(Sums &c) {
  const Contraction &k = c.contraction;
  bool transposed = k.weiOut < k.weiIn;
  int64_t taps = k.kernelArea();
  switch (k.form) {
  case Contraction::Form::Forward:
    c.aShape = {k.mb * k.groups, k.inPerGroup, k.inArea()};
    c.bShape = transposed
                   ? FactorShape{k.groups, k.inPerGroup, k.outPerGroup * taps}
                   : FactorShape{k.groups * k.outPerGroup, k.inPerGroup, taps};
    return;
  case Contraction::Form::BackwardData:
    c.aShape = {k.mb * k.groups, k.outPerGroup, k.outArea()};
    c.bShape = transposed
                   ? FactorShape{k.groups * k.inPerGroup, k.outPerGroup, taps}
                   : FactorShape{k.groups, k.outPerGroup, k.inPerGroup * taps};
    return;
  default:
    c.aShape = {1, k.mb, k.groups * k.inPerGroup * k.inArea()};
    c.bShape = {1, k.mb, k.groups * k.outPerGroup * k.outArea()};
  }
}

llvm::Expected<judge::Case> drivers::convolutionCase(const Problem &p,
                                                     bool transposed) {
  Sums sums;
  Contraction::Form form =
      isBackwardWeights(p.direction) ? Contraction::Form::BackwardWeights
      : isForward(p.direction) != transposed ? Contraction::Form::Forward
                                             : Contraction::Form::BackwardData;
  sums.contraction = sumsOf(p, form, transposed);
  sums.gradientFirst = transposed;
  shapeFactors(sums);
  return caseOf(p, sums);
}

llvm::Expected<BoundProgram> drivers::convolutionProgram(const Problem &p,
                                                         bool transposed) {
  llvm::Expected<judge::Case> c = convolutionCase(p, transposed);
  if (!c)
    return c.takeError();
  return contractionProgram(p, *c);
}

/// One axis of the convolution behind a program, from the program's windows.
static geometry::Axis axisOf(mlir::Operation *op, int64_t rank, int64_t d,
                             Contraction::Form form, int64_t taps) {
  geometry::Axis axis;
  axis.kernel = taps;
  axis.stride = reference::intsOf(op, "window_strides", rank, 1)[d];
  axis.low = reference::intsOf(op, "padding", 2 * rank, 0)[2 * d];
  axis.baseDilation = reference::intsOf(op, "lhs_dilation", rank, 1)[d];
  axis.dilation = reference::intsOf(op, "rhs_dilation", rank, 1)[d];
  if (form == Contraction::Form::BackwardData)
    axis = axis.transposed();
  else if (form == Contraction::Form::BackwardWeights)
    std::swap(axis.stride, axis.dilation);
  axis.baseDilation = 1, axis.reversed = false;
  return axis;
}

std::optional<Problem> drivers::recogniseConvolution(const Driver &driver,
                                                     const BoundProgram &bound,
                                                     bool transposed) {
  std::optional<FoundContraction> found = findContraction(bound);
  if (!found ||
      found->product->getName().getStringRef() != "stablehlo.convolution")
    return std::nullopt;
  Problem p = sharedParts(driver, bound, *found);
  Contraction::Form form =
      isBackwardWeights(p.direction) ? Contraction::Form::BackwardWeights
      : isForward(p.direction) != transposed ? Contraction::Form::Forward
                                             : Contraction::Form::BackwardData;
  Dims src = dimsOfRole(bound, {"src", "diff_src"}),
       wei = dimsOfRole(bound, {"wei", "diff_wei"}),
       dst = dimsOfRole(bound, {"dst", "diff_dst"});
  size_t rank = src.size() - 2;
  if (src.size() < 3 || src.size() > 5 || dst.size() != src.size() ||
      (wei.size() != rank + 2 && wei.size() != rank + 3))
    return std::nullopt;
  Descriptor &c = p.descriptor;
  c.ndims = static_cast<int>(src.size());
  c.hasGroups = wei.size() == rank + 3;
  c.g = c.hasGroups ? wei[0] : 1;
  c.mb = src[0], c.ic = src[1], c.oc = dst[1];
  for (size_t x = 0; x < rank; ++x) {
    geometry::Axis axis =
        axisOf(found->product, static_cast<int64_t>(rank),
               static_cast<int64_t>(x), form, wei[wei.size() - rank + x]);
    axis.in = src[2 + x], axis.out = dst[2 + x];
    if (transposed)
      std::swap(axis.in, axis.out);
    setAxis(c, 3 - rank + x, axis, transposed);
  }
  return p;
}

std::optional<int64_t> drivers::channelMask(const Problem &problem,
                                            llvm::StringRef argument,
                                            llvm::StringRef policy) {
  if (argument != "wei")
    return std::nullopt;
  return problem.descriptor.hasGroups ? 3 : 1; // per_oc: [g,] oc
}

void drivers::descriptorJson(const Problem &problem, llvm::json::Object &o) {
  const Descriptor &d = problem.descriptor;
  const std::pair<const char *, int64_t> sizes[] = {
      {"g", d.g},      {"mb", d.mb},    {"ic", d.ic}, {"id", d.id},
      {"ih", d.ih},    {"iw", d.iw},    {"oc", d.oc}, {"od", d.od},
      {"oh", d.oh},    {"ow", d.ow},    {"kd", d.kd}, {"kh", d.kh},
      {"kw", d.kw},    {"sd", d.sd},    {"sh", d.sh}, {"sw", d.sw},
      {"pd", d.pd},    {"ph", d.ph},    {"pw", d.pw}, {"pd_r", d.pdR},
      {"ph_r", d.phR}, {"pw_r", d.pwR}, {"dd", d.dd}, {"dh", d.dh},
      {"dw", d.dw}};
  for (auto [name, value] : sizes)
    o[name] = value;
}
