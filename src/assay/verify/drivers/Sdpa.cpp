// Driver `sdpa`: "BxHxSxD:BxH'xDxT:BxH'xTxE", softmax(q k * scale + mask) v, in
// f32 (f64).
#include "assay/formulas/Folds.h"
#include "assay/verify/drivers/Assembly.h"
#include "assay/verify/drivers/Drivers.h"
#include "assay/verify/drivers/Recognition.h"
#include "assay/verify/drivers/Sizes.h"

#include <cmath>

using namespace assay;
using namespace assay::formulas;
using namespace assay::verify;
using namespace assay::verify::drivers;

static constexpr llvm::StringRef kMasks[] = {
    "none",      "buffer",          "buffer_1d",
    "buffer_2d", "causal_top_left", "causal_bottom_right"};

static llvm::Expected<std::string> readMask(llvm::StringRef value) {
  return readWord(value, kMasks);
}

static llvm::Expected<std::string> readScale(llvm::StringRef value) {
  return readWord(value, {"library", "mul", "div"});
}

/// "T" or "Q:K:V:DST".
static llvm::Expected<std::string> readTypes(llvm::StringRef value) {
  llvm::SmallVector<llvm::StringRef> types;
  value.split(types, ':');
  if (types.size() != 1 && types.size() != 4)
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}': expected one data type or Q:K:V:DST", value);
  for (llvm::StringRef type : types)
    if (auto read = readType(type); !read)
      return read.takeError();
  return llvm::all_equal(types) ? types[0].str() : value.str();
}

static llvm::Error parse(llvm::StringRef token, int64_t, Problem &problem) {
  llvm::Expected<std::vector<Dims>> lists = readDims(token, 3, problem.name);
  if (!lists)
    return lists.takeError();
  problem.shapes = std::move(*lists);
  const Dims &q = problem.shapes[0], &k = problem.shapes[1],
             &v = problem.shapes[2];
  if (q.size() != 4 || k.size() != 4 || v.size() != 4)
    problem.unimplemented = "an attention of other than 4 dimensions";
  else if (q[0] != k[0] || q[0] != v[0] || k[1] != v[1] || q[3] != k[2] ||
           k[3] != v[2] || k[1] == 0 || q[1] % k[1] != 0)
    problem.invalid = "expected BxHxSxD:BxH'xDxT:BxH'xTxE with H a multiple of "
                      "H'";
  return llvm::Error::success();
}

static std::string text(const Problem &problem) {
  return toText(problem.shapes[0]) + ":" + toText(problem.shapes[1]) + ":" +
         toText(problem.shapes[2]);
}

static Dims dstDims(const Problem &problem) {
  Dims dst = problem.shapes[0];
  dst[3] = problem.shapes[2][3];
  return dst;
}

static Dims dims(const Problem &problem, Role role) {
  if (problem.shapes.size() != 3 || problem.shapes[0].size() != 4 ||
      problem.shapes[2].size() != 4 || role == Role::Wei)
    return {};
  return role == Role::Dst ? dstDims(problem) : problem.shapes[0];
}

static MaskForm formOf(llvm::StringRef mask) {
  if (mask == "causal_top_left")
    return MaskForm::TopLeft;
  if (mask == "causal_bottom_right")
    return MaskForm::BottomRight;
  return mask == "none" ? MaskForm::None : MaskForm::Buffer;
}

static Dims maskDims(const Problem &problem, llvm::StringRef mask) {
  Dims dims = problem.shapes[0];
  dims[3] = problem.shapes[1][3];
  if (mask != "buffer")
    dims[0] = dims[1] = 1;
  if (mask == "buffer_1d")
    dims[2] = 1;
  return dims;
}

