// First wrong: one walk over the steps of the model (Steps.h) in the order of
// execution. Each step is judged by its program where it has one, else by the
// rule and by its sources; the earliest wrong step is the culprit, since later
// ones inherit its error through their inputs. Only growth of the error is
// doubtful evidence; such suspects are listed after the others. Fails that are
// not suspects are explained at the end (Closing.cpp).
#include "assay/trace/FirstWrong.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/trace/Closing.h"
#include "assay/trace/Growth.h"
#include "assay/trace/OtherSettings.h"
#include "assay/trace/Regions.h"
#include "assay/trace/ReplayAll.h"
#include "assay/trace/Values.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace assay::trace {

using formats::Hdf5Reader;

// docs/first_wrong.md derives these and lists cases that they misjudge.
static constexpr double kManyRoundings =
    4; // times as far as one may 16-bit operators round when their number is
       // not known
static constexpr const char *kUnknownRoundings =
    "in 16 bits the operators of its code, which were not recorded, may round "
    "so far";

namespace {
class Judge {
public:
  Judge(const Comparison &comparison, const Hdf5Reader &target,
        const Hdf5Reader &bench, ThreadPool &pool,
        const SideOperators &operators)
      : comparison_(comparison), pool_(pool), operators_(operators),
        replay_(comparison, target, bench, operators), regions_(comparison),
        closing_(comparison) {}
  FirstWrong run();

private:
  const ComparedRow &row(size_t index) const { return comparison_.rows[index]; }
  const DumpName &name(size_t index) const {
    return comparison_.item(row(index), true).name;
  }
  /// The hashes of both sides' tensors.
  std::pair<std::string, std::string> dataOf(const ComparedRow &row) const {
    return {comparison_.item(row, true).hash,
            comparison_.item(row, false).hash};
  }
  bool anyFails(llvm::ArrayRef<size_t> rows) const {
    return llvm::any_of(
        rows, [&](size_t i) { return row(i).status == RowStatus::Fail; });
  }
  std::string whereIs(int64_t item, bool ofTarget) const;
  std::string roleOf(const ModelStep &step) const;
  double score(const ModelStep &step) const {
    return growthOf(comparison_, step.row, step.sources, step.leaf);
  }
  std::optional<Suspect> judge(const ModelStep &step);
  std::optional<Suspect> judgeReplayed(const ModelStep &step,
                                       const ReplayResult &again);
  std::optional<Suspect> hardEvidence(const ModelStep &step);
  std::optional<Suspect> byFlow(const ModelStep &step);
  std::optional<Suspect> byGrowth(const ModelStep &step);
  std::optional<Suspect> judgeFedIn(const ModelStep &step);
  void nameRegion(const Region &region, Suspect &suspect) const;
  bool followsFromFloats(const ModelStep &step) const;
  bool mayBeRoundings(const ModelStep &step) const;
  bool saysNothing(const ModelStep &step) const;
  bool isAnotherWay(const ModelStep &step, const Region &region) const;
  bool cancels(const ModelStep &step) const;
  bool isOfOtherForm(const ModelStep &step) const;
  bool isExplained(const ModelStep &step);
  Suspect otherParameter(const ModelStep &step) const;
  bool hasReorderedSamples(const ModelStep &step) const;
  bool differsFirst(const ModelStep &step) const;
  std::optional<Suspect> leakedPadding(const ModelStep &step) const;
  Suspect suspect(const ModelStep &step, Evidence evidence,
                  std::string reason) const;
  void addParameters();
  double errorIn(const ModelStep &step) const {
    return largestError(comparison_, step.sources);
  }

