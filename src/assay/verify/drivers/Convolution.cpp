// The descriptor that conv, deconv and ip share: letters and numbers in any
// order, '_' ignored, "n" starts the name. Missing sizes are derived as in
// benchdnn (tests/benchdnn/doc/knobs_desc.md): the output from input, kernel,
// stride and padding, or the padding from the output; the highest given spatial
// dimension serves for the lower ones.
#include "assay/verify/drivers/Drivers.h"
#include "llvm/ADT/StringExtras.h"

using namespace assay;
using namespace assay::verify;

static constexpr int64_t kLargestSize = int64_t(1) << 40;

llvm::Error verify::readDescriptor(llvm::StringRef token,
                                   llvm::ArrayRef<DescriptorField> fields,
                                   Descriptor &descriptor, uint32_t &given,
                                   std::string &name) {
  llvm::StringRef rest = token;
  while (!rest.empty()) {
    if (rest.consume_front("_"))
      continue;
    if (rest.consume_front("n")) {
      name = rest.str();
      return llvm::Error::success();
    }
    const DescriptorField *field = nullptr;
    for (const DescriptorField &candidate : fields)
      if (rest.starts_with(candidate.letters))
        field = &candidate;
    if (!field)
      return makeError(ErrorCode::InvalidArgument,
                       "descriptor '{0}': '{1}' is not one of its letters "
                       "followed by a number",
                       token, rest.take_front(8));
    rest = rest.drop_front(strlen(field->letters));
    llvm::StringRef digits = rest.take_while(llvm::isDigit);
    if (digits.empty())
      return makeError(
          ErrorCode::InvalidArgument,
          "descriptor '{0}': '{1}' needs a number that is not negative", token,
          field->letters);
    int64_t value = 0;
    if (digits.getAsInteger(10, value) || value > kLargestSize)
      return makeError(
          ErrorCode::InvalidArgument,
          "descriptor '{0}': '{1}{2}' is too large; sizes go up to 2^40", token,
          field->letters, digits);
    descriptor.*field->member = value;
    given |= uint32_t(1) << (field - fields.data());
    rest = rest.drop_front(digits.size());
  }
  return llvm::Error::success();
}

namespace {
/// The numbers of one spatial dimension, as written (0 = not written, padding
/// -1 = not written).
struct Axis {
  char letter;
  int64_t i = 0, k = 0, o = 0, s = 1, p = -1, d = 0;
  bool absent() const { return (i | k | o | d) == 0 && s == 1 && p < 1; }
};
} // namespace

static llvm::Error derive(Axis &axis, bool transposed, llvm::StringRef token) {
  auto missing = [&](char kind) {
    return makeError(ErrorCode::InvalidArgument,
                     "descriptor '{0}': '{1}{2}' is missing or 0", token, kind,
                     axis.letter);
  };
  if (axis.i <= 0)
    return missing('i');
  if (axis.k <= 0)
    return missing('k');
  int64_t extent = (axis.k - 1) * (axis.d + 1) + 1;
  if (axis.o) {
    int64_t big = transposed ? axis.o : axis.i,
            small = transposed ? axis.i : axis.o;
    if (axis.p < 0)
      axis.p = ((small - 1) * axis.s - big + extent) / 2;
    return llvm::Error::success();
  }
  axis.p = std::max<int64_t>(axis.p, 0);
  axis.o = transposed ? (axis.i - 1) * axis.s + extent - 2 * axis.p
                      : (axis.i - extent + 2 * axis.p) / axis.s + 1;
  if (axis.o <= 0)
    return makeError(ErrorCode::InvalidArgument,
                     "descriptor '{0}': 'o{1}' is not given and the other "
                     "sizes make it {2}; it must be positive",
                     token, axis.letter, axis.o);
  return llvm::Error::success();
}

/// Copies the sizes of `from` to `to` where the descriptor has only the higher
/// dimension.
static void propagate(const Axis &from, Axis &to) {
  char letter = to.letter;
  to = from;
  to.letter = letter;
}

