// Driver `ip`: inner product (a fully connected layer). src [mb, ic, id, ih,
// iw], wei [oc, ic, id, ih, iw], dst [mb, oc]; dst[n,o] = sum over all of one
// sample of src[n, :] * wei[o, :].
#include "assay/verify/ContractionProgram.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/drivers/Drivers.h"

using namespace assay;
using namespace assay::verify;

static llvm::Error parse(llvm::StringRef token, int64_t mb, Problem &problem) {
  static constexpr DescriptorField kFields[] = {
      {"mb", &Descriptor::mb}, {"ic", &Descriptor::ic},
      {"id", &Descriptor::id}, {"ih", &Descriptor::ih},
      {"iw", &Descriptor::iw}, {"oc", &Descriptor::oc}};
  Descriptor c;
  c.id = c.ih = c.iw = 0;
  uint32_t given = 0;
  if (llvm::Error error =
          readDescriptor(token, kFields, c, given, problem.name))
    return error;
  for (auto [letters, value] :
       {std::pair("ic", c.ic), std::pair("oc", c.oc), std::pair("mb", c.mb)})
    if (value <= 0)
      return makeError(ErrorCode::InvalidArgument,
                       "descriptor '{0}': '{1}' is missing or 0", token,
                       letters);
  c.ndims = c.id ? 5 : c.ih ? 4 : c.iw ? 3 : 2;
  if (c.ndims == 5 && (c.ih == 0) != (c.iw == 0))
    return makeError(
        ErrorCode::InvalidArgument,
        "descriptor '{0}': give both 'ih' and 'iw' beside 'id', or neither",
        token);
  if (c.ndims == 5 && !c.ih)
    c.ih = c.iw = c.id;
  if (c.ndims == 4 && !c.iw)
    c.iw = c.ih;
  c.id = c.ndims < 5 ? 1 : c.id;
  c.ih = c.ndims < 4 ? 1 : c.ih;
  c.iw = c.ndims < 3 ? 1 : c.iw;
  if (mb)
    c.mb = mb;
  problem.descriptor = c;
  return llvm::Error::success();
}

static Dims dims(const Problem &problem, Role role) {
  const Descriptor &c = problem.descriptor;
  if (role == Role::Dst)
    return {c.mb, c.oc};
  Dims sizes{role == Role::Src ? c.mb : c.oc, c.ic};
  sizes.append(spatial(std::max(c.ndims, 2), c.id, c.ih, c.iw));
  return sizes;
}

static std::string text(const Problem &problem) {
  const Descriptor &c = problem.descriptor;
  std::string result = c.mb == 2 ? "" : "mb" + std::to_string(c.mb);
  result += "ic" + std::to_string(c.ic);
  bool square = c.ih == c.iw && (c.ndims != 5 || c.id == c.ih);
  if (c.ndims == 5)
    result += "id" + std::to_string(c.id);
  if (c.ndims == 4 || (c.ndims == 5 && !square))
    result += "ih" + std::to_string(c.ih);
  if (c.ndims == 3 || (c.ndims > 3 && !square))
    result += "iw" + std::to_string(c.iw);
  return result + "oc" + std::to_string(c.oc);
}

static double operations(const Problem &problem) {
  const Descriptor &c = problem.descriptor;
  return 2.0 * c.mb * c.oc * c.ic * c.id * c.ih * c.iw;
}

static llvm::Expected<judge::Case> contraction(const Problem &p) {
  Sums c;
  c.gradientFirst = true;
  const Descriptor &d = p.descriptor;
  int64_t flat = d.ic * d.id * d.ih * d.iw;
  judge::Contraction &k = c.contraction;
  if (isForward(p.direction)) {
    k.m = d.mb, k.n = d.oc, k.k = flat;
    k.aI = flat, k.aK = 1, k.bK = 1, k.bJ = flat;
    c.aShape = {d.mb, flat, 1}, c.bShape = {d.oc, flat, 1};
  } else if (p.direction == Direction::BwdD) {
    k.m = d.mb, k.n = flat, k.k = d.oc;
    k.aI = d.oc, k.aK = 1, k.bK = flat, k.bJ = 1;
    c.aShape = {d.mb, d.oc, 1}, c.bShape = {1, d.oc, flat};
  } else { // diff_wei [oc, flat] = diff_dst^T * src
    k.m = d.oc, k.n = flat, k.k = d.mb;
    k.aI = 1, k.aK = d.oc, k.bK = flat, k.bJ = 1;
    c.aShape = {1, d.mb, d.oc}, c.bShape = {1, d.mb, flat};
  }
  return caseOf(p, c);
}

static llvm::Expected<BoundProgram> build(const Problem &p) {
  llvm::Expected<judge::Case> c = contraction(p);
  if (!c)
    return c.takeError();
  return contractionProgram(p, *c);
}

static std::optional<Problem> recognise(const BoundProgram &bound) {
  std::optional<FoundContraction> found = findContraction(bound);
  if (!found ||
      found->product->getName().getStringRef() != "stablehlo.dot_general")
    return std::nullopt;
  Problem p = sharedParts(drivers::kInnerProduct, bound, *found);
  Dims src = dimsOfRole(bound, {"src", "diff_src"}),
       dst = dimsOfRole(bound, {"dst", "diff_dst"}),
       wei = dimsOfRole(bound, {"wei", "diff_wei"});
  if (src.size() < 2 || src.size() > 5 || dst.size() != 2 ||
      wei.size() != src.size())
    return std::nullopt;
  Descriptor &c = p.descriptor;
  c.ndims = static_cast<int>(src.size());
  c.mb = src[0], c.ic = src[1], c.oc = dst[1];
  Dims space{1, 1, 1};
  std::copy(src.begin() + 2, src.end(),
            space.end() - static_cast<ptrdiff_t>(src.size() - 2));
  c.id = space[0], c.ih = space[1], c.iw = space[2];
  return p;
}

const Driver drivers::kInnerProduct = {.name = "ip",
                                       .parse = parse,
                                       .text = text,
                                       .build = build,
                                       .recognise = recognise,
                                       .contraction = contraction,
                                       .dims = dims,
                                       .biasDims = channelBiasDims,
                                       .operations = operations,
                                       .json = descriptorJson,
                                       .hasTypes = true,
                                       .hasDirections = true,
                                       .hasBias = true,
                                       .hasTags = true,
                                       .hasAttributes = true,
                                       .maskOfPolicy = channelMask};
