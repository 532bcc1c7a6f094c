// Driver `prelu`: "NxCx...:1xCx...", dst = src where src > 0, else src * wei;
// backward diff_src and diff_wei.
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

static llvm::Expected<std::string> readDirection(llvm::StringRef value) {
  return readWord(value, {"FWD_D", "FWD_I", "BWD_DW"});
}

static llvm::Error parse(llvm::StringRef token, int64_t, Problem &p) {
  if (llvm::Error error = readShapePair(
          token, "the weights have more dimensions than the source", p))
    return error;
  const Dims &src = p.shapes[0], &wei = p.shapes[1];
  for (size_t d = 0; d < src.size(); ++d)
    if (wei[d] != src[d] && wei[d] != 1)
      p.invalid = llvm::formatv("size {0} of the weights is neither the "
                                "source's {1} nor 1",
                                wei[d], src[d]);
  return llvm::Error::success();
}

static Dims dims(const Problem &p, Role role) {
  return p.shapes.size() != 2 ? Dims() : p.shapes[role == Role::Wei];
}

static llvm::Expected<BoundProgram> build(const Problem &p) {
  if (!p.invalid.empty())
    return makeError(ErrorCode::InvalidArgument, "{0}", p.invalid);
  ElementType from = typeOf(itemOf(p.knob("sdt"), 0)),
              ofWei = typeOf(itemOf(p.knob("sdt"), 1));
  Layout layout{itemOf(p.knob("stag"), 0).str(), {}},
      weiLayout{itemOf(p.knob("stag"), 1).str(), {}};
  Assembly a(p, from);
  Value src = a.input("src", from, p.shapes[0], layout);
  Value wei = a.input("wei", ofWei, p.shapes[1], weiLayout);
  if (isForward(p.direction)) {
    a.finishDst(preluForward(a.builder(), src, wei), from, p.shapes[0], layout);
    return a.finish(p.direction);
  }
  Value gradient = a.input("diff_dst", from, p.shapes[0], layout);
  PreluBackward g = preluBackward(a.builder(), src, wei, gradient);
  a.result("diff_src", g.diffSrc, from, p.shapes[0], layout);
  a.result("diff_wei", g.diffWei, ofWei, p.shapes[1], weiLayout);
  return a.finish(p.direction);
}

static std::optional<Problem> recognise(const BoundProgram &bound) {
  Reading r(bound);
  if (!r.isValid() || r.operations("select").empty())
    return std::nullopt;
  return candidateOfPair(kPrelu, r, "src", "wei");
}

static void json(const Problem &p, llvm::json::Object &object) {
  shapeJson(p, {itemOf(p.knob("sdt"), 0), itemOf(p.knob("sdt"), 1)}, object);
}

static constexpr OwnKnob kKnobs[] = {
    {"dir", "FWD_D", "FWD_D FWD_I BWD_DW", readDirection},
    {"sdt", "f32:f32", "SRC:WEI,...: data types", readTypeList},
    {"stag", "abx:any", "TAG:TAG,...: memory formats of src and weights",
     readTagList}};

const Driver drivers::kPrelu = {.name = "prelu",
                                .parse = parse,
                                .text = shapesText,
                                .build = build,
                                .recognise = recognise,
                                .dims = dims,
                                .json = json,
                                .knobs = kKnobs,
                                .namePrefix = "_n"};
