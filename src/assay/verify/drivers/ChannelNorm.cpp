// Drivers `bnorm` and `gnorm`: "[gX]mbXicX_idXihXiwX_epsF", statistics per
// channel, or per sample and group of channels. The number of the descriptor
// (eps) is kept as a word beside the knobs' values.
#include "assay/verify/drivers/Drivers.h"
#include "assay/verify/drivers/Normalisation.h"
#include "assay/verify/drivers/Sizes.h"

using namespace assay;
using namespace assay::formulas;
using namespace assay::verify;
using namespace assay::verify::drivers;

static bool hasGroups(const Problem &problem) {
  return problem.driver == &kGroupNorm;
}

static llvm::Expected<std::string> readBatchFlags(llvm::StringRef value) {
  return readNormFlags(value, "GCHRA");
}
static llvm::Expected<std::string> readGroupFlags(llvm::StringRef value) {
  return readNormFlags(value, "GCH");
}

/// "SRC:DST", sizes joined by 'x' each; empty: none.
static llvm::Expected<std::string> readStrides(llvm::StringRef value) {
  std::string name;
  if (value.empty() || value == ":")
    return std::string();
  llvm::Expected<std::vector<Dims>> lists = readDims(value, 2, name);
  if (!lists)
    return lists.takeError();
  return value.str();
}

static llvm::Error parse(llvm::StringRef token, int64_t mb, Problem &problem) {
  static constexpr DescriptorField kFields[] = {
      {"g", &Descriptor::g},   {"mb", &Descriptor::mb},
      {"ic", &Descriptor::ic}, {"id", &Descriptor::id},
      {"ih", &Descriptor::ih}, {"iw", &Descriptor::iw}};
  std::string rest = token.str();
  double epsilon = 0.0625;
  if (llvm::Error error = takeReal(rest, "eps", epsilon))
    return error;
  problem.own["eps"] = realText(epsilon);
  llvm::Expected<Descriptor> read = readSpatial(
      rest, llvm::ArrayRef(kFields).drop_front(hasGroups(problem) ? 0 : 1),
      /*hasOutputs=*/false, problem.name);
  if (!read)
    return read.takeError();
  problem.descriptor = *read;
  Descriptor &c = problem.descriptor;
  c.hasGroups = hasGroups(problem);
  if (c.ic % c.g)
    return makeError(ErrorCode::InvalidArgument,
                     "descriptor '{0}': 'g{1}' does not divide 'ic{2}'", token,
                     c.g, c.ic);
  takeBatch(problem, mb);
  return llvm::Error::success();
}

static double epsilonOf(const Problem &problem) {
  auto found = problem.own.find("eps");
  return found == problem.own.end() ? 0.0625 : realOf(found->second);
}

static std::string text(const Problem &problem) {
  std::string result = sizesText(problem.descriptor, /*hasOutputs=*/false);
  if (double epsilon = epsilonOf(problem); epsilon != 0.0625)
    result += "eps" + realText(epsilon);
  return result;
}

static Dims dims(const Problem &problem, Role role) {
  return role == Role::Wei ? Dims() : inputDims(problem.descriptor);
}

static llvm::Expected<BoundProgram> build(const Problem &problem) {
  const Descriptor &c = problem.descriptor;
  NormProblem norm;
  norm.src = inputDims(c);
  norm.layout = hasGroups(problem) ? NormLayout::group(norm.src, c.g)
                                   : NormLayout::batch(norm.src);
  norm.stats = hasGroups(problem) ? Dims{c.mb, c.g} : Dims{c.ic};
  norm.channels = {c.ic};
  auto [from, to] = pairOf(problem.knob("dt"));
  norm.from = typeOf(from), norm.to = typeOf(to);
  auto [srcTag, dstTag] = tagsOf(problem.knob("tag"));
  norm.srcLayout.tag = srcTag.str();
  norm.dstLayout.tag = hasGroups(problem) ? dstTag.str() : srcTag.str();
  norm.epsilon = epsilonOf(problem);
  if (llvm::StringRef strides = problem.knob("strides"); !strides.empty()) {
    std::string name;
    std::vector<Dims> lists = llvm::cantFail(readDims(strides, 2, name));
    for (const Dims &list : lists)
      if (list.size() != norm.src.size())
        return makeError(ErrorCode::InvalidArgument,
                         "--strides gives {0} numbers for a tensor of {1} "
                         "dimensions",
                         list.size(), norm.src.size());
    norm.srcLayout.strides = lists[0], norm.dstLayout.strides = lists[1];
  }
  return buildNorm(problem, norm);
}