  const Comparison &comparison_;
  ThreadPool &pool_;
  SideOperators operators_;
  StepReplay replay_;
  Regions regions_;
  Closing closing_;
  std::vector<ModelStep> steps_;
  std::vector<std::optional<ReplayResult>> replays_; // of steps_
  std::map<std::string, int64_t> ofRole_;            // steps that differ
  std::set<std::pair<std::string, std::string>> parameters_; // failing ones
  std::vector<Suspect> places_; // views that are written to
  std::vector<Suspect>
      alikeOnly_; // other arguments of operators that are paired by similarity:
                  // used where nothing else is found
  int64_t lastUnknown_ =
      -1; // the last row whose memory no recorded operator wrote
  bool hasOperators_ = false;
  FirstWrong result_;
};
} // namespace

static std::string withoutNumbers(llvm::StringRef path) {
  std::string role;
  for (char c : path)
    if (c < '0' || c > '9')
      role += c;
  return role;
}

/// The name of the same step in every block: its path without its numbers;
/// for an operator, the path of the module around it and the line.
std::string Judge::roleOf(const ModelStep &step) const {
  const DumpName &tensor = name(step.row);
  if (!isOperatorCall(tensor.module))
    return withoutNumbers(tensor.text());
  return tensor.className + " " + kindName(tensor.kind).str() + "." +
         tensor.item + " " +
         withoutNumbers(whereIs(row(step.row).pair.target, true));
}

/// For an operator's tensor, the module around it and the line of the model;
/// for a module's, the line that called it.
std::string Judge::whereIs(int64_t item, bool ofTarget) const {
  const DumpName &tensor =
      (ofTarget ? comparison_.target
                : comparison_.bench)[static_cast<size_t>(item)]
          .name;
  if (!isOperatorCall(tensor.module))
    return replay_.calledAt(tensor.module).str();
  const ModuleCall *around = regions_.around(item, ofTarget);
  std::string where = around ? around->module : "";
  const Operators *operators =
      ofTarget && operators_.target ? operators_.target : operators_.bench;
  llvm::StringRef source = operators ? operators->source(tensor) : "";
  if (!source.empty())
    where += (where.empty() ? "" : ", ") + source.str();
  return where;
}

Suspect Judge::suspect(const ModelStep &step, Evidence evidence,
                       std::string reason) const {
  Suspect result;
  result.module = step.module.empty()
                      ? (step.className.empty() ? "(model)" : step.className)
                      : step.module;
  result.className = step.className;
  result.evidence = evidence;
  result.reason = std::move(reason);
  result.tensor = name(step.row).text();
  result.where = whereIs(row(step.row).pair.target, true);
  result.row = static_cast<int64_t>(step.row);
  result.step = name(step.row).step;
  result.errorIn = errorIn(step);
  result.errorOut = row(step.row).relL2;
  result.score = score(step);
  result.role = roleOf(step);
  auto judged = ofRole_.find(result.role);
  result.ofRole = judged == ofRole_.end() ? 1 : judged->second;
  return result;
}

/// Whether no single element makes up half of the squared error.
static bool isSpread(const ComparedRow &row) {
  double rms = row.relL2 * row.benchRms;
  return std::isfinite(rms) &&
         row.maxAbs * row.maxAbs <=
             0.5 * rms * rms * static_cast<double>(row.elements);
}

/// Whether the result of a module's code, whose operators were not recorded,
/// may be off by their roundings in 16 bits: by as many as it may have, or by
/// the rounding of a large input of the module, as in the sine of an angle.
bool Judge::mayBeRoundings(const ModelStep &step) const {
  const ComparedRow &out = row(step.row);
  bool narrow = out.type.isFloat() && out.type.bits <= 16;
  if (narrow && !step.leaf && llvm::any_of(step.sources, [&](size_t source) {
        return name(source).kind == TensorKind::ForwardInput &&
               name(source).module == step.module &&
               row(source).elements < out.elements &&
               row(source).benchRms * numerics::unitRoundoff(out.type.format) >=
                   out.maxAbs;
      }))
    return true;
  if (narrow && cancels(step))
    return true;
  constexpr double kBarely = 2; // one element: a fault that small is not seen
  return narrow && !isNumbered(name(step.row).module) &&
         (isSpread(out) || out.worstFraction <= kBarely) &&
         score(step) * (step.leaf ? 1 : kBetween) <=
             kManyRoundings * kSureGrowth;
}

