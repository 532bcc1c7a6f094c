// Descriptors of the drivers that are not contractions: letters with sizes, a
// few letters with real numbers (eps, alpha, beta, k), or lists of sizes.
// Derived sizes follow benchdnn (tests/benchdnn/doc/knobs_desc.md).
#include "assay/verify/drivers/Sizes.h"
#include "assay/verify/drivers/Words.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>

using namespace assay;
using namespace assay::verify;

static constexpr int64_t kLargestSize = int64_t(1) << 40;

llvm::Error drivers::takeReal(std::string &token, llvm::StringRef letters,
                              double &value) {
  llvm::StringRef all = token;
  size_t at = all.take_front(all.find('n')).find(letters);
  if (at == llvm::StringRef::npos)
    return llvm::Error::success();
  const char *first = token.data() + at + letters.size();
  float number = 0;
  auto [end, code] =
      std::from_chars(first, token.data() + token.size(), number);
  if (code != std::errc() || number < 0)
    return makeError(ErrorCode::InvalidArgument,
                     "descriptor '{0}': '{1}' needs a number that is not "
                     "negative",
                     token, letters);
  value = number;
  token.erase(at, static_cast<size_t>(end - token.data()) - at);
  return llvm::Error::success();
}

/// Sets missing spatial sizes to the value of the highest one that is present.
static llvm::Error spread(int64_t &d, int64_t &h, int64_t &w, int ndims,
                          char kind, llvm::StringRef token) {
  if (ndims == 5 && (h == 0) != (w == 0))
    return makeError(ErrorCode::InvalidArgument,
                     "descriptor '{0}': give both '{1}h' and '{1}w' beside "
                     "'{1}d', or neither",
                     token, kind);
  if (ndims == 5 && !h)
    h = w = d;
  if (ndims == 4 && !w)
    w = h;
  d = ndims < 5 ? 1 : d;
  h = ndims < 4 ? 1 : h;
  w = ndims < 3 ? 1 : w;
  return llvm::Error::success();
}

llvm::Expected<Descriptor>
drivers::readSpatial(llvm::StringRef token,
                     llvm::ArrayRef<DescriptorField> fields, bool hasOutputs,
                     std::string &name) {
  Descriptor c;
  c.id = c.ih = c.iw = c.od = c.oh = c.ow = 0;
  uint32_t given = 0;
  if (llvm::Error error = readDescriptor(token, fields, c, given, name))
    return error;
  for (auto [letters, value] :
       {std::pair("ic", c.ic), std::pair("mb", c.mb), std::pair("g", c.g)})
    if (value <= 0)
      return makeError(ErrorCode::InvalidArgument,
                       "descriptor '{0}': '{1}' is missing or 0", token,
                       letters);
  c.ndims = c.id ? 5 : c.ih ? 4 : c.iw ? 3 : 2;
  for (auto [letter, input, output] :
       {std::tuple('d', c.id, c.od), {'h', c.ih, c.oh}, {'w', c.iw, c.ow}})
    if (hasOutputs && (input == 0) != (output == 0))
      return makeError(ErrorCode::InvalidArgument,
                       "descriptor '{0}': '{1}{2}' is missing or 0", token,
                       input ? 'o' : 'i', letter);
  if (hasOutputs && c.ndims == 2)
    return makeError(ErrorCode::InvalidArgument,
                     "descriptor '{0}': no spatial size; give at least 'iw' "
                     "and 'ow'",
                     token);
  if (llvm::Error error = spread(c.id, c.ih, c.iw, c.ndims, 'i', token))
    return error;
  if (hasOutputs)
    if (llvm::Error error = spread(c.od, c.oh, c.ow, c.ndims, 'o', token))
      return error;
  return c;
}

static std::string spatialText(char kind, int ndims, int64_t d, int64_t h,
                               int64_t w, bool square) {
  std::string text;
  auto one = [&](char letter, int64_t value) {
    text += kind;
    text += letter + std::to_string(value);
  };
  if (ndims == 5)
    one('d', d);
  if (ndims == 4 || (ndims == 5 && !square))
    one('h', h);
  if (ndims == 3 || (ndims > 3 && !square))
    one('w', w);
  return text;
}

std::string drivers::sizesText(const Descriptor &c, bool hasOutputs) {
  std::string text = c.hasGroups ? "g" + std::to_string(c.g) : "";
  text += c.mb == 2 ? "" : "mb" + std::to_string(c.mb);
  text += "ic" + std::to_string(c.ic);
  bool square = c.ih == c.iw && (c.ndims != 5 || c.id == c.ih);
  if (hasOutputs)
    square &= c.oh == c.ow && (c.ndims != 5 || c.od == c.oh);
  text += spatialText('i', c.ndims, c.id, c.ih, c.iw, square);
  if (hasOutputs)
    text += spatialText('o', c.ndims, c.od, c.oh, c.ow, square);
  return text;
}

