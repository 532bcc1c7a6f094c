// See Normalisation.h. The set of tensors depends only on the flags and the
// pass, so the roles in a program determine the flags.
#include "assay/verify/drivers/Normalisation.h"
#include "assay/verify/drivers/Sizes.h"

using namespace assay;
using namespace assay::formulas;
using namespace assay::verify;
using namespace assay::verify::drivers;
using mlir::Value;

static constexpr llvm::StringRef kLetters = "GCHMRA";

llvm::Expected<std::string> drivers::readNormFlags(llvm::StringRef value,
                                                   llvm::StringRef letters) {
  std::string upper = value.upper(), result;
  for (char letter : upper)
    if (!letters.contains(letter))
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}': expected some of the letters {1}", value,
                       letters);
  for (char letter : kLetters)
    if (llvm::StringRef(upper).contains(letter))
      result += letter;
  return result;
}

namespace {
/// One build: the words, the assembly and the tensors so far.
class NormBuild {
public:
  NormBuild(const Problem &problem, const NormProblem &norm)
      : norm_(norm), direction_(directionOf(problem)), a_(problem, norm.from),
        attributes_(!problem.attributes.empty()) {
    llvm::StringRef flags = problem.knob("flags");
    given_ = flags.contains('G'), scale_ = flags.contains('C');
    shift_ = flags.contains('H'), rms_ = flags.contains('M');
    add_ = flags.contains('A'), relu_ = add_ || flags.contains('R');
    both_ = flags.contains('R') && add_;
  }
  llvm::Expected<BoundProgram> run();

private:
  void check();
  void addStatistics();
  void addScales(bool withShift);
  void forward();
  void backward();

  const NormProblem &norm_;
  Direction direction_;
  Assembly a_;
  NormOptions options_;
  NormTensors tensors_;
  bool attributes_, given_, scale_, shift_, rms_, add_, relu_, both_;
};
} // namespace

void NormBuild::check() {
  bool integers = norm_.from.isInteger() || norm_.to.isInteger();
  if (integers && direction_ != Direction::FwdI)
    a_.invalid("integer types are for --dir=FWD_I");
  if (both_)
    a_.invalid("--flags takes R or A, not both");
  if (!isForward(direction_) && attributes_)
    a_.invalid("a backward pass takes no --attr-post-ops and no --attr-scales");
  if (direction_ == Direction::BwdD && shift_ && !relu_)
    a_.invalid("flag H changes nothing in --dir=BWD_D");
  if (norm_.epsilon < 0)
    a_.invalid("eps must not be negative");
}

void NormBuild::addStatistics() {
  if (!rms_)
    tensors_.mean = a_.input("mean", types::F32, norm_.stats, norm_.statLayout);
  tensors_.var = a_.input("var", types::F32, norm_.stats, norm_.statLayout);
  a_.lastInput().values = Binding::Values::Positive;
}

void NormBuild::addScales(bool withShift) {
  if (scale_)
    tensors_.scale = a_.input("scale", norm_.scaleType, norm_.channels);
  if (withShift)
    tensors_.shift = a_.input("shift", norm_.scaleType, norm_.channels);
}

void NormBuild::forward() {
  if (given_)
    addStatistics();
  addScales(shift_);
  NormForward result = normForward(a_.builder(), options_, tensors_);
  a_.finishDst(result.dst, norm_.to, norm_.src, norm_.dstLayout);
  if (given_ || direction_ != Direction::FwdD)
    return;
  if (!rms_)
    a_.result("mean", result.mean, types::F32, norm_.stats, norm_.statLayout);
  a_.result("var", result.var, types::F32, norm_.stats, norm_.statLayout);
}

void NormBuild::backward() {
  addStatistics();
  tensors_.diffDst = a_.input("diff_dst", norm_.to, norm_.src, norm_.dstLayout);
  addScales(shift_ && relu_);
  options_.scaleGradient = scale_ && direction_ != Direction::BwdD;
  options_.shiftGradient = shift_ && direction_ != Direction::BwdD;
  NormBackward result = normBackward(a_.builder(), options_, tensors_);
  a_.result("diff_src", result.diffSrc, norm_.from, norm_.src, norm_.srcLayout);
  if (add_)
    a_.result("diff_src1", result.diffAdd, norm_.from, norm_.src,
              norm_.srcLayout);
  if (options_.scaleGradient)
    a_.result("diff_scale", result.diffScale, norm_.scaleType, norm_.channels);
  if (options_.shiftGradient)
    a_.result("diff_shift", result.diffShift, norm_.scaleType, norm_.channels);
}

llvm::Expected<BoundProgram> NormBuild::run() {
  check();
  options_.layout = norm_.layout;
  options_.epsilon = norm_.epsilon;
  options_.given = given_, options_.rms = rms_, options_.relu = relu_;
  tensors_.src = a_.input("src", norm_.from, norm_.src, norm_.srcLayout);
  if (add_)
    tensors_.add = a_.input("src1", norm_.from, norm_.src, norm_.srcLayout);
  isForward(direction_) ? forward() : backward();
  return a_.finish(direction_);
}

llvm::Expected<BoundProgram> drivers::buildNorm(const Problem &problem,
                                                const NormProblem &norm) {
  return NormBuild(problem, norm).run();
}

//===--- The way back ----------------------------------------------------===//

static std::vector<std::string> flagsOf(const Reading &r) {
  bool forward = r.has("dst");
  std::vector<std::string> result;
  // Flags that the tensors do not show are tried with both values.
  for (bool given : {false, true})
    for (bool rms : {false, true})
      for (bool relu : {false, true}) {
        if (forward && given != (r.input("var") >= 0))
          continue;
        std::string flags = given ? "G" : "";
        if (r.has("scale"))
          flags += 'C';
        if (r.has("shift") || r.has("diff_shift"))
          flags += 'H';
        if (rms)
          flags += 'M';
        if (r.has("src1"))
          flags += 'A';
        else if (relu)
          flags += 'R';
        if (!llvm::is_contained(result, flags))
          result.push_back(flags);
      }
  return result;
}

static std::vector<double> epsilonsOf(const Reading &r) {
  std::vector<double> result{0.0625};
  for (double value : r.constants())
    if (value >= 0 && value != 0.0625)
      result.push_back(value);
  return result;
}

std::optional<Problem> drivers::recogniseNorm(const Reading &r,
                                              const Driver &driver, Problem p) {
  std::vector<Problem> candidates;
  for (const std::string &flags : flagsOf(r))
    for (double epsilon : epsilonsOf(r)) {
      p.own["flags"] = flags;
      p.own["eps"] = realText(epsilon);
      candidates.push_back(p);
    }
  return firstThatBuilds(r, driver, candidates);
}
