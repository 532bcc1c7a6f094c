// Driver `lnorm`: "AxBxC", statistics over the last dimension.
#include "assay/verify/drivers/Drivers.h"
#include "assay/verify/drivers/Normalisation.h"
#include "assay/verify/drivers/Sizes.h"

using namespace assay;
using namespace assay::formulas;
using namespace assay::verify;
using namespace assay::verify::drivers;

static llvm::Expected<std::string> readFlags(llvm::StringRef value) {
  return readNormFlags(value, "GCHM");
}

static llvm::Error parse(llvm::StringRef token, int64_t, Problem &problem) {
  llvm::Expected<std::vector<Dims>> lists = readDims(token, 1, problem.name);
  if (!lists)
    return lists.takeError();
  problem.shapes = std::move(*lists);
  if (problem.shapes[0].size() < 2)
    problem.invalid = "a layer normalisation needs two sizes or more";
  return llvm::Error::success();
}

static std::string text(const Problem &problem) {
  return toText(problem.shapes[0]);
}

static Dims dims(const Problem &problem, Role role) {
  return role == Role::Wei || problem.shapes.empty() ? Dims()
                                                     : problem.shapes[0];
}

static llvm::Expected<BoundProgram> build(const Problem &problem) {
  if (!problem.invalid.empty())
    return makeError(ErrorCode::InvalidArgument, "{0}", problem.invalid);
  NormProblem norm;
  norm.src = problem.shapes[0];
  norm.layout = NormLayout::layer(norm.src);
  norm.stats = Dims(norm.src.begin(), norm.src.end() - 1);
  norm.channels = {norm.src.back()};
  auto [from, to] = pairOf(problem.knob("dt"));
  norm.from = typeOf(from), norm.to = typeOf(to);
  norm.scaleType = typeOf(problem.knob("ss_dt"));
  auto [srcTag, dstTag] = tagsOf(problem.knob("tag"));
  norm.srcLayout.tag = srcTag.str(), norm.dstLayout.tag = dstTag.str();
  norm.statLayout.tag = problem.knob("stat_tag").str();
  if (norm.statLayout.tag == "undef") // the library chooses: row-major here
    norm.statLayout.tag = "any";
  norm.epsilon = realOf(problem.knob("eps"));
  return buildNorm(problem, norm);
}

static std::optional<Problem> recognise(const BoundProgram &bound) {
  Reading r(bound);
  if (!r.isValid() || !r.has("src") || r.operations("rsqrt").size() != 1)
    return std::nullopt;
  bool forward = r.has("dst");
  Problem p = candidateOf(kLayerNorm, r);
  p.shapes = {r.dimsOf("src")};
  const char *dst = forward ? "dst" : "diff_dst";
  if (p.shapes[0].size() < 2 || !r.has(dst))
    return std::nullopt;
  p.own["dt"] = joined(nameOf(r.typeOf("src")), nameOf(r.typeOf(dst)));
  p.own["tag"] = r.tagOf(dst) == "any" ? r.tagOf("src")
                                       : r.tagOf("src") + ":" + r.tagOf(dst);
  p.own["stat_tag"] = r.tagOf("var");
  for (const char *role : {"scale", "shift", "diff_shift"})
    if (r.has(role))
      p.own["ss_dt"] = nameOf(r.typeOf(role));
  return recogniseNorm(r, kLayerNorm, p);
}

static void json(const Problem &problem, llvm::json::Object &object) {
  object["dims"] = llvm::json::Array(problem.shapes[0]);
}

static std::optional<int64_t> maskOfPolicy(const Problem &problem,
                                           llvm::StringRef argument,
                                           llvm::StringRef policy) {
  if (argument != "po" || policy != "per_oc" || problem.shapes.empty())
    return std::nullopt;
  return int64_t(1) << (problem.shapes[0].size() - 1);
}

static constexpr OwnKnob kKnobs[] = {
    {"dir", "FWD_D", "FWD_D FWD_I BWD_D BWD_DW", readPassWithWeights},
    {"dt", "f32", "T or SRC:DST,...: data types", readTypePair},
    {"tag", "abx", "SRC or SRC:DST,...: memory formats", readTagPair},
    {"stat_tag", "any", "TAG,...: memory format of mean and var", readTag},
    {"ss_dt", "f32", "T,...: data type of scale and shift", readType},
    {"flags", "", "letters of G C H M", readFlags},
    {"eps", "0.0625", "EPS,...", readReal},
    kInPlaceKnob,
};

const Driver drivers::kLayerNorm = {.name = "lnorm",
                                    .parse = parse,
                                    .text = text,
                                    .build = build,
                                    .recognise = recognise,
                                    .dims = dims,
                                    .json = json,
                                    .knobs = kKnobs,
                                    .hasAttributes = true,
                                    .namePrefix = "_n",
                                    .maskOfPolicy = maskOfPolicy};
