// Driver `resampling`: spatial sizes of the input beside those of the output;
// nearest or linear, in f32 (f64).
#include "assay/formulas/Windows.h"
#include "assay/verify/drivers/Assembly.h"
#include "assay/verify/drivers/Drivers.h"
#include "assay/verify/drivers/Recognition.h"
#include "assay/verify/drivers/Sizes.h"

using namespace assay;
using namespace assay::formulas;
using namespace assay::verify;
using namespace assay::verify::drivers;

static llvm::Expected<std::string> readAlgorithm(llvm::StringRef value) {
  value.consume_front("resampling_");
  return readWord(value, {"nearest", "linear"});
}

static llvm::Error parse(llvm::StringRef token, int64_t mb, Problem &problem) {
  static constexpr DescriptorField kFields[] = {
      {"mb", &Descriptor::mb}, {"ic", &Descriptor::ic}, {"id", &Descriptor::id},
      {"ih", &Descriptor::ih}, {"iw", &Descriptor::iw}, {"od", &Descriptor::od},
      {"oh", &Descriptor::oh}, {"ow", &Descriptor::ow}};
  llvm::Expected<Descriptor> read =
      readSpatial(token, kFields, /*hasOutputs=*/true, problem.name);
  if (!read)
    return read.takeError();
  problem.descriptor = *read;
  takeBatch(problem, mb);
  return llvm::Error::success();
}

static std::string text(const Problem &problem) {
  return sizesText(problem.descriptor, /*hasOutputs=*/true);
}

static Dims dims(const Problem &problem, Role role) {
  if (role == Role::Wei)
    return {};
  return role == Role::Src ? inputDims(problem.descriptor)
                           : outputDims(problem.descriptor);
}

static llvm::Expected<BoundProgram> build(const Problem &problem) {
  Direction direction = directionOf(problem);
  ElementType from = typeOf(problem.knob("sdt")),
              to = typeOf(problem.knob("ddt"));
  bool linear = problem.knob("alg") == "linear";
  Dims src = dims(problem, Role::Src), dst = dims(problem, Role::Dst);
  Layout layout{problem.knob("tag").str(), {}};
  Assembly a(problem, from);
  if (isForward(direction)) {
    mlir::Value x = a.input("src", from, src, layout);
    a.finishDst(resampleForward(a.builder(), linear, x,
                                llvm::ArrayRef(dst).drop_front(2)),
                to, dst, layout);
    return a.finish(direction);
  }
  if (!problem.attributes.empty())
    a.invalid("a backward pass takes no --attr-post-ops and no --attr-scales");
  if (from.isInteger() || to.isInteger())
    a.invalid("a backward pass takes float types");
  mlir::Value dy = a.input("diff_dst", to, dst, layout);
  a.result("diff_src",
           resampleBackward(a.builder(), linear, dy,
                            llvm::ArrayRef(src).drop_front(2)),
           from, src, layout);
  return a.finish(direction);
}

static std::optional<Problem> recognise(const BoundProgram &bound) {
  Reading r(bound);
  bool forward = r.has("src");
  const char *in = forward ? "src" : "diff_src",
             *out = forward ? "dst" : "diff_dst";
  if (!r.isValid() || !r.has(in) || !r.has(out))
    return std::nullopt;
  Dims src = r.dimsOf(in), dst = r.dimsOf(out);
  if (src.size() < 3 || src.size() > 5 || dst.size() != src.size())
    return std::nullopt;
  Problem p = candidateOf(kResampling, r);
  Descriptor &c = p.descriptor;
  c.mb = src[0], c.ic = src[1], c.ndims = static_cast<int>(src.size());
  int64_t *inputs[] = {&c.id, &c.ih, &c.iw}, *outputs[] = {&c.od, &c.oh, &c.ow};
  for (size_t d = 2; d < src.size(); ++d) {
    *inputs[d + 3 - src.size()] = src[d];
    *outputs[d + 3 - src.size()] = dst[d];
  }
  p.own["sdt"] = nameOf(r.typeOf(in));
  p.own["ddt"] = nameOf(r.typeOf(out));
  p.own["tag"] = r.tagOf(in);
  Problem linear = p;
  linear.own["alg"] = "linear";
  return firstThatBuilds(r, kResampling, {p, linear});
}

static void json(const Problem &problem, llvm::json::Object &object) {
  sizesJson(problem.descriptor, /*hasOutputs=*/true, object);
}

static constexpr OwnKnob kKnobs[] = {
    kPassKnob,
    kSrcTypeKnob,
    kDstTypeKnob,
    {"tag", "abx", "TAG,...: memory format of src and dst", readTag},
    {"alg", "nearest", "nearest linear", readAlgorithm},
    {"mb", "0", "N,...: replaces the descriptor's mb (0: keeps it)", readSize},
};

const Driver drivers::kResampling = {.name = "resampling",
                                     .parse = parse,
                                     .text = text,
                                     .build = build,
                                     .recognise = recognise,
                                     .dims = dims,
                                     .json = json,
                                     .knobs = kKnobs,
                                     .hasAttributes = true};