static llvm::Expected<BoundProgram> build(const Problem &problem) {
  if (!problem.invalid.empty())
    return makeError(ErrorCode::InvalidArgument, "{0}", problem.invalid);
  llvm::SmallVector<llvm::StringRef> types;
  problem.knob("dt").split(types, ':');
  types.resize(4, types[0]);
  Direction direction = directionOf(problem);
  llvm::StringRef mask = problem.knob("mask"), scale = problem.knob("scale");
  Assembly a(problem, typeOf(types[0]));
  for (llvm::StringRef type : types)
    if (typeOf(type).isInteger())
      a.invalid("an attention takes float types");
  if (!isForward(direction))
    a.unsupported("--dir=BWD_D of driver sdpa");
  if (!problem.attributes.empty())
    a.unsupported("attributes of driver sdpa");
  Attention x;
  auto tensor = [&](const char *role, int i, const char *tag) {
    return a.input(role, typeOf(types[i]), problem.shapes[i],
                   {problem.knob(tag).str(), {}});
  };
  x.q = tensor("q", 0, "qtag"), x.k = tensor("k", 1, "ktag");
  x.v = tensor("v", 2, "vtag");
  x.form = formOf(mask);
  if (x.form == MaskForm::Buffer)
    x.mask = a.input("mask", typeOf(problem.knob("mdt")),
                     maskDims(problem, mask), {"abx", {}});
  if (scale != "library") {
    double root = std::sqrt(static_cast<double>(problem.shapes[0][3]));
    x.scale = a.input("scale", types::F32, {1});
    a.lastInput().values = Binding::Values::Constant;
    a.lastInput().value = scale == "div" ? root : 1 / root;
    x.divides = scale == "div";
  }
  a.finishDst(attentionForward(a.builder(), x), typeOf(types[3]),
              dstDims(problem), {problem.knob("dtag").str(), {}});
  return a.finish(direction);
}

static std::optional<Problem> recognise(const BoundProgram &bound) {
  Reading r(bound);
  if (!r.isValid() || !r.has("q") || !r.has("k") || !r.has("v"))
    return std::nullopt;
  Problem p = candidateOf(kSdpa, r);
  p.shapes = {r.dimsOf("q"), r.dimsOf("k"), r.dimsOf("v")};
  std::string types;
  for (const char *role : {"q", "k", "v", "dst"})
    types += (types.empty() ? "" : ":") + std::string(nameOf(r.typeOf(role)));
  p.own["dt"] = llvm::cantFail(readTypes(types));
  p.own["qtag"] = r.tagOf("q"), p.own["ktag"] = r.tagOf("k");
  p.own["vtag"] = r.tagOf("v"), p.own["dtag"] = r.tagOf("dst");
  if (r.has("mask"))
    p.own["mdt"] = nameOf(r.typeOf("mask"));
  std::vector<Problem> candidates;
  for (llvm::StringRef mask : kMasks)
    for (const char *scale : {"library", "mul", "div"}) {
      if (r.has("mask") != (formOf(mask) == MaskForm::Buffer) ||
          r.has("scale") != (llvm::StringRef(scale) != "library"))
        continue;
      p.own["mask"] = mask.str();
      p.own["scale"] = scale;
      candidates.push_back(p);
    }
  return firstThatBuilds(r, kSdpa, candidates);
}

/// Operations of both products; a causal mask omits half of each.
static double operations(const Problem &problem) {
  const Dims &q = problem.shapes[0], &v = problem.shapes[2];
  double all = 2.0;
  for (int64_t size : {q[0], q[1], q[2], v[2], q[3] + v[3]})
    all *= static_cast<double>(size);
  return problem.knob("mask").starts_with("causal") ? all / 2 : all;
}

static void json(const Problem &problem, llvm::json::Object &object) {
  object["dims"] = llvm::json::Array(problem.shapes[0]);
}

static constexpr OwnKnob kKnobs[] = {
    {"dir", "FWD_I", "FWD_I FWD_D", readPass},
    {"dt", "f32", "T or Q:K:V:DST,...: data types", readTypes},
    {"qtag", "abx", "TAG,...: memory format of the queries", readTag},
    {"ktag", "abx", "TAG,...: memory format of the keys", readTag},
    {"vtag", "abx", "TAG,...: memory format of the values", readTag},
    {"dtag", "abx", "TAG,...: memory format of dst", readTag},
    {"mask", "none",
     "none buffer buffer_1d buffer_2d causal_top_left causal_bottom_right",
     readMask},
    {"mdt", "f32", "T,...: data type of a buffer mask", readType},
    {"scale", "library", "library mul div", readScale},
};

const Driver drivers::kSdpa = {.name = "sdpa",
                               .parse = parse,
                               .text = text,
                               .build = build,
                               .recognise = recognise,
                               .dims = dims,
                               .operations = operations,
                               .json = json,
                               .knobs = kKnobs,
                               .hasAttributes = true,
                               .namePrefix = "_n",
                               .defaultEngine = "native"};