static Dims withSpatial(const Descriptor &c, int64_t d, int64_t h, int64_t w) {
  Dims sizes{c.mb, c.ic};
  if (c.ndims > 2)
    sizes.append(spatial(c.ndims, d, h, w));
  return sizes;
}

Dims drivers::inputDims(const Descriptor &c) {
  return withSpatial(c, c.id, c.ih, c.iw);
}

Dims drivers::outputDims(const Descriptor &c) {
  return withSpatial(c, c.od, c.oh, c.ow);
}

void drivers::sizesJson(const Descriptor &c, bool hasOutputs,
                        llvm::json::Object &o) {
  o["mb"] = c.mb, o["ic"] = c.ic;
  o["id"] = c.id, o["ih"] = c.ih, o["iw"] = c.iw;
  if (hasOutputs)
    o["od"] = c.od, o["oh"] = c.oh, o["ow"] = c.ow;
}

void drivers::windowJson(const Descriptor &c, llvm::json::Object &o) {
  sizesJson(c, true, o);
  o["kd"] = c.kd, o["kh"] = c.kh, o["kw"] = c.kw;
  o["sd"] = c.sd, o["sh"] = c.sh, o["sw"] = c.sw;
  o["pd"] = c.pd, o["ph"] = c.ph, o["pw"] = c.pw;
  o["pd_r"] = c.pdR, o["ph_r"] = c.phR, o["pw_r"] = c.pwR;
  o["dd"] = c.dd, o["dh"] = c.dh, o["dw"] = c.dw;
}

llvm::Expected<std::vector<Dims>>
drivers::readDims(llvm::StringRef token, size_t lists, std::string &name) {
  auto [sizes, suffix] = token.split('n');
  name = suffix.str();
  sizes = sizes.rtrim('_');
  llvm::SmallVector<llvm::StringRef> tensors, numbers;
  sizes.split(tensors, ':');
  if (lists != 0 && tensors.size() != lists)
    return makeError(ErrorCode::InvalidArgument,
                     "descriptor '{0}': {1} lists of sizes, expected {2}",
                     token, tensors.size(), lists);
  std::vector<Dims> result;
  for (llvm::StringRef tensor : tensors) {
    numbers.clear();
    tensor.split(numbers, 'x');
    Dims &dims = result.emplace_back();
    for (llvm::StringRef number : numbers) {
      int64_t size = 0;
      if (number.getAsInteger(10, size) || size < 0 || size > kLargestSize)
        return makeError(ErrorCode::InvalidArgument,
                         "descriptor '{0}': '{1}' is not a size", token,
                         number);
      dims.push_back(size);
    }
  }
  return result;
}

std::string drivers::shapesText(const Problem &problem) {
  std::string text;
  for (const Dims &dims : problem.shapes)
    text += (text.empty() ? "" : ":") + toText(dims);
  return text;
}

std::string drivers::realText(double value) {
  char text[32];
  auto [end, code] =
      std::to_chars(text, text + sizeof text, static_cast<float>(value));
  return code == std::errc() ? std::string(text, end) : std::string("0");
}

llvm::Error drivers::readShapes(llvm::StringRef token, size_t lists,
                                Problem &problem) {
  if (llvm::Error error =
          readDims(token, lists, problem.name).moveInto(problem.shapes))
    return error;
  problem.direction = directionOf(problem);
  return llvm::Error::success();
}

llvm::Error drivers::readShapePair(llvm::StringRef token, const char *tooLong,
                                   Problem &problem) {
  if (llvm::Error error = readShapes(token, 2, problem))
    return error;
  const Dims &first = problem.shapes[0];
  Dims &second = problem.shapes[1];
  if (second.size() > first.size())
    return makeError(ErrorCode::InvalidArgument, "descriptor '{0}': {1}", token,
                     tooLong);
  second.resize(first.size(), 1);
  for (const char *knob : {"sdt", "stag"}) {
    std::string item = problem.knob(knob).str();
    if (itemCount(item) == 1) // one item serves both
      problem.own[knob] = item + ":" + item;
    else if (itemCount(item) != 2)
      problem.invalid =
          llvm::formatv("--{0}={1}: driver {2} needs two items, "
                        "as A:B",
                        knob, problem.knob(knob), problem.driverName());
  }
  return llvm::Error::success();
}

Dims drivers::firstDims(const Problem &problem, Role role) {
  return role == Role::Wei || problem.shapes.empty() ? Dims()
                                                     : problem.shapes[0];
}

void drivers::shapeJson(const Problem &problem,
                        llvm::ArrayRef<llvm::StringRef> types,
                        llvm::json::Object &object) {
  object["dims"] = llvm::json::Array(problem.shapes[0]);
  llvm::json::Array names;
  for (llvm::StringRef type : types)
    names.push_back(type);
  object["dt"] = std::move(names);
}