/// Whether integers or truth values differ in a few places where floats that
/// they were made of differ a little: an argmax, the choice of a router. A
/// slightly different number of rows is such a choice, too.
bool Judge::followsFromFloats(const ModelStep &step) const {
  const ComparedRow &out = row(step.row);
  double relative = 0;
  for (size_t source : step.sources)
    if (row(source).mismatches > 0 && row(source).type.isFloat() &&
        std::isfinite(row(source).relL2))
      relative = std::max(relative, row(source).relL2);
  if (relative == 0)
    return false;
  constexpr double kNearTies = 32; // nearly tie: as many errors apart
  auto few = [&](int64_t differing, int64_t count) {
    return static_cast<double>(differing) <=
           std::max(2.0, kNearTies * relative * static_cast<double>(count));
  };
  if (out.compared)
    return !out.type.isFloat() && !out.type.isComplex() &&
           few(out.mismatches, out.elements);
  const tensor::Shape &mine = comparison_.item(out, true).type.shape,
                      &theirs = comparison_.item(out, false).type.shape;
  if (mine.size() != theirs.size())
    return false;
  int64_t others = 0;
  bool fewer = true;
  for (auto [x, y] : llvm::zip(mine, theirs))
    if (x != y) {
      ++others;
      fewer &= few(std::abs(x - y), std::max(x, y));
    }
  return others == 1 && fewer;
}

/// True if the samples of the two sides are in different orders, which shapes
/// do not show, and the results of the module around the step agree.
bool Judge::hasReorderedSamples(const ModelStep &step) const {
  return comparison_.sampleOrders.count(name(step.row).step) > 0 &&
         regions_.agreesAround(step.row);
}

/// Whether a tensor has another shape, or is the input of a module of another
/// class, and the outputs of the module around it agree: then this part is only
/// written in another way.
bool Judge::isOfOtherForm(const ModelStep &step) const {
  const ComparedRow &out = row(step.row);
  if (out.status != RowStatus::Fail || out.pair.part)
    return false;
  const DumpName &mine = name(step.row);
  bool otherClass =
      !isNumbered(mine.module) && isInput(mine.kind) &&
      mine.className != comparison_.item(out, false).name.className;
  return (!out.compared || otherClass) && regions_.agreesAround(step.row);
}

/// Whether a result of code between modules in the backward pass is off by no
/// more than a rounding of the gradients that it was made of: it is a sum that
/// cancels, like the gradients of queries and keys where attention is even.
bool Judge::cancels(const ModelStep &step) const {
  const ComparedRow &out = row(step.row);
  if (step.leaf || !isBackward(name(step.row).kind) || !out.type.isFloat() ||
      (out.type.bits >= 32 && !isSpread(out)))
    return false;
  double terms = 0;
  for (size_t source : step.sources)
    if (isBackward(name(source).kind))
      terms = std::max(terms, row(source).benchRms);
  return out.relL2 * out.benchRms <=
         numerics::unitRoundoff(out.type.format) * terms;
}

/// Whether another order, a tie or roundings explain a Fail whose inputs pass;
/// notes the cause.
bool Judge::isExplained(const ModelStep &step) {
  const ComparedRow &out = row(step.row);
  if (hasReorderedSamples(step)) {
    closing_.explain(step.row, Cause::Written);
    return true;
  }
  double beyond = score(step);
  if (replay_.turnsOnTies(step, out.relL2 / beyond)) {
    closing_.explain(step.row, Cause::Chosen);
    return true;
  }
  // A module without a program rounds after each of its operators, as code
  // between modules does: in 16 bits a recurrent one's roundings show.
  constexpr double kBarely = 2, kBarelyNarrow = 4;
  bool narrow = out.type.isFloat() && out.type.bits <= 16;
  double limit = narrow ? kSureGrowth : kBetween;
  if (!step.leaf)
    limit /= kBetween;
  if (beyond <= limit &&
      out.worstFraction <= (narrow ? kBarelyNarrow : kBarely)) {
    closing_.explain(step.row, Cause::Rounded);
    return true;
  }
  if (!narrow && cancels(step)) {
    closing_.explain(step.row, Cause::Rounded);
    return true;
  }
  if (mayBeRoundings(step)) {
    closing_.doubt(step.row, kUnknownRoundings);
    return true;
  }
  return false;
}