static std::optional<Problem> recogniseAs(const Driver &driver,
                                          const Reading &r, int64_t groups) {
  bool forward = r.has("dst");
  const char *dst = forward ? "dst" : "diff_dst";
  Dims src = r.dimsOf("src");
  if (src.size() < 2 || src.size() > 5 || !r.has(dst))
    return std::nullopt;
  Problem p = candidateOf(driver, r);
  Descriptor &c = p.descriptor;
  c.mb = src[0], c.ic = src[1], c.ndims = static_cast<int>(src.size());
  c.g = groups, c.hasGroups = hasGroups(p);
  int64_t *inputs[] = {&c.id, &c.ih, &c.iw};
  for (size_t d = 2; d < src.size(); ++d)
    *inputs[d + 3 - src.size()] = src[d];
  p.own["dt"] = joined(nameOf(r.typeOf("src")), nameOf(r.typeOf(dst)));
  p.own["tag"] = r.tagOf("src");
  if (c.hasGroups && r.tagOf(dst) != "any")
    p.own["tag"] += ":" + r.tagOf(dst);
  if (r.tagOf("src") == "strided") {
    p.own["tag"] = "abx";
    const BoundProgram &bound = r.bound();
    p.own["strides"] =
        toText(bound.inputs[r.input("src")].strides) + ":" +
        toText(forward ? bound.outputs[r.output("dst")].strides
                       : bound.inputs[r.input("diff_dst")].strides);
  }
  return recogniseNorm(r, driver, p);
}

static std::optional<Problem> recogniseBatch(const BoundProgram &bound) {
  Reading r(bound);
  if (!r.isValid() || !r.has("src") || r.operations("rsqrt").size() != 1)
    return std::nullopt;
  return recogniseAs(kBatchNorm, r, 1);
}

static std::optional<Problem> recogniseGroup(const BoundProgram &bound) {
  Reading r(bound);
  if (!r.isValid() || !r.has("src") || r.operations("rsqrt").size() != 1)
    return std::nullopt;
  Dims src = r.dimsOf("src");
  for (mlir::Operation *op : r.operations("reshape")) {
    auto type = mlir::cast<mlir::ShapedType>(op->getResult(0).getType());
    if (src.size() < 2 ||
        type.getRank() != static_cast<int64_t>(src.size()) + 1)
      continue;
    if (auto found = recogniseAs(kGroupNorm, r, type.getDimSize(1)))
      return found;
  }
  return std::nullopt;
}

static void json(const Problem &problem, llvm::json::Object &object) {
  if (hasGroups(problem))
    object["g"] = problem.descriptor.g;
  sizesJson(problem.descriptor, /*hasOutputs=*/false, object);
  object["eps"] = epsilonOf(problem);
}

static constexpr OwnKnob kBatchKnobs[] = {
    {"dir", "FWD_D", "FWD_D FWD_I BWD_D BWD_DW", readPassWithWeights},
    {"dt", "f32", "T,...: data type of src and dst", readType},
    {"tag", "abx", "TAG,...: memory format of src and dst", readTag},
    {"strides", "", "SRC:DST,...: strides in elements", readStrides},
    {"flags", "", "letters of G C H R A", readBatchFlags},
    {"mb", "0", "N,...: replaces the descriptor's mb (0: keeps it)", readSize},
    kInPlaceKnob,
};
static constexpr OwnKnob kGroupKnobs[] = {
    {"dir", "FWD_D", "FWD_D FWD_I BWD_D BWD_DW", readPassWithWeights},
    {"dt", "f32", "T or SRC:DST,...: data types", readTypePair},
    {"tag", "abx", "SRC or SRC:DST,...: memory formats", readTagPair},
    {"flags", "", "letters of G C H", readGroupFlags},
    {"mb", "0", "N,...: replaces the descriptor's mb (0: keeps it)", readSize},
    kInPlaceKnob,
};

const Driver drivers::kBatchNorm = {.name = "bnorm",
                                    .parse = parse,
                                    .text = text,
                                    .build = build,
                                    .recognise = recogniseBatch,
                                    .dims = dims,
                                    .json = json,
                                    .knobs = kBatchKnobs,
                                    .hasAttributes = true};
const Driver drivers::kGroupNorm = {.name = "gnorm",
                                    .parse = parse,
                                    .text = text,
                                    .build = build,
                                    .recognise = recogniseGroup,
                                    .dims = dims,
                                    .json = json,
                                    .knobs = kGroupKnobs,
                                    .hasAttributes = true};
