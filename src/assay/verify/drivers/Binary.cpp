// Driver `binary`: "AxB:CxD", dst = src op src1, either side broadcast along its
// sizes of 1; select takes src where src2 is not 0, else src1.
#include "assay/formulas/Tensors.h"
#include "assay/verify/drivers/Assembly.h"
#include "assay/verify/drivers/Drivers.h"
#include "assay/verify/drivers/Recognition.h"
#include "assay/verify/drivers/Sizes.h"

using namespace assay;
using namespace assay::formulas;
using namespace assay::verify;
using namespace assay::verify::drivers;
using mlir::Value;

static constexpr llvm::StringRef kNames[] = {
    "add", "sub", "mul", "div", "max", "min",   "eq",
    "ne",  "ge",  "gt",  "le",  "lt",  "select"};

static llvm::Expected<std::string> readOperation(llvm::StringRef value) {
  std::string name = value.lower();
  llvm::StringRef stem = name;
  stem.consume_front("binary_");
  return readWord(stem, kNames);
}

static llvm::Error parse(llvm::StringRef token, int64_t, Problem &p) {
  if (llvm::Error error = readShapePair(
          token, "the second tensor has more dimensions than the first", p))
    return error;
  const Dims &a = p.shapes[0], &b = p.shapes[1];
  for (size_t d = 0; d < a.size(); ++d)
    if (a[d] != b[d] && a[d] != 1 && b[d] != 1)
      p.invalid = llvm::formatv("sizes {0} and {1} of dimension {2} differ and "
                                "neither is 1",
                                a[d], b[d], d);
  return llvm::Error::success();
}

static Dims outputDims(const Problem &p) {
  Dims out = p.shapes[0];
  for (size_t d = 0; d < out.size(); ++d)
    out[d] = out[d] == 1 ? p.shapes[1][d] : out[d];
  return out;
}

static Dims dims(const Problem &p, Role role) {
  return role == Role::Wei || p.shapes.size() != 2 ? Dims()
         : role == Role::Dst                       ? outputDims(p)
                                                   : p.shapes[0];
}

static llvm::Expected<BoundProgram> build(const Problem &p) {
  if (!p.invalid.empty())
    return makeError(ErrorCode::InvalidArgument, "{0}", p.invalid);
  ElementType first = typeOf(itemOf(p.knob("sdt"), 0)),
              second = typeOf(itemOf(p.knob("sdt"), 1)),
              to = typeOf(p.knob("ddt"));
  bool isWide = llvm::is_contained({first, second, to}, types::F64);
  Assembly a(p, isWide ? types::F64 : types::F32);
  Layout layout{itemOf(p.knob("stag"), 0).str(), {}};
  Value x = a.input("src", first, p.shapes[0], layout);
  Value y = a.input("src1", second, p.shapes[1],
                    {itemOf(p.knob("stag"), 1).str(), {}});
  if (p.knob("alg") == "div")
    a.lastInput().values = Binding::Values::NonZero;
  Dims out = outputDims(p);
  program::Builder &b = a.builder();
  bool selects = p.knob("alg") == "select";
  Value which =
      selects ? a.argument("src2", types::S8, p.shapes[0], layout) : Value();
  b.setLocation("op");
  x = spread(b, a.scale("src", x), out);
  y = spread(b, a.scale("src1", y), out);
  if (selects) {
    which = spread(b, which, out);
    Value zero = b.constant(0, program::Builder::typeOf(which));
    x = b.select(b.compare("NE", which, zero), x, y);
  } else {
    x = binaryForward(b, p.knob("alg"), x, y);
  }
  a.finishDst(x, to, out, {p.knob("dtag").str(), {}});
  return a.finish(Direction::FwdD);
}

static std::optional<Problem> recognise(const BoundProgram &bound) {
  Reading r(bound);
  std::optional<Problem> pair = candidateOfPair(kBinary, r, "src", "src1");
  if (!pair || r.output("dst") < 0)
    return std::nullopt;
  Problem &p = *pair;
  takeTensor(p, r, "dst", "ddt", "dtag");
  std::vector<Problem> candidates;
  for (llvm::StringRef name : kNames) {
    p.own["alg"] = name.str();
    if ((name == "select") == (r.input("src2") >= 0))
      candidates.push_back(p);
  }
  return firstThatBuilds(r, kBinary, candidates);
}

static void json(const Problem &p, llvm::json::Object &object) {
  shapeJson(p,
            {itemOf(p.knob("sdt"), 0), itemOf(p.knob("sdt"), 1), p.knob("ddt")},
            object);
}

static constexpr OwnKnob kKnobs[] = {
    {"sdt", "f32:f32", "T:T,...: data types of the sources", readTypeList},
    kDstTypeKnob,
    {"stag", "abx:any", "TAG:TAG,...: memory formats of the sources",
     readTagList},
    kDstTagKnob,
    {"alg", "add", "add sub mul div max min eq ne ge gt le lt select",
     readOperation},
    kInPlaceKnob};

const Driver drivers::kBinary = {.name = "binary",
                                 .parse = parse,
                                 .text = shapesText,
                                 .build = build,
                                 .recognise = recognise,
                                 .dims = dims,
                                 .json = json,
                                 .knobs = kKnobs,
                                 .hasAttributes = true,
                                 .namePrefix = "_n"};