/// The suspect where one side calls a module with a parameter passed to it.
Suspect Judge::otherParameter(const ModelStep &step) const {
  const OneSidedParameter &given = *step.oneSided;
  Suspect result = suspect(step, Evidence::Arguments,
                           "it calls '" + step.module + "' with " +
                               (given.ofTarget ? "another '" : "its own '") +
                               given.name + "', the bench with " +
                               (given.ofTarget ? "its own: " : "another: ") +
                               row(step.row).reason);
  result.module = given.around.empty() ? "(model)" : given.around;
  result.className = "";
  return result;
}

std::optional<Suspect> Judge::hardEvidence(const ModelStep &step) {
  const ComparedRow &out = row(step.row);
  bool sourcesPass = true, sourcesFinite = true;
  for (size_t source : step.sources) {
    sourcesPass &= row(source).status != RowStatus::Fail ||
                   closing_.isExplained(source, Cause::Meaningless);
    sourcesFinite &= row(source).nonFiniteDisagree == 0;
  }
  std::string where =
      step.leaf ? "its output"
                : "what it computes for '" + name(step.row).text() + "'";
  if (out.nonFiniteDisagree > 0 && sourcesFinite)
    return suspect(
        step, Evidence::NotFinite,
        where + " has " + std::to_string(out.nonFiniteDisagree) +
            " NaN or Inf that the bench lacks, from inputs without any");
  if (out.status != RowStatus::Fail)
    return std::nullopt;
  if (!sourcesPass) {
    closing_.explain(step.row, Cause::Follows);
    return std::nullopt;
  }
  std::string others = replay_.otherArguments(step);
  if (!others.empty())
    return suspect(step, Evidence::Arguments, others + ": " + out.reason);
  if (isRandom(name(step.row)))
    return suspect(step, Evidence::Random,
                   "it drew other random numbers: another seed or generator");
  if (followsFromFloats(step)) {
    closing_.explain(step.row, Cause::Chosen);
    return std::nullopt;
  }
  bool isParameterGradient = name(step.row).kind == TensorKind::ParamsGrad;
  if (!out.compared && isParameterGradient &&
      closing_.isReparametrised(step.row)) {
    closing_.explain(step.row, Cause::Written);
    return std::nullopt;
  }
  if (!out.compared)
    return suspect(step, Evidence::Shape, out.reason);
  if (isExplained(step))
    return std::nullopt;
  if (step.oneSided)
    return otherParameter(step);
  return suspect(step, Evidence::Rule,
                 where + " fails, its inputs pass: " + out.reason);
}

