// Driver `ip`: inner product (a fully connected layer). src [mb, ic, id, ih,
// iw], wei [oc, ic, id, ih, iw], dst [mb, oc]; dst[n,o] = sum over all of one
// sample of src[n, :] * wei[o, :].
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

const Driver drivers::kInnerProduct = {
    DriverKind::InnerProduct, "ip",       parse, dims, channelBiasDims, text,
    /*tokens=*/nullptr,       operations,
    /*hasDirections=*/true,
    /*hasAlgorithm=*/false,
    /*hasStrides=*/false,
    /*hasBiasMask=*/false};
