// Driver `reduction`: "AxBxC:DxExF"; dst is src folded over the dimensions that
// dst has with size 1. Extremes of integers are found among integers, all else
// is computed in f32 (f64).
#include "assay/formulas/Folds.h"
#include "assay/verify/drivers/Assembly.h"
#include "assay/verify/drivers/Drivers.h"
#include "assay/verify/drivers/Recognition.h"
#include "assay/verify/drivers/Sizes.h"

using namespace assay;
using namespace assay::formulas;
using namespace assay::verify;
using namespace assay::verify::drivers;

namespace {
struct Row {
  const char *name;
  Fold fold;
};
} // namespace

static constexpr Row kRules[] = {
    {"sum", {FoldRule::Sum}},
    {"mul", {FoldRule::Product}},
    {"max", {FoldRule::Max}},
    {"min", {FoldRule::Min}},
    {"mean", {FoldRule::Mean}},
    {"norm_lp_max", {FoldRule::Norm, 1, 0, true, true}},
    {"norm_lp_sum", {FoldRule::Norm, 1, 0, false, true}},
    {"norm_lp_power_p_max", {FoldRule::Norm, 1, 0, true, false}},
    {"norm_lp_power_p_sum", {FoldRule::Norm, 1, 0, false, false}},
};

static llvm::Expected<std::string> readAlgorithm(llvm::StringRef value) {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Row &row : kRules)
    names.push_back(row.name);
  std::string lower = value.lower();
  llvm::StringRef name = lower;
  name.consume_front("reduction_");
  return readWord(name, names);
}

static llvm::Error parse(llvm::StringRef token, int64_t, Problem &problem) {
  llvm::Expected<std::vector<Dims>> lists = readDims(token, 2, problem.name);
  if (!lists)
    return lists.takeError();
  problem.shapes = std::move(*lists);
  const Dims &src = problem.shapes[0], &dst = problem.shapes[1];
  bool fits = src.size() == dst.size(), folds = false;
  for (size_t d = 0; fits && d < src.size(); ++d) {
    fits = dst[d] == src[d] || dst[d] == 1;
    folds |= dst[d] != src[d];
  }
  if (!fits)
    problem.invalid = "each size of dst must be that of src, or 1";
  else if (!folds)
    problem.invalid = "dst has the sizes of src: nothing is reduced";
  return llvm::Error::success();
}

static std::string text(const Problem &problem) {
  return toText(problem.shapes[0]) + ":" + toText(problem.shapes[1]);
}

static Dims dims(const Problem &problem, Role role) {
  return role == Role::Wei || problem.shapes.size() != 2
             ? Dims()
             : problem.shapes[role == Role::Dst];
}

static llvm::Expected<BoundProgram> build(const Problem &problem) {
  Fold fold;
  for (const Row &row : kRules)
    if (problem.knob("alg") == row.name)
      fold = row.fold;
  ElementType from = typeOf(problem.knob("sdt")),
              to = typeOf(problem.knob("ddt"));
  double p = realOf(problem.knob("p")), eps = realOf(problem.knob("eps"));
  Assembly a(problem, from);
  if (!problem.invalid.empty())
    return makeError(ErrorCode::InvalidArgument, "{0}", problem.invalid);
  if (fold.rule == FoldRule::Norm) {
    fold.p = p, fold.epsilon = eps;
    if (p < 1 || eps < 0)
      a.invalid("a norm needs --p of at least 1 and --eps of at least 0");
    if (from.isInteger())
      a.invalid("a norm needs a float src");
  } else if (p != 1 || eps != 0) {
    a.invalid("--p and --eps are for norms");
  }
  bool amongIntegers = from.isInteger() && (fold.rule == FoldRule::Max ||
                                            fold.rule == FoldRule::Min);
  Layout layout{problem.knob("stag").str(), {}};
  mlir::Value src = amongIntegers
                        ? a.argument("src", from, problem.shapes[0], layout)
                        : a.input("src", from, problem.shapes[0], layout);
  if (fold.rule == FoldRule::Product)
    a.lastInput().values = Binding::Values::Factors;
  a.finishDst(foldForward(a.builder(), fold, src, problem.shapes[1]), to,
              problem.shapes[1], {problem.knob("dtag").str(), {}});
  return a.finish(Direction::FwdD);
}

static std::optional<Problem> recognise(const BoundProgram &bound) {
  Reading r(bound);
  if (!r.isValid() || r.operations("reduce").size() != 1 || !r.has("dst"))
    return std::nullopt;
  Problem p = candidateOf(kReduction, r);
  p.shapes = {r.dimsOf("src"), r.dimsOf("dst")};
  takeTensor(p, r, "src", "sdt", "stag");
  takeTensor(p, r, "dst", "ddt", "dtag");
  std::vector<Problem> candidates;
  std::vector<double> powers{1, 2}, numbers = r.constants();
  powers.insert(powers.end(), numbers.begin(), numbers.end());
  for (const Row &row : kRules) {
    p.own["alg"] = row.name;
    bool isNorm = row.fold.rule == FoldRule::Norm;
    for (double power : isNorm ? powers : std::vector<double>{1})
      for (double eps : isNorm ? numbers : std::vector<double>{0}) {
        p.own["p"] = realText(power);
        p.own["eps"] = realText(eps);
        candidates.push_back(p);
      }
  }
  return firstThatBuilds(r, kReduction, candidates);
}

static void json(const Problem &problem, llvm::json::Object &object) {
  object["dims"] = llvm::json::Array(problem.shapes[0]);
}

static constexpr OwnKnob kKnobs[] = {
    kSrcTypeKnob,
    kDstTypeKnob,
    kSrcTagKnob,
    kDstTagKnob,
    {"alg", "sum", "sum mul max min mean norm_lp_sum norm_lp_max ...",
     readAlgorithm},
    {"p", "1", "P,...: the power of a norm", readReal},
    {"eps", "0", "EPS,...: the eps of a norm", readReal},
};

const Driver drivers::kReduction = {.name = "reduction",
                                    .parse = parse,
                                    .text = text,
                                    .build = build,
                                    .recognise = recognise,
                                    .dims = dims,
                                    .json = json,
                                    .knobs = kKnobs,
                                    .hasAttributes = true,
                                    .namePrefix = "_n"};