/// The contents of a region, as a suspect's name and reason.
void Judge::nameRegion(const Region &region, Suspect &suspect) const {
  auto at = [&](int64_t item, bool ofTarget) -> const DumpName & {
    return (ofTarget ? comparison_.target
                     : comparison_.bench)[static_cast<size_t>(item)]
        .name;
  };
  auto words = [&](llvm::ArrayRef<int64_t> items, bool ofTarget) {
    constexpr size_t kShown = 4;
    std::string text;
    for (size_t i = 0; i < std::min(items.size(), kShown); ++i) {
      std::string where = whereIs(items[i], ofTarget);
      text += (i ? ", " : "") + operatorText(at(items[i], ofTarget).className) +
              (where.empty() || i > 0 ? "" : " (" + where + ")");
    }
    if (items.size() > kShown)
      text += " and " + std::to_string(items.size() - kShown) + " more";
    return text;
  };
  bool ofTarget = !region.target.empty();
  const auto &items = ofTarget ? region.target : region.bench;
  bool bothSides = ofTarget && !region.bench.empty();
  if (ofTarget && !bothSides) {
    suspect.module = at(items.front(), true).module;
    suspect.className = at(items.front(), true).className;
    suspect.where = whereIs(items.front(), true);
    suspect.reason = words(items, true) + ", only in the target";
  } else {
    const ModuleCall *around = regions_.around(items.front(), ofTarget);
    suspect.module = around && !around->module.empty() ? around->module
                     : bothSides ? at(items.front(), true).module
                                 : "(model)";
    suspect.className = around && !around->module.empty()
                            ? ""
                            : at(items.front(), ofTarget).className;
    suspect.where = whereIs(items.front(), ofTarget);
    suspect.reason = bothSides ? words(region.target, true) +
                                     " in the target, where the bench has " +
                                     words(region.bench, false) +
                                     ", and the results differ"
                               : words(items, false) + ", only in the bench";
  }
  if (region.reordered)
    suspect.reason = words(items, ofTarget) +
                     ", in another order than in the " +
                     (ofTarget ? "bench" : "target");
}

/// Whether a tensor is the input of an operator that only names or moves it, is
/// paired by similarity, and has a result without a more certain pair.
bool Judge::saysNothing(const ModelStep &step) const {
  const DumpName &given = name(step.row);
  if (row(step.row).pair.how != "similar" || !onlyMoves(given.className))
    return false;
  for (size_t i = step.row; i < comparison_.rows.size(); ++i) {
    if (row(i).pair.target < 0 || row(i).pair.bench < 0)
      continue;
    if (name(i).module != given.module)
      return true;
    if (closing_.isSure(i))
      return false;
  }
  return true;
}

/// Whether the operators before an operator's input compute the same value in
/// another way.
bool Judge::isAnotherWay(const ModelStep &step, const Region &region) const {
  bool isStale = region.empty() && regions_.isStale(step.row);
  return regions_.isExchanged(step.row) || region.onlyCasts ||
         (region.staysInside && !region.narrows && !isStale);
}

/// Judges an operator's input that no earlier tensor equals by the operations
/// before it on both sides, back to tensors that both have.
std::optional<Suspect> Judge::byFlow(const ModelStep &step) {
  const ComparedRow &r = row(step.row);
  if (r.status != RowStatus::Fail)
    return std::nullopt;
  Region region = regions_.behind(step.row);
  bool unknown = region.empty() && step.sources.empty();
  if (unknown)
    lastUnknown_ = static_cast<int64_t>(step.row);
  if (region.startsFromFail || (unknown && closing_.anyFail())) {
    closing_.explain(step.row, Cause::Follows);
    return std::nullopt;
  }
  bool nothing = saysNothing(step),
       shows = nothing && regions_.resultFails(name(step.row).step);
  if (!shows && (nothing || isAnotherWay(step, region))) {
    closing_.explain(step.row, Cause::Written);
    return std::nullopt;
  }
  if (shows || (region.onlyAlike && region.empty())) {
    closing_.doubt(step.row, "its operators are paired by likeness only");
    return std::nullopt;
  }
  if (region.empty() && !step.sources.empty())
    return hardEvidence(step);
  Suspect result = suspect(step, Evidence::Structure, "");
  if (std::optional<size_t> made = regions_.madeInBench(step.row);
      region.empty() && made) {
    if (regions_.isGivenBeside(*made, step.row)) {
      result.evidence = Evidence::Arguments;
      result.reason = "called with its operands in another order than in the "
                      "bench: " +
                      r.reason;
      return result;
    }
    result.module = name(*made).module;
    result.className = name(*made).className;
    result.where = whereIs(row(*made).pair.target, true);
    result.reason = "what it gives is not what '" + name(step.row).text() +
                    "' was given, as it is in the bench: " + r.reason;
    return result;
  }
  if (region.empty() && parameters_.count(dataOf(r))) {
    closing_.explain(step.row, Cause::Follows); // the parameter is a suspect
    return std::nullopt;
  }
  if (region.empty()) {
    result.evidence = Evidence::Input;
    result.reason = "its input '" + name(step.row).item +
                    "' differs, and no recorded operator made it (a parameter, "
                    "a constant, memory that was written in place): " +
                    r.reason;
    return result;
  }
  nameRegion(region, result);
  if (region.narrows)
    result.reason += ": it is rounded to a narrower type";
  result.reason += "; '" + name(step.row).text() + "' then fails: " + r.reason;
  return result;
}

