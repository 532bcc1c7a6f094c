// Driver `reorder`: "NxCx...", dst = ((src - zp_src) * scale_src + beta * dst)
// / scale_dst + zp_dst in another type or layout. Where only the layout
// changes, elements are copied in their own type.
#include "assay/verify/drivers/Assembly.h"
#include "assay/verify/drivers/Drivers.h"
#include "assay/verify/drivers/Recognition.h"
#include "assay/verify/drivers/Sizes.h"
#include "llvm/ADT/StringExtras.h"

using namespace assay;
using namespace assay::verify;
using namespace assay::verify::drivers;
using mlir::Value;

/// The strides of src (0) or dst (1) in "AxB:CxD".
static Dims stridesOf(const Problem &p, size_t side) {
  Dims strides;
  llvm::SmallVector<llvm::StringRef, 6> numbers;
  if (llvm::StringRef text = itemOf(p.knob("strides"), side);
      !p.knob("strides").empty() && !text.empty())
    text.split(numbers, 'x');
  for (llvm::StringRef number : numbers) {
    strides.push_back(0);
    number.getAsInteger(10, strides.back());
  }
  return strides;
}

static llvm::Expected<std::string> readStrides(llvm::StringRef value) {
  if (value.empty() || value == ":")
    return std::string();
  if (itemCount(value) != 2 || !llvm::all_of(value, [](char c) {
        return llvm::isDigit(c) || c == 'x' || c == ':';
      }))
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is not a list of strides; expected AxB:CxD", value);
  return value.str();
}

static llvm::Expected<std::string> readFlags(llvm::StringRef value) {
  return value.str();
}

static llvm::Error parse(llvm::StringRef token, int64_t, Problem &p) {
  if (llvm::Error error = readShapes(token, 1, p))
    return error;
  size_t rank = p.shapes[0].size(), side = 0;
  for (const char *knob : {"stag", "dtag"}) {
    Dims strides = stridesOf(p, side++);
    if (strides.empty())
      continue;
    if (strides.size() != rank)
      p.invalid = llvm::formatv("--strides gives {0} numbers for a tensor of "
                                "{1} dimensions",
                                strides.size(), rank);
    if (p.knob(knob) != "abx")
      p.invalid = llvm::formatv("both --strides and --{0} are given for the "
                                "same tensor",
                                knob);
  }
  const Attributes &a = p.attributes;
  if ((a.zeroPoint("src") && !typeOf(p.knob("sdt")).isInteger()) ||
      (a.zeroPoint("dst") && !typeOf(p.knob("ddt")).isInteger()))
    p.invalid = "a zero point of a type that is not an integer";
  if (a.zeroPoint("dst") && a.sum())
    p.invalid = "a zero point of dst beside a sum post-op";
  for (auto [knob, plain] : {std::pair("oflag", ""),
                             {"runtime-dim-mask", "0"},
                             {"cross-engine", "none"}})
    if (p.knob(knob) != plain && p.unimplemented.empty())
      p.unimplemented = (llvm::Twine("--") + knob + "=" + p.knob(knob)).str();
  for (const PostOp &op : a.postOps)
    if (op.kind != PostOp::Kind::Sum && p.unimplemented.empty())
      p.unimplemented = "post-op " + op.name + " of driver reorder";
  return llvm::Error::success();
}

static llvm::Expected<BoundProgram> build(const Problem &p) {
  if (!p.invalid.empty())
    return makeError(ErrorCode::InvalidArgument, "{0}", p.invalid);
  ElementType from = typeOf(p.knob("sdt")), to = typeOf(p.knob("ddt"));
  Layout source{p.knob("stag").str(), stridesOf(p, 0)},
      target{p.knob("dtag").str(), stridesOf(p, 1)};
  const Dims &sizes = p.shapes[0];
  bool isWide = llvm::is_contained({from, to}, types::F64);
  Assembly a(p, isWide ? types::F64 : types::F32);
  if (from == to && p.attributes.empty()) {
    a.result("dst", a.argument("src", from, sizes, source), to, sizes, target);
  } else {
    Value x = a.input("src", from, sizes, source);
    a.finishDst(a.zeroPoint("src", x, /*adds=*/false), to, sizes, target);
  }
  return a.finish(Direction::FwdD);
}

static std::optional<Problem> recognise(const BoundProgram &bound) {
  Reading r(bound);
  if (!r.isValid() || r.input("src") < 0 || r.output("dst") < 0)
    return std::nullopt;
  Problem p = candidateOf(kReorder, r);
  p.shapes = {r.dimsOf("src")};
  p.own["sdt"] = nameOf(r.typeOf("src"));
  p.own["ddt"] = nameOf(r.typeOf("dst"));
  std::string from = stridesTextOf(r, "src"), to = stridesTextOf(r, "dst");
  p.own["stag"] = from.empty() ? r.tagOf("src") : "abx";
  p.own["dtag"] = to.empty() ? r.tagOf("dst") : "abx";
  if (!from.empty() || !to.empty())
    p.own["strides"] = from + ":" + to;
  return p;
}

static void json(const Problem &p, llvm::json::Object &object) {
  shapeJson(p, {p.knob("sdt"), p.knob("ddt")}, object);
}

static constexpr OwnKnob kKnobs[] = {
    kSrcTypeKnob,
    kDstTypeKnob,
    kSrcTagKnob,
    {"dtag", "abx", "TAG,...: memory format of dst", readTag},
    {"strides", "", "SRC:DST,...: strides in elements", readStrides},
    {"oflag", "", "not available: compensations of convolutions", readFlags},
    {"runtime-dim-mask", "0", "0: sizes are known in advance", readSize},
    {"cross-engine", "none", "none: source and result on one engine",
     readFlags}};

const Driver drivers::kReorder = {.name = "reorder",
                                  .parse = parse,
                                  .text = shapesText,
                                  .build = build,
                                  .recognise = recognise,
                                  .dims = firstDims,
                                  .json = json,
                                  .knobs = kKnobs,
                                  .hasAttributes = true,
                                  .namePrefix = "_n"};