static llvm::Error resolveAxes(Axis &d, Axis &h, Axis &w, int &ndims,
                               llvm::StringRef token) {
  bool noD = d.o == 0, noH = h.o == 0, noW = w.o == 0;
  if (noD && noH && noW)
    return makeError(ErrorCode::InvalidArgument,
                     "descriptor '{0}': no spatial size; give at least 'iw' "
                     "and 'kw' (or 'ih' and 'kh')",
                     token);
  ndims = noD ? (noH ? 3 : 4) : 5;
  if (ndims == 5 && noH != noW)
    return makeError(
        ErrorCode::InvalidArgument,
        "descriptor '{0}': give both 'h' and 'w' sizes beside 'd', or neither",
        token);
  if (ndims == 5 && noH) {
    propagate(d, h);
    propagate(d, w);
  } else if (ndims == 4 && noW) {
    propagate(h, w);
  }
  Axis one{'d', 1, 1, 1, 1, 0, 0};
  if (ndims < 5)
    d = one;
  if (ndims < 4)
    h = one;
  return llvm::Error::success();
}

static llvm::Error checkGroups(const Descriptor &c, llvm::StringRef token) {
  const std::pair<const char *, int64_t> positive[] = {
      {"g", c.g},   {"ic", c.ic}, {"oc", c.oc}, {"mb", c.mb},
      {"sd", c.sd}, {"sh", c.sh}, {"sw", c.sw}};
  for (auto [letters, value] : positive)
    if (value <= 0)
      return makeError(ErrorCode::InvalidArgument,
                       "descriptor '{0}': '{1}' is missing or 0", token,
                       letters);
  if (c.ic % c.g || c.oc % c.g)
    return makeError(
        ErrorCode::InvalidArgument,
        "descriptor '{0}': 'g{1}' does not divide 'ic{2}' and 'oc{3}'", token,
        c.g, c.ic, c.oc);
  return llvm::Error::success();
}

namespace {
/// The members of one spatial dimension.
struct Members {
  int64_t Descriptor::*i, Descriptor::*o, Descriptor::*k, Descriptor::*s,
      Descriptor::*p, Descriptor::*right, Descriptor::*d;
};
} // namespace

using D = Descriptor;
static constexpr Members kMembers[3] = {
    {&D::id, &D::od, &D::kd, &D::sd, &D::pd, &D::pdR, &D::dd},
    {&D::ih, &D::oh, &D::kh, &D::sh, &D::ph, &D::phR, &D::dh},
    {&D::iw, &D::ow, &D::kw, &D::sw, &D::pw, &D::pwR, &D::dw}};

geometry::Axes3 verify::axesOf(const Descriptor &c, bool transposed) {
  geometry::Axes3 axes;
  for (size_t side = 0; side < 3; ++side) {
    const Members &m = kMembers[side];
    axes[side] = {c.*m.i, c.*m.o, c.*m.k, c.*m.s, c.*m.d + 1, 1, c.*m.p};
    if (transposed)
      std::swap(axes[side].in, axes[side].out);
  }
  return axes;
}

llvm::SmallVector<geometry::Axis, 3> verify::spatialAxes(const Descriptor &c) {
  geometry::Axes3 axes = axesOf(c);
  return {axes.end() - (c.ndims - 2), axes.end()};
}

void verify::setAxis(Descriptor &c, size_t side, const geometry::Axis &axis,
                     bool transposed) {
  const Members &m = kMembers[side];
  c.*m.i = transposed ? axis.out : axis.in;
  c.*m.o = transposed ? axis.in : axis.out;
  c.*m.k = axis.kernel, c.*m.s = axis.stride, c.*m.d = axis.dilation - 1;
  c.*m.p = axis.low, c.*m.right = axis.high();
}

llvm::Expected<Descriptor> verify::readConvolution(llvm::StringRef token,
                                                   bool transposed,
                                                   std::string &name,
                                                   int64_t outChannels) {
  static constexpr DescriptorField kFields[] = {
      {"g", &Descriptor::g},   {"mb", &Descriptor::mb}, {"ic", &Descriptor::ic},
      {"id", &Descriptor::id}, {"ih", &Descriptor::ih}, {"iw", &Descriptor::iw},
      {"oc", &Descriptor::oc}, {"od", &Descriptor::od}, {"oh", &Descriptor::oh},
      {"ow", &Descriptor::ow}, {"kd", &Descriptor::kd}, {"kh", &Descriptor::kh},
      {"kw", &Descriptor::kw}, {"sd", &Descriptor::sd}, {"sh", &Descriptor::sh},
      {"sw", &Descriptor::sw}, {"pd", &Descriptor::pd}, {"ph", &Descriptor::ph},
      {"pw", &Descriptor::pw}, {"dd", &Descriptor::dd}, {"dh", &Descriptor::dh},
      {"dw", &Descriptor::dw}};
  Descriptor c;
  c.oc = outChannels;
  c.id = c.ih = c.iw = c.od = c.oh = c.ow = c.kd = c.kh = c.kw = 0;
  c.pd = c.ph = c.pw = -1;
  uint32_t given = 0;
  if (llvm::Error error = readDescriptor(token, kFields, c, given, name))
    return error;
  c.hasGroups = given & 1;
  if (llvm::Error error = checkGroups(c, token))
    return error;
  Axis d{'d', c.id, c.kd, c.od, c.sd, c.pd, c.dd},
      h{'h', c.ih, c.kh, c.oh, c.sh, c.ph, c.dh},
      w{'w', c.iw, c.kw, c.ow, c.sw, c.pw, c.dw};
  for (Axis *axis : {&d, &h, &w})
    if (!axis->absent())
      if (llvm::Error error = derive(*axis, transposed, token))
        return error;
  if (llvm::Error error = resolveAxes(d, h, w, c.ndims, token))
    return error;
  const Axis *all[3] = {&d, &h, &w};
  for (size_t side = 0; side < 3; ++side) {
    const Axis &a = *all[side];
    setAxis(c, side,
            {transposed ? a.o : a.i, transposed ? a.i : a.o, a.k, a.s, a.d + 1,
             1, a.p},
            transposed);
  }
  return c;
}