/// Whether a result fails, its sources pass, and no result of the modules
/// around it agrees.
bool Judge::differsFirst(const ModelStep &step) const {
  return row(step.row).status == RowStatus::Fail && !anyFails(step.sources) &&
         !regions_.agreesAround(step.row);
}

/// The suspect where a step's input differs only at positions without a token,
/// and its output differs at others: the operators that should have kept the
/// two kinds of positions separate.
std::optional<Suspect> Judge::leakedPadding(const ModelStep &step) const {
  auto source = llvm::find_if(step.sources, [&](size_t source) {
    return row(source).padding.has_value();
  });
  if (source == step.sources.end() || !differsFirst(step))
    return std::nullopt;
  Suspect result = suspect(step, Evidence::Structure, "");
  if (Region region = regions_.behind(*source); !region.empty()) {
    nameRegion(region, result);
    result.reason += "; ";
  }
  result.reason += "'" + name(*source).text() +
                   "' differs where there is no token, and '" +
                   name(step.row).text() +
                   "', which is made of it, at others: " + row(step.row).reason;
  return result;
}

std::optional<Suspect> Judge::judgeReplayed(const ModelStep &step,
                                            const ReplayResult &again) {
  ++result_.replayed;
  const ComparedRow &out = row(step.row);
  // A kernel need not compute the positions without a token, where all others are right.
  bool isPadding = out.padding && out.status != RowStatus::Fail &&
                   !anyFails(step.sources);
  if (isPadding)
    return std::nullopt;
  if (again.targetWrong())
    return suspect(step, Evidence::Replay, describe(again));
  bool isLikely =
      out.pair.how != "similar" || !isNumbered(name(step.row).module);
  if (!again.calledWith.empty()) {
    Suspect other = suspect(step, Evidence::Arguments,
                            again.calledWith +
                                (out.reason.empty() ? "" : ": " + out.reason));
    if (isLikely)
      return other;
    if (differsFirst(step))
      alikeOnly_.push_back(std::move(other));
  }
  if (std::optional<Suspect> leak = leakedPadding(step))
    return leak;
  if (score(step) > 1)
    result_.illConditioned.push_back(
        {step.module, name(step.row).text(), errorIn(step), out.relL2});
  closing_.explain(step.row, Cause::Right);
  return std::nullopt;
}

