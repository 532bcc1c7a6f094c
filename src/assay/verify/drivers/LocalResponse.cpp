// Driver `lrn`: local response normalisation across channels or within one, in
// f32 (f64). Real numbers of the descriptor (alpha, beta, k) are kept as words
// beside the knobs' values.
#include "assay/judge/program/CommonForms.h"
#include "assay/formulas/Eltwise.h"
#include "assay/formulas/Windows.h"
#include "assay/verify/drivers/Assembly.h"
#include "assay/verify/drivers/Drivers.h"
#include "assay/verify/drivers/Recognition.h"
#include "assay/verify/drivers/Sizes.h"

using namespace assay;
using namespace assay::formulas;
using namespace assay::verify;
using namespace assay::verify::drivers;

static constexpr std::pair<const char *, double> kNumbers[] = {
    {"alpha", 1.0 / 8192}, {"beta", 0.75}, {"k", 1}};

static llvm::Expected<std::string> readAlgorithm(llvm::StringRef value) {
  return readWord(value, {"ACROSS", "WITHIN"});
}

/// The window's size is stored as a convolution's kernel width.
static int64_t &windowOf(Descriptor &c) { return c.kw; }
static int64_t windowOf(const Descriptor &c) { return c.kw; }

static llvm::Error parse(llvm::StringRef token, int64_t mb, Problem &problem) {
  static constexpr DescriptorField kFields[] = {
      {"mb", &Descriptor::mb}, {"ic", &Descriptor::ic},
      {"id", &Descriptor::id}, {"ih", &Descriptor::ih},
      {"iw", &Descriptor::iw}, {"ls", &Descriptor::kw}};
  std::string rest = token.str();
  for (auto [letters, value] : kNumbers) {
    double number = value;
    if (llvm::Error error = takeReal(rest, letters, number))
      return error;
    problem.own[letters] = realText(number);
  }
  bool hasSize =
      llvm::StringRef(rest).take_front(rest.find('n')).contains("ls");
  llvm::Expected<Descriptor> read =
      readSpatial(rest, kFields, /*hasOutputs=*/false, problem.name);
  if (!read)
    return read.takeError();
  problem.descriptor = *read;
  if (!hasSize)
    windowOf(problem.descriptor) = 5;
  if (windowOf(problem.descriptor) < 1)
    return makeError(ErrorCode::InvalidArgument,
                     "descriptor '{0}': 'ls' must be positive", token);
  takeBatch(problem, mb);
  return llvm::Error::success();
}

static double numberOf(const Problem &problem, const char *letters) {
  auto found = problem.own.find(letters);
  return found == problem.own.end() ? 0 : realOf(found->second);
}

static std::string text(const Problem &problem) {
  std::string result = sizesText(problem.descriptor, /*hasOutputs=*/false);
  if (int64_t size = windowOf(problem.descriptor); size != 5)
    result += "ls" + std::to_string(size);
  for (auto [letters, value] : kNumbers)
    if (double number = numberOf(problem, letters); number != value)
      result += letters + realText(number);
  return result;
}

static Dims dims(const Problem &problem, Role role) {
  return role == Role::Wei ? Dims() : inputDims(problem.descriptor);
}

/// A backward pass reads the powers of the forward pass from a workspace, which
/// engines keep in the type of src: a narrow one rounds them.
static void allowWorkspace(Assembly &a, ElementType type, mlir::Value x) {
  if (!type.isFloat() || type.bits != 16)
    return;
  for (mlir::Operation &op : *x.getParentBlock())
    if (op.getName().getStringRef() == "stablehlo.power")
      judge::withAccuracy(op.getResult(0),
                          {type == types::BF16 ? 0x1p15 : 0x1p12, 0});
}

static llvm::Expected<BoundProgram> build(const Problem &problem) {
  Direction direction = directionOf(problem);
  ElementType type = typeOf(problem.knob("dt"));
  ResponseNorm norm{problem.knob("alg") == "ACROSS",
                    windowOf(problem.descriptor), numberOf(problem, "alpha"),
                    numberOf(problem, "beta"), numberOf(problem, "k")};
  Dims sizes = dims(problem, Role::Src);
  Layout layout{problem.knob("tag").str(), {}};
  Assembly a(problem, type);
  if (!problem.attributes.empty())
    a.unsupported("attributes of driver lrn");
  if (type.isInteger())
    a.invalid("a response normalisation takes float types");
  mlir::Value x = a.input("src", type, sizes, layout);
  if (isForward(direction)) {
    a.result("dst", responseNormForward(a.builder(), norm, x), type, sizes,
             layout);
    return a.finish(direction);
  }
  mlir::Value dy = a.input("diff_dst", type, sizes, layout);
  mlir::Value dx = responseNormBackward(a.builder(), norm, x, dy);
  allowWorkspace(a, type, x);
  a.result("diff_src", dx, type, sizes, layout);
  return a.finish(direction);
}

static std::optional<Problem> recognise(const BoundProgram &bound) {
  Reading r(bound);
  if (!r.isValid() || r.operations("power").empty() ||
      r.operations("reduce_window").empty())
    return std::nullopt;
  Dims src = r.dimsOf("src"),
       window =
           integersOf(r.operations("reduce_window")[0], "window_dimensions");
  if (src.size() < 2 || src.size() > 5 || window.size() != src.size())
    return std::nullopt;
  Problem p = candidateOf(kLocalResponse, r);
  Descriptor &c = p.descriptor;
  c.mb = src[0], c.ic = src[1], c.ndims = static_cast<int>(src.size());
  int64_t *inputs[] = {&c.id, &c.ih, &c.iw};
  for (size_t d = 2; d < src.size(); ++d)
    *inputs[d + 3 - src.size()] = src[d];
  p.own["dt"] = nameOf(r.typeOf("src"));
  p.own["tag"] = r.tagOf("src");
  int64_t reach = *std::max_element(window.begin(), window.end());
  std::vector<double> numbers = r.constants();
  std::vector<Problem> candidates;
  // ls = 2 h + 1 and ls = 2 h + 2 both make a window of 2 h + 1.
  for (const char *rule : {"ACROSS", "WITHIN"})
    for (int64_t size : {reach, reach + 1})
      for (double alpha : numbers)
        for (double beta : numbers)
          for (double k : numbers) {
            if (beta > 0 || alpha < 0 || k < 0)
              continue;
            p.own["alg"] = rule;
            windowOf(c) = size;
            p.own["alpha"] = realText(alpha);
            p.own["beta"] = realText(-beta);
            p.own["k"] = realText(k);
            candidates.push_back(p);
          }
  return firstThatBuilds(r, kLocalResponse, candidates);
}

static void json(const Problem &problem, llvm::json::Object &object) {
  sizesJson(problem.descriptor, /*hasOutputs=*/false, object);
  object["ls"] = windowOf(problem.descriptor);
  for (auto [letters, value] : kNumbers)
    object[letters] = numberOf(problem, letters);
}

static constexpr OwnKnob kKnobs[] = {
    kPassKnob,
    {"dt", "f32", "T,...: data type of src and dst", readType},
    {"tag", "abx", "TAG,...: memory format of src and dst", readTag},
    {"alg", "ACROSS", "ACROSS WITHIN", readAlgorithm},
    {"mb", "0", "N,...: replaces the descriptor's mb (0: keeps it)", readSize},
};

const Driver drivers::kLocalResponse = {.name = "lrn",
                                        .parse = parse,
                                        .text = text,
                                        .build = build,
                                        .recognise = recognise,
                                        .dims = dims,
                                        .json = json,
                                        .knobs = kKnobs,
                                        .hasAttributes = true};