Dims verify::spatial(int ndims, int64_t d, int64_t h, int64_t w) {
  Dims all{d, h, w};
  return Dims(all.begin() + (5 - ndims), all.end());
}

std::string verify::convolutionText(const Descriptor &c) {
  // A lower dimension is printed only when it differs from the higher one, or
  // when there is no higher one.
  auto same = [](std::array<int64_t, 6> a, std::array<int64_t, 6> b) {
    return a == b;
  };
  std::array<int64_t, 6> d{c.id, c.kd, c.od, c.sd, c.pd, c.dd},
      h{c.ih, c.kh, c.oh, c.sh, c.ph, c.dh},
      w{c.iw, c.kw, c.ow, c.sw, c.pw, c.dw};
  bool printD = c.ndims == 5;
  bool square = same(h, w) && (c.ndims != 5 || same(d, h));
  bool printH = c.ndims == 4 || (c.ndims == 5 && !square);
  bool printW = c.ndims == 3 || !square;
  std::string text;
  auto one = [&](const char *letters, int64_t value) {
    text += letters + std::to_string(value);
  };
  auto three = [&](char kind, int64_t vd, int64_t vh, int64_t vw) {
    if (printD)
      one((std::string(1, kind) + "d").c_str(), vd);
    if (printH)
      one((std::string(1, kind) + "h").c_str(), vh);
    if (printW)
      one((std::string(1, kind) + "w").c_str(), vw);
  };
  if (c.hasGroups)
    one("g", c.g);
  if (c.mb != 2)
    one("mb", c.mb);
  one("ic", c.ic);
  three('i', c.id, c.ih, c.iw);
  one("oc", c.oc);
  three('o', c.od, c.oh, c.ow);
  three('k', c.kd, c.kh, c.kw);
  if (c.sd != 1 || c.sh != 1 || c.sw != 1)
    three('s', c.sd, c.sh, c.sw);
  three('p', c.pd, c.ph, c.pw);
  if (c.dd || c.dh || c.dw)
    three('d', c.dd, c.dh, c.dw);
  return text;
}

double verify::convolutionOperations(const Descriptor &c) {
  double all = 2.0 * c.mb * c.oc * (c.ic / c.g);
  for (const geometry::Axis &axis : axesOf(c)) {
    int64_t pairs = 0;
    for (int64_t tap = 0; tap < axis.kernel; ++tap) {
      auto [first, last, shift] = axis.windowsInside(tap);
      pairs += last - first;
    }
    all *= static_cast<double>(pairs);
  }
  return all;
}

llvm::Expected<Dims> verify::readShape(llvm::StringRef text,
                                       llvm::StringRef token) {
  llvm::SmallVector<llvm::StringRef, 6> parts;
  text.split(parts, 'x');
  Dims dims;
  for (llvm::StringRef part : parts) {
    int64_t size = 0;
    if (part.empty() || !llvm::all_of(part, llvm::isDigit))
      return makeError(
          ErrorCode::InvalidArgument,
          "problem '{0}': '{1}' is not a size; expected BxMxK:BxKxN", token,
          part);
    if (part.getAsInteger(10, size) || size > (int64_t(1) << 40))
      return makeError(
          ErrorCode::InvalidArgument,
          "problem '{0}': size {1} is too large; sizes go up to 2^40", token,
          part);
    dims.push_back(size);
  }
  return dims;
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