std::optional<Suspect> Judge::judge(const ModelStep &step) {
  const ComparedRow &out = row(step.row);
  if (isMeaningless(name(step.row))) {
    closing_.explain(step.row, Cause::Meaningless);
    return std::nullopt;
  }
  ++result_.judged;
  bool ofOperator = isNumbered(name(step.row).module);
  bool backward = isBackward(name(step.row).kind);
  if (hasOperators_ && !ofOperator && backward) {
    closing_.explain(step.row, Cause::OfOperators); // the recorder's own sums
    return std::nullopt;
  }
  if (isOfOtherForm(step)) {
    closing_.explain(step.row, Cause::Written);
    return std::nullopt;
  }
  if (step.isFedIn)
    return judgeFedIn(step);
  if (step.leaf && !ofOperator && !backward && out.status == RowStatus::Fail &&
      closing_.isReparametrised(step.row)) {
    closing_.explain(step.row, Cause::Written);
    return std::nullopt;
  }
  if (step.isInput) {
    if (out.status != RowStatus::Fail)
      return std::nullopt;
    if (ofOperator)
      return hardEvidence(step);
    return suspect(step, Evidence::Input,
                   "the recorded input of the model itself differs: " +
                       out.reason);
  }
  if (const auto &again = replays_[static_cast<size_t>(&step - steps_.data())])
    return judgeReplayed(step, *again);
  if (step.byFlow && !backward)
    return byFlow(step);
  if (out.compared && out.mismatches == 0)
    return std::nullopt;
  if (ofOperator && out.pair.how == "similar") {
    bool follows = anyFails(step.sources);
    if (follows || regions_.agreesAround(step.row))
      closing_.explain(step.row, follows ? Cause::Follows : Cause::Written);
    else
      closing_.doubt(step.row, "its operator is paired by likeness only");
    return std::nullopt;
  }
  if (std::optional<Suspect> hard = hardEvidence(step))
    return hard;
  return hasOperators_ && !ofOperator ? std::nullopt : byGrowth(step);
}

/// The gradient that a backward pass begins with: where the model's outputs
/// pass, it was computed outside of the model.
std::optional<Suspect> Judge::judgeFedIn(const ModelStep &step) {
  const ComparedRow &out = row(step.row);
  if (out.status != RowStatus::Fail)
    return std::nullopt;
  if (anyFails(step.sources)) {
    closing_.explain(step.row, Cause::Follows);
    return std::nullopt;
  }
  // An output that the model uses again itself has further terms in its
  // gradient.
  bool addsItself = false;
  for (size_t i = 0; i < step.row && !addsItself; ++i)
    addsItself = row(i).pair.target >= 0 && row(i).pair.bench >= 0 &&
                 name(i).kind == TensorKind::BackwardGradInput &&
                 name(i).step == name(step.row).step;
  return suspect(step, Evidence::Input,
                 "the gradient fed in differs, and the outputs that it belongs "
                 "to pass: what comes after them (the loss) is another" +
                     std::string(addsItself ? ", or what the model's own "
                                              "modules add to it"
                                            : "") +
                     ": " + out.reason);
}

/// Where no program is known: judges by the growth of the error. A tensor that
/// passes the rule, with the errors inherited from earlier ones, is within its
/// condition.
std::optional<Suspect> Judge::byGrowth(const ModelStep &step) {
  const ComparedRow &out = row(step.row);
  double growth = score(step);
  // Choices that differ, such as the places of maxima, change everything that
  // depends on them.
  bool elsewhere = llvm::any_of(step.sources, [&](size_t source) {
    return row(source).nonFiniteDisagree > 0 ||
           std::isinf(row(source).relL2) || // the bench is zero
           (row(source).mismatches > 0 && !row(source).type.isFloat() &&
            !row(source).type.isComplex());
  });
  if (elsewhere || followsFromFloats(step) || hasReorderedSamples(step) ||
      (out.type.bits >= 32 && cancels(step)) ||
      (growth > kSureGrowth && replay_.turnsOnTies(step, out.relL2 / growth)))
    return std::nullopt;
  if (growth > kSureGrowth && out.status == RowStatus::Fail &&
      mayBeRoundings(step)) {
    closing_.doubt(step.row, kUnknownRoundings);
    return std::nullopt;
  }
  if (growth > kSureGrowth && out.status == RowStatus::Fail)
    return suspect(step, Evidence::Growth,
                   "the error grows from " + figure(errorIn(step)) + " to " +
                       figure(out.relL2) + " (relative L2), " + figure(growth) +
                       " times what its inputs and rounding explain");
  if (growth > result_.largestGrowth) {
    result_.largestGrowth = growth;
    result_.largestGrowthAt = name(step.row).text();
  }
  return std::nullopt;
}

