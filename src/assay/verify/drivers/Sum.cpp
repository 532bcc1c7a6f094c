// Driver `sum`: "NxCx...", dst = scale * src + scale1 * src1 + ..., added in
// order; --sdt has a type for each source.
#include "assay/verify/drivers/Assembly.h"
#include "assay/verify/drivers/Drivers.h"
#include "assay/verify/drivers/Recognition.h"
#include "assay/verify/drivers/Sizes.h"

using namespace assay;
using namespace assay::verify;
using namespace assay::verify::drivers;
using mlir::Value;

static llvm::Error parse(llvm::StringRef token, int64_t, Problem &p) {
  if (llvm::Error error = readShapes(token, 1, p))
    return error;
  size_t sources = itemCount(p.knob("sdt"));
  for (const char *knob : {"stag", "scales"})
    checkItems(p, knob, sources);
  return llvm::Error::success();
}

static llvm::Expected<BoundProgram> build(const Problem &p) {
  if (!p.invalid.empty())
    return makeError(ErrorCode::InvalidArgument, "{0}", p.invalid);
  ElementType to = typeOf(p.knob("ddt"));
  bool isWide = to == types::F64 || p.knob("sdt").contains("f64");
  Assembly a(p, isWide ? types::F64 : types::F32);
  program::Builder &b = a.builder();
  Value sum;
  for (size_t i = 0; i < itemCount(p.knob("sdt")); ++i) {
    Value x = a.input(sourceRole(i), typeOf(itemOf(p.knob("sdt"), i)),
                      p.shapes[0], {itemOf(p.knob("stag"), i).str(), {}});
    Value scale = b.constant(realOf(itemOf(p.knob("scales"), i)),
                             program::Builder::typeOf(x));
    x = b.binary("multiply", scale, x);
    sum = sum ? b.binary("add", sum, x) : x;
  }
  a.finishDst(sum, to, p.shapes[0], {freeTag(p.knob("dtag")), {}});
  return a.finish(Direction::FwdD);
}

static std::optional<Problem> recognise(const BoundProgram &bound) {
  Reading r(bound);
  if (!r.isValid() || r.output("dst") < 0)
    return std::nullopt;
  std::vector<mlir::Operation *> terms = r.operations("multiply");
  std::string types, tags, scales;
  for (size_t i = 0; i < bound.inputs.size(); ++i) {
    std::string role = sourceRole(i), colon = i ? ":" : "";
    std::optional<double> scale =
        i < terms.size() ? constantOf(terms[i]->getOperand(0)) : std::nullopt;
    if (!scale || r.input(role) != static_cast<int>(i))
      return std::nullopt;
    types += colon + nameOf(r.typeOf(role));
    tags += colon + r.tagOf(role);
    scales += colon + realText(*scale);
  }
  if (terms.empty())
    return std::nullopt;
  Problem p = candidateOf(kSum, r);
  p.shapes = {r.dimsOf("src")};
  p.own["sdt"] = types;
  p.own["ddt"] = nameOf(r.typeOf("dst"));
  p.own["stag"] = shortened(tags);
  p.own["scales"] = shortened(scales);
  return firstThatBuilds(r, kSum, withFreeTag(p, r.tagOf("dst")));
}

static void json(const Problem &p, llvm::json::Object &object) {
  llvm::SmallVector<llvm::StringRef> types;
  llvm::json::Array scales;
  for (size_t i = 0; i < itemCount(p.knob("sdt")); ++i) {
    types.push_back(itemOf(p.knob("sdt"), i));
    scales.push_back(realOf(itemOf(p.knob("scales"), i)));
  }
  types.push_back(p.knob("ddt"));
  shapeJson(p, types, object);
  object["dtag"] = freeTag(p.knob("dtag"));
  object["input_scales"] = std::move(scales);
  object["scales"] = llvm::json::Array();
}

static constexpr OwnKnob kKnobs[] = {
    {"sdt", "f32:f32", "T:T[:T],...: data types of the sources", readTypeList},
    kDstTypeKnob,
    {"stag", "abx", "TAG[:TAG],...: memory formats of the sources",
     readTagList},
    {"dtag", "undef", "TAG,...: memory format of dst", readTag},
    {"scales", "1", "X[:X],...: factors of the sources", readRealList},
    kInPlaceKnob};

const Driver drivers::kSum = {.name = "sum",
                              .parse = parse,
                              .text = shapesText,
                              .build = build,
                              .recognise = recognise,
                              .dims = firstDims,
                              .json = json,
                              .knobs = kKnobs,
                              .namePrefix = "_n"};
