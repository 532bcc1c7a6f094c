// Driver `concat`: "AxB:AxC:...", the sources one after the other along an
// axis. Where types agree and there are no attributes, elements are copied in
// their own type.
#include "assay/verify/drivers/Assembly.h"
#include "assay/verify/drivers/Drivers.h"
#include "assay/verify/drivers/Recognition.h"
#include "assay/verify/drivers/Sizes.h"

using namespace assay;
using namespace assay::verify;
using namespace assay::verify::drivers;
using mlir::Value;

static std::string argumentName(size_t i) { return "msrc" + std::to_string(i); }

static size_t axisOf(const Problem &p) {
  size_t axis = 0;
  p.knob("axis").getAsInteger(10, axis);
  return axis;
}

static llvm::Error parse(llvm::StringRef token, int64_t, Problem &p) {
  if (llvm::Error error = readShapes(token, 0, p))
    return error;
  const Dims &first = p.shapes[0];
  size_t axis = axisOf(p);
  for (const Dims &sizes : p.shapes)
    for (size_t d = 0; d < first.size(); ++d)
      if (sizes.size() != first.size() || (d != axis && sizes[d] != first[d]))
        p.invalid = "the sources differ in a size other than the axis's";
  if (axis >= first.size())
    p.invalid = llvm::formatv("--axis={0} of a tensor of {1} dimensions", axis,
                              first.size());
  checkItems(p, "stag", p.shapes.size());
  if (p.knob("dtag") == "undef") // then the engine chooses dst
    p.own["ddt"] = p.knob("sdt").str();
  return llvm::Error::success();
}

static Dims outputDims(const Problem &p) {
  Dims out = p.shapes[0];
  size_t axis = axisOf(p);
  for (size_t i = 1; i < p.shapes.size(); ++i)
    out[axis] += p.shapes[i][axis];
  return out;
}

static Dims dims(const Problem &p, Role role) {
  return role == Role::Wei || p.shapes.empty()    ? Dims()
         : role == Role::Dst && p.invalid.empty() ? outputDims(p)
                                                  : p.shapes[0];
}

static llvm::Expected<BoundProgram> build(const Problem &p) {
  if (!p.invalid.empty())
    return makeError(ErrorCode::InvalidArgument, "{0}", p.invalid);
  ElementType from = typeOf(p.knob("sdt")), to = typeOf(p.knob("ddt"));
  Layout layout{freeTag(p.knob("dtag")), {}};
  bool moves = from == to && p.attributes.empty();
  bool isWide = llvm::is_contained({from, to}, types::F64);
  Assembly a(p, isWide ? types::F64 : types::F32);
  llvm::SmallVector<Value, 4> parts;
  for (size_t i = 0; i < p.shapes.size(); ++i) {
    Layout own{itemOf(p.knob("stag"), i).str(), {}};
    parts.push_back(moves ? a.argument(sourceRole(i), from, p.shapes[i], own)
                          : a.input(sourceRole(i), from, p.shapes[i], own));
  }
  for (size_t i = 0; i < parts.size(); ++i)
    parts[i] = a.scale(argumentName(i), parts[i]);
  a.builder().setLocation("op");
  Value dst = a.builder().concatenate(parts, static_cast<int64_t>(axisOf(p)));
  if (moves)
    a.result("dst", dst, to, outputDims(p), layout);
  else
    a.finishDst(dst, to, outputDims(p), layout);
  return a.finish(Direction::FwdD);
}

static std::optional<Problem> recognise(const BoundProgram &bound) {
  Reading r(bound);
  if (!r.isValid() || r.operations("concatenate").size() != 1 ||
      r.output("dst") < 0)
    return std::nullopt;
  mlir::Operation *op = r.operations("concatenate")[0];
  auto axis = op->getAttrOfType<mlir::IntegerAttr>("dimension");
  Problem p = candidateOf(kConcat, r);
  std::string tags;
  for (size_t i = 0; i < op->getNumOperands(); ++i) {
    if (r.input(sourceRole(i)) < 0)
      return std::nullopt;
    p.shapes.push_back(r.dimsOf(sourceRole(i)));
    tags += (i ? ":" : "") + r.tagOf(sourceRole(i));
  }
  p.own["axis"] = std::to_string(axis.getInt());
  p.own["sdt"] = nameOf(r.typeOf("src"));
  p.own["ddt"] = nameOf(r.typeOf("dst"));
  p.own["stag"] = shortened(tags);
  return firstThatBuilds(r, kConcat, withFreeTag(p, r.tagOf("dst")));
}

static void json(const Problem &p, llvm::json::Object &object) {
  llvm::SmallVector<llvm::StringRef> types(p.shapes.size(), p.knob("sdt"));
  types.push_back(p.knob("ddt"));
  shapeJson(p, types, object);
  object["dtag"] = freeTag(p.knob("dtag"));
  object["axis"] = static_cast<int64_t>(axisOf(p));
}

static constexpr OwnKnob kKnobs[] = {
    {"sdt", "f32", "T,...: data type of the sources", readType},
    kDstTypeKnob,
    {"stag", "abx", "TAG[:TAG],...: memory formats of the sources",
     readTagList},
    {"dtag", "undef", "TAG,...: memory format of dst", readTag},
    {"axis", "1", "N,...: the dimension that grows", readSize}};

const Driver drivers::kConcat = {.name = "concat",
                                 .parse = parse,
                                 .text = shapesText,
                                 .build = build,
                                 .recognise = recognise,
                                 .dims = dims,
                                 .json = json,
                                 .knobs = kKnobs,
                                 .hasAttributes = true,
                                 .namePrefix = "_n"};