void Judge::addParameters() {
  for (size_t i = 0; i < comparison_.rows.size(); ++i) {
    const ComparedRow &r = row(i);
    if (r.pair.target < 0 || r.pair.bench < 0 || r.status != RowStatus::Fail ||
        name(i).kind != TensorKind::ForwardParams)
      continue;
    if (!dataOf(r).first.empty())
      parameters_.insert(dataOf(r));
    if (closing_.isReparametrised(i)) {
      closing_.explain(i, Cause::Written);
      continue;
    }
    ModelStep step{.row = i, .module = name(i).module};
    step.className = name(i).className;
    step.leaf = true;
    auto [part, parameter] = llvm::StringRef(name(i).item).rsplit('.');
    Suspect found = suspect(step, Evidence::Parameters,
                            "its parameter '" +
                                (parameter.empty() ? part : parameter).str() +
                                "' differs: " + r.reason);
    if (!parameter.empty()) { // of a part that its module does not call
      found.module =
          name(i).module + (name(i).module.empty() ? "" : ".") + part.str();
      found.className = "";
    }
    result_.suspects.push_back(std::move(found));
  }
}

FirstWrong Judge::run() {
  steps_ = findSteps(comparison_);
  for (const ModelStep &step : steps_) {
    hasOperators_ |= isOperatorCall(name(step.row).module);
    if (wantsReplay(comparison_, step))
      ++ofRole_[roleOf(step)];
  }
  replays_ = replaySteps(comparison_, steps_, replay_, pool_);
  addParameters();
  for (const ModelStep &step : steps_)
    if (std::optional<Suspect> found = judge(step)) {
      bool ofOperator = step.leaf && isOperatorCall(name(step.row).module);
      // A result that its own program refutes is wrong, even where a mask after
      // it hides the error.
      bool mayBeAnotherWay = ofOperator && found->evidence != Evidence::Replay;
      if (mayBeAnotherWay && regions_.isLost(step.row))
        closing_.explain(step.row, Cause::Written);
      else if (!mayBeAnotherWay || regions_.isRead(step.row))
        result_.suspects.push_back(std::move(*found));
      else if (regions_.isOverwritten(step.row))
        places_.push_back(std::move(*found));
      else
        closing_.explain(step.row, Cause::Unread);
    }
  // If memory differs later, a wrong place was written.
  for (Suspect &place : places_)
    if (place.row < lastUnknown_)
      result_.suspects.push_back(std::move(place));
    else
      closing_.explain(static_cast<size_t>(place.row), Cause::Unread);
  llvm::append_range(result_.suspects, closing_.lostGradients());
  if (result_.suspects.empty())
    result_.suspects = std::move(alikeOnly_);
  if (result_.suspects.empty())
    result_.suspects = modulesMadeOtherwise(comparison_, replay_, closing_);
  arrangeSuspects(result_.suspects);
  llvm::stable_sort(result_.illConditioned,
                    [](const IllConditioned &a, const IllConditioned &b) {
                      return a.errorOut * b.errorIn > b.errorOut * a.errorIn;
                    });
  closing_.account(result_, regions_, operators_.ignoreUnmatched);
  std::vector<FiniteItem> items;
  for (const ComparedRow &row : comparison_.rows)
    if (row.pair.target >= 0)
      items.push_back(
          {comparison_.item(row, true).name, row.nonFiniteDisagree});
  result_.notFinite = findNotFinite(items);
  return std::move(result_);
}

llvm::Expected<FirstWrong> findFirstWrong(const Comparison &comparison,
                                          const Hdf5Reader &target,
                                          const Hdf5Reader &bench,
                                          ThreadPool &pool,
                                          const SideOperators &operators) {
  return Judge(comparison, target, bench, pool, operators).run();
}

} // namespace assay::trace
