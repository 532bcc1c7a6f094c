// The decision: draw after draw both programs run, their results are compared
// element by element; where they differ, once more with conversions and constants
// as precision allows; where a law does not hold in the field, the f64 shadow
// tells.
#include "assay/judge/equivalence/Equivalence.h"
#include "assay/judge/equivalence/Constants.h"
#include "assay/judge/equivalence/EdgeDraws.h"
#include "assay/judge/equivalence/EquivDraws.h"
#include "assay/judge/equivalence/Exceptional.h"
#include "assay/judge/equivalence/OpenNumbers.h"
#include "assay/judge/equivalence/Parting.h"
#include "assay/judge/equivalence/Reached.h"
#include "assay/numerics/Convert.h"
#include "assay/program/Types.h"
#include "assay/reference/Reference.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <limits>
#include <set>

using namespace assay;
using namespace assay::judge;
using program::Value;
using tensor::Tensor;

const char *judge::nameOf(EquivVerdict verdict) {
  switch (verdict) {
  case EquivVerdict::Equal:
    return "equal";
  case EquivVerdict::EqualButForPrecision:
    return "equal but for precision";
  case EquivVerdict::Differs:
    return "differs";
  case EquivVerdict::NotDecided:
    return "not decided";
  }
  return "";
}

const char *judge::nameOf(Differing differing) {
  switch (differing) {
  case Differing::Numbers:
    return "the numbers";
  case Differing::NonFinite:
    return "NaN or infinity";
  case Differing::SignOfZero:
    return "the signs of zero";
  case Differing::Shapes:
    return "the shapes";
  case Differing::Integers:
    return "the integers";
  }
  return "";
}

namespace {
/// The results of one program for one draw.
struct Outcome {
  std::vector<Value> results;
  std::vector<std::vector<Element>> elements;
  Reasons undecided;
  llvm::StringSet<> opaque;
  std::vector<MadeValue> made;
  int64_t nearTies = 0, steps = 0;
  bool isUnended = false; ///< it was stopped at the limit of steps
};

/// How numbers are taken: as they are; with conversions that change nothing and
/// constants that may be rounded; the same, with constants read as quotients
/// where they may be products too, then also where both programs have them; with
/// values that no argument reaches folded as by a compiler that computes them;
/// and with the functions among these kept, as by a compiler that rewrites them.
enum class Precision : uint8_t {
  Exact,
  MayChange,
  Quotients,
  Related,
  Folded,
  Unfolded
};
/// Those after Exact, in the order in which they are tried.
constexpr Precision kLater[] = {Precision::MayChange, Precision::Quotients,
                                Precision::Related, Precision::Folded,
                                Precision::Unfolded};

ConstantReading readingOf(Precision precision) {
  return precision == Precision::Quotients ? ConstantReading::Quotients
         : precision == Precision::Related ? ConstantReading::Related
                                           : ConstantReading::Plain;
}

class Decision {
public:
  Decision(const EquivRequest &request, ThreadPool &pool)
      : request_(request), pool_(pool) {}
  llvm::Expected<Equivalence> decide();

private:
  struct Found {
    std::optional<Difference> first; ///< hard before open
    int64_t differing = 0, elements = 0, nearTies = 0;
    size_t draw = 0;
  };
  llvm::Error prepare();
  /// `shared`: null with `map`.
  llvm::Expected<Outcome>
  run(bool second, const Draw &draw, Algebra &algebra, bool map,
      SharedSteps *shared = nullptr,
      int64_t mostSteps = std::numeric_limits<int64_t>::max());
  /// Returns an empty vector if the first program does not end on this data.
  llvm::Expected<std::vector<Outcome>> runBoth(size_t draw,
                                               Precision precision);
  llvm::Expected<Found> compareAll(Precision precision);
  llvm::Expected<Parted> partedOn(const Draw &draw, Precision precision);
  llvm::Error parting(const Draw &draw, Equivalence &answer,
                      Precision precision);
  void noteDefined(const Outcome &outcome);
  llvm::Error compareNarrowly(Precision precision, Equivalence &answer,
                              Found &found);
  void settleOpen(Equivalence &answer, Found &found);
  bool isAnother(Precision precision);
  llvm::Expected<bool> isConfirmed(Precision precision);
  llvm::Expected<bool> differAlways(Precision precision);
  llvm::Error allowPrecision(Precision precision, Equivalence &answer,
                             Found &found);
  llvm::Error report(const Found &found, Precision precision,
                     Equivalence &answer);
  void addNotes(Equivalence &answer) const;
  bool hasUndefined() const;
  std::string undefinedResults() const;
  AlgebraOptions optionsFor(Precision precision, const Draw &draw);

  const EquivRequest &request_;
  ThreadPool &pool_;
  std::unique_ptr<program::Plan> plans_[2];
  OperationSet reached_[2]; ///< operations that an argument reaches
  OperationHashes hashes_; ///< of the plans' operations
  std::vector<Draw> draws_;
  int64_t usualSteps_ = 0; ///< of the first program, on ordinary data
  std::set<std::string> unended_; ///< data on which a program does not end
  bool isNarrow_ = false; ///< draws_ are those of compareNarrowly()
  bool settlesTies_ = false;
  bool lawful_ = false; ///< zeros or NaN differ where a law was used
  int levels_ = 1;
  bool hasLog_ = false;
  std::vector<std::string> constantNotes_;
  Reasons undecided_; ///< operations and reasons
  llvm::StringSet<> opaque_;
  /// By result and element: it was not an NaN on some draw.
  std::vector<std::vector<bool>> defined_;
};
} // namespace

llvm::Error Decision::prepare() {
  auto a = request_.a->function(request_.entryA),
       b = request_.b->function(request_.entryB);
  if (!a || !b)
    return llvm::joinErrors(a.takeError(), b.takeError());
  constexpr const char *kDropped =
      "; JAX drops arguments that a function does not read, unless "
      "jax.jit(f, keep_unused=True) keeps them";
  // Types of two contexts are compared as text.
  for (bool arguments : {true, false}) {
    auto x = arguments ? a->getArgumentTypes() : a->getResultTypes();
    auto y = arguments ? b->getArgumentTypes() : b->getResultTypes();
    const char *what = arguments ? "argument" : "result";
    if (x.size() != y.size())
      return makeError(ErrorCode::InvalidArgument,
                       "the programs have {0} and {1} {2}s{3}", x.size(),
                       y.size(), what, arguments ? kDropped : "");
    for (size_t i = 0; i < x.size(); ++i) {
      std::string text[2];
      llvm::raw_string_ostream(text[0]) << x[i];
      llvm::raw_string_ostream(text[1]) << y[i];
      auto left = mlir::dyn_cast<mlir::RankedTensorType>(x[i]),
           right = mlir::dyn_cast<mlir::RankedTensorType>(y[i]);
      bool floats = left && right && left.getShape() == right.getShape() &&
                    mlir::isa<mlir::FloatType>(left.getElementType()) &&
                    mlir::isa<mlir::FloatType>(right.getElementType());
      if (text[0] != text[1] && !floats)
        return makeError(ErrorCode::InvalidArgument,
                         "{0} {1} is {2} in the first program, {3} in the "
                         "second",
                         what, i, text[0], text[1]);
    }
  }
  for (int i : {0, 1}) {
    std::shared_ptr<const program::Program> program =
        i ? request_.b : request_.a;
    program::PlanOptions options;
    options.entry = i ? request_.entryB : request_.entryA;
    if (llvm::Error error =
            program::buildPlan(program, reference::ReferenceCompiler(), options)
                .moveInto(plans_[i]))
      return error;
    reached_[i] = reachedByArguments(*plans_[i]);
    int exps = 0;
    bool loops = false;
    program->module().walk([&](mlir::Operation *op) {
      llvm::StringRef name = op->getName().stripDialect();
      exps += name.contains("exp") || name == "logistic" || name == "tanh" ||
              name == "sinh" || name == "cosh" || name == "power";
      loops |= name == "while";
      hasLog_ |= name.starts_with("log") || name == "power";
    });
    levels_ = std::max(levels_, exps == 0 ? 1
                                : loops   ? kLevels
                                          : std::min(kLevels, 1 + exps));
  }
  return drawInputs(request_).moveInto(draws_);
}

AlgebraOptions Decision::optionsFor(Precision precision, const Draw &draw) {
  AlgebraOptions options;
  options.seed = draw.seed;
  options.isLiteral = draw.isLiteral;
  options.settlesTies = settlesTies_;
  options.laws = request_.laws;
  options.levels = levels_;
  options.hasLog = hasLog_;
  options.precisionMayChange = precision != Precision::Exact;
  options.folds = precision == Precision::Folded     ? FoldedConstants::All
                  : precision == Precision::Unfolded ? FoldedConstants::None
                                                     : options.folds;
  if (options.precisionMayChange) {
    constantNotes_.clear();
    options.constants =
        sharedConstants(*plans_[0], *plans_[1],
                        Algebra(options), readingOf(precision), constantNotes_);
  }
  return options;
}

/// The members of tuples.
static void addResult(std::vector<Value> &all, Value value) {
  if (value.isTuple())
    for (const Value &member : value.tuple())
      addResult(all, member);
  else
    all.push_back(std::move(value));
}

llvm::Expected<Outcome> Decision::run(bool second, const Draw &draw,
                                      Algebra &algebra, bool map,
                                      SharedSteps *shared, int64_t mostSteps) {
  AlgebraShadow shadow(algebra, pool_, map, reached_[second], shared);
  int64_t tiesBefore = algebra.nearTies();
  program::RunContext context(pool_);
  std::string printed;
  llvm::raw_string_ostream prints(printed);
  context.printStream = &prints;
  if (request_.maxSeconds > 0)
    context.interrupt.setTimeLimit(request_.maxSeconds);
  context.observers.push_back(&shadow);
  shadow.limitSteps(mostSteps, context.interrupt);
  const program::Plan &plan = *plans_[second];
  std::vector<Value> arguments;
  for (auto [i, input] : llvm::enumerate(draw.inputs)) {
    llvm::Expected<Tensor> own =
        asArgument(plan, static_cast<unsigned>(i), input);
    if (!own)
      return own.takeError();
    llvm::Expected<Value> argument =
        shadow.argument(*own, input, static_cast<unsigned>(i));
    if (!argument)
      return argument.takeError();
    arguments.push_back(std::move(*argument));
  }
  auto execution = program::Execution::create(plan, context);
  if (llvm::Error error = execution->start(plan.entry, std::move(arguments)))
    return error;
  Outcome outcome;
  auto progress = execution->advance();
  outcome.steps = shadow.stepsTaken();
  outcome.isUnended = !progress && shadow.isOverLimit();
  if (outcome.isUnended) {
    llvm::consumeError(progress.takeError());
    return outcome;
  }
  if (!progress)
    return progress.takeError();
  for (Value &value : execution->takeResults())
    addResult(outcome.results, std::move(value));
  for (const Value &value : outcome.results) {
    outcome.elements.emplace_back();
    if (!hasElements(value))
      continue;
    if (llvm::Error error =
            shadow.elementsOf(value).moveInto(outcome.elements.back()))
      return error;
  }
  outcome.undecided = shadow.undecided();
  outcome.opaque = shadow.opaque();
  outcome.made = shadow.made();
  outcome.nearTies = algebra.nearTies() - tiesBefore;
  return outcome;
}

/// How two numbers of a result differ; nullopt if they do not.
static std::optional<Differing> partingOf(const Element &x, const Element &y,
                                          double a, double b,
                                          const LawSet &laws) {
  if (!sameNumber(x, y))
    return x.kind == y.kind ? Differing::Numbers : Differing::NonFinite;
  bool zeros = a == 0 && b == 0 && x.kind == ElementKind::Finite &&
               std::signbit(a) != std::signbit(b);
  if (zeros && !laws.has(Law::Zero))
    return Differing::SignOfZero;
  return std::nullopt;
}

/// The differing elements of one result: the first one, proven differences before undecided ones.
static llvm::Expected<std::vector<Difference>> differences(size_t result,
                                                           const Outcome &a,
                                                           const Outcome &b,
                                                           const LawSet &laws) {
  std::vector<Difference> found;
  const Value &left = a.results[result], &right = b.results[result];
  if (!left.isTensor() || !right.isTensor())
    return found;
  llvm::Expected<Tensor> x = left.tensor().dense(), y = right.tensor().dense();
  if (!x || !y)
    return llvm::joinErrors(x.takeError(), y.takeError());
  auto note = [&](int64_t element, double va, double vb, Differing how,
                  bool open) {
    Difference d{result, element, {}, va, vb, how, open};
    int64_t rest = element;
    for (size_t k = x->shape().size(); k-- > 0;) {
      d.index.insert(d.index.begin(), rest % x->shape()[k]);
      rest /= x->shape()[k];
    }
    found.push_back(std::move(d));
  };
  if (x->shape() != y->shape()) {
    note(0, 0, 0, Differing::Shapes, false);
    return found;
  }
  std::vector<double> va = valuesOf(*x), vb = valuesOf(*y);
  if (!hasElements(left)) {
    int64_t width = x->elementType().storageBytes();
    bool open = a.nearTies + b.nearTies > 0;
    for (int64_t i = 0; i < x->size(); ++i)
      if (std::memcmp(x->bytes() + i * width, y->bytes() + i * width,
                      static_cast<size_t>(width)) != 0)
        note(i, va[i], vb[i], Differing::Integers, open);
    return found;
  }
  const std::vector<Element> &ea = a.elements[result], &eb = b.elements[result];
  int64_t parts = partsOf(x->elementType());
  for (size_t i = 0; i < ea.size(); ++i) {
    if (std::optional<Differing> how =
            partingOf(ea[i], eb[i], va[i], vb[i], laws))
      note(static_cast<int64_t>(i) / parts, va[i], vb[i], *how,
           ((ea[i].lost | eb[i].lost) & 1) && *how == Differing::Numbers);
  }
  return found;
}

/// Which elements of results have been a number so far.
void Decision::noteDefined(const Outcome &outcome) {
  defined_.resize(outcome.results.size());
  for (auto [r, elements] : llvm::enumerate(outcome.elements)) {
    defined_[r].resize(elements.size());
    for (size_t i = 0; i < elements.size(); ++i)
      if (elements[i].kind != ElementKind::NaN)
        defined_[r][i] = true;
  }
}

/// Whether an element has been NaN on all data.
bool Decision::hasUndefined() const {
  return llvm::any_of(defined_, [](const std::vector<bool> &elements) {
    return llvm::is_contained(elements, false);
  });
}

/// "results 0, 2 are", those that are NaN on all data; empty if there are none.
std::string Decision::undefinedResults() const {
  std::string names;
  int count = 0;
  for (auto [r, elements] : llvm::enumerate(defined_))
    if (!elements.empty() && !llvm::is_contained(elements, true))
      names += (count++ ? ", " : "") + std::to_string(r);
  return count == 0   ? std::string()
         : count == 1 ? "result " + names + " is"
                      : "results " + names + " are";
}

/// Whether the differing values are of a kind that obeys no law.
static bool isExceptional(const Difference &d, const Draw &draw) {
  return !draw.finite || d.how == Differing::NonFinite ||
         d.how == Differing::SignOfZero;
}

/// Whether a law may make such a difference. A value without a counterpart was
/// computed another way; it may or may not be a number on ordinary data.
static bool isLawful(const Difference &d, Parted parted, const Draw &draw) {
  return parted == Parted::ByALaw ||
         (parted == Parted::Nowhere &&
          (draw.isSalted || d.how != Differing::NonFinite));
}

llvm::Expected<Parted> Decision::partedOn(const Draw &draw,
                                          Precision precision) {
  std::vector<Outcome> outcomes;
  for (const Draw *each : {static_cast<const Draw *>(&draws_.front()), &draw})
    for (bool second : {false, true}) {
      Algebra algebra(optionsFor(precision, *each));
      llvm::Expected<Outcome> outcome = run(second, *each, algebra, true);
      if (!outcome)
        return outcome.takeError();
      outcomes.push_back(std::move(*outcome));
    }
  return howTheyPart(
      {outcomes[0].made, outcomes[1].made, outcomes[2].made, outcomes[3].made});
}

llvm::Expected<std::vector<Outcome>> Decision::runBoth(size_t draw,
                                                       Precision precision) {
  constexpr int64_t kTimes = 10, kLeast = 20'000;
  bool isOrdinary = draw < static_cast<size_t>(request_.draws);
  Algebra algebra(optionsFor(precision, draws_[draw]));
  SharedSteps shared(hashes_);
  llvm::Expected<Outcome> a =
      run(false, draws_[draw], algebra, false, &shared,
          isOrdinary ? std::numeric_limits<int64_t>::max()
                     : kTimes * usualSteps_ + kLeast);
  if (!a)
    return addContext(a.takeError(), "the first program");
  if (isOrdinary)
    usualSteps_ = std::max(usualSteps_, a->steps);
  if (a->isUnended) {
    unended_.insert(draws_[draw].name);
    return std::vector<Outcome>();
  }
  llvm::Expected<Outcome> b = run(true, draws_[draw], algebra, false, &shared);
  if (!b)
    return addContext(b.takeError(), "the second program");
  std::vector<Outcome> both;
  both.push_back(std::move(*a));
  both.push_back(std::move(*b));
  return both;
}

llvm::Expected<Decision::Found> Decision::compareAll(Precision precision) {
  Found found;
  for (auto [d, draw] : llvm::enumerate(draws_)) {
    llvm::Expected<std::vector<Outcome>> both = runBoth(d, precision);
    if (!both)
      return both.takeError();
    if (both->empty())
      continue;
    Outcome *a = both->data(), *b = a + 1;
    noteDefined(*a);
    for (const Outcome *outcome : {a, b}) {
      undecided_.insert(outcome->undecided.begin(), outcome->undecided.end());
      for (const auto &name : outcome->opaque)
        opaque_.insert(name.getKey());
    }
    std::optional<Parted> parted;
    for (size_t r = 0; r < a->results.size(); ++r) {
      llvm::Expected<std::vector<Difference>> all =
          differences(r, *a, *b, request_.laws);
      if (!all)
        return all.takeError();
      auto isExcepted = [&](const Difference &each) {
        return isExceptional(each, draw);
      };
      if (draw.isLiteral)
        llvm::erase_if(*all, [&](const Difference &each) {
          return a->nearTies + b->nearTies > 0 || each.open || isExcepted(each);
        });
      if (llvm::any_of(*all, isExcepted)) {
        if (!parted)
          if (llvm::Error error = partedOn(draw, precision).moveInto(parted))
            return error;
        size_t before = all->size();
        llvm::erase_if(*all, [&](const Difference &each) {
          return isExcepted(each) && isLawful(each, *parted, draw);
        });
        lawful_ |= all->size() < before;
      }
      if (all->empty())
        continue;
      auto hard =
          llvm::find_if(*all, [](const Difference &x) { return !x.open; });
      bool isOpen = hard == all->end();
      if (found.first && (isOpen || !found.first->open))
        continue;
      found.first = isOpen ? all->front() : *hard;
      found.differing = static_cast<int64_t>(all->size());
      found.elements = a->results[r].tensor().size();
      found.nearTies = a->nearTies + b->nearTies;
      found.draw = d;
    }
    if (found.first && !found.first->open)
      break;
  }
  return found;
}

llvm::Error Decision::parting(const Draw &draw, Equivalence &answer,
                              Precision precision) {
  Algebra first(optionsFor(precision, draw)),
      second(optionsFor(precision, draw));
  llvm::Expected<Outcome> a = run(false, draw, first, true),
                          b = run(true, draw, second, true);
  if (!a || !b)
    return llvm::joinErrors(a.takeError(), b.takeError());
  Parting parted = whereTheyPart(a->made, b->made);
  answer.partsA = parted.a;
  answer.partsB = parted.b;
  answer.matched = parted.matched;
  answer.valuesOfB = static_cast<int64_t>(b->made.size());
  answer.madeA = std::move(a->made);
  answer.madeB = std::move(b->made);
  return llvm::Error::success();
}

/// Compares again, on data for functions that are NaN on ordinary data.
llvm::Error Decision::compareNarrowly(Precision precision, Equivalence &answer,
                                      Found &found) {
  constexpr uint64_t kSeeds = 900; // after those of drawInputs
  if (llvm::Error error =
          narrowDraws(request_, request_.seed * 1000 + kSeeds).moveInto(draws_))
    return error;
  answer.draws += static_cast<int>(draws_.size());
  isNarrow_ = true;
  return compareAll(precision).moveInto(found);
}

/// A difference that a law may explain does not count where the f64 shadows agree,
/// and is open where they cannot tell.
void Decision::settleOpen(Equivalence &answer, Found &found) {
  constexpr const char *kOpen =
      "a law of roots, logarithms or trigonometry, exp nested deeper than the "
      "chain of fields, or a function of whole operands is left open by the "
      "algebra";
  const Draw &draw = draws_[found.draw];
  optionsFor(Precision::MayChange, draw);
  llvm::Expected<InShadow> said = compareShadows(
      request_, draw.inputs, /*rounds=*/!constantNotes_.empty(), pool_);
  if (said && *said == InShadow::Unlike)
    return;
  found.first.reset();
  if (said && *said == InShadow::Same) {
    answer.notes.push_back(std::string(kOpen) +
                           "; there the f64 shadows agree to 2^-36");
    return;
  }
  std::string why = said ? "the f64 shadows do not tell"
                         : "the f64 shadows: " +
                               takeError(said.takeError()).message;
  undecided_.insert(std::string(kOpen) + ", and " + why);
}

/// Whether this precision reads numbers in another way than the ones before it.
bool Decision::isAnother(Precision precision) {
  if (readingOf(precision) == ConstantReading::Plain)
    return true;
  std::vector<std::vector<std::string>> before;
  for (Precision each : kLater) {
    if (each >= precision)
      break;
    optionsFor(each, draws_.front());
    before.push_back(constantNotes_);
  }
  optionsFor(precision, draws_.front());
  return !llvm::is_contained(before, constantNotes_);
}

/// Whether a difference that came with decisions near a tie, which rounding may
/// turn, also shows on other data, and also where near ties count as equal.
llvm::Expected<bool> Decision::isConfirmed(Precision precision) {
  constexpr uint64_t kSeeds = 104729;
  EquivRequest other = request_;
  other.seed += kSeeds;
  std::vector<Draw> before = std::move(draws_);
  auto back = llvm::scope_exit([&] { draws_ = std::move(before); });
  if (llvm::Error error =
          (isNarrow_ ? narrowDraws(other, other.seed * 1000)
                     : drawInputs(other))
              .moveInto(draws_))
    return error;
  llvm::Expected<bool> differ = differAlways(precision);
  if (!differ || !*differ)
    return differ;
  settlesTies_ = true;
  auto asBefore = llvm::scope_exit([&] { settlesTies_ = false; });
  return differAlways(precision);
}

/// Whether the draws show a difference at this precision and those after it.
llvm::Expected<bool> Decision::differAlways(Precision precision) {
  llvm::SmallVector<Precision> all{precision};
  llvm::copy_if(kLater, std::back_inserter(all), [&](Precision later) {
    return later > precision && isAnother(later);
  });
  for (Precision each : all) {
    llvm::Expected<Found> found = compareAll(each);
    if (!found)
      return found.takeError();
    if (!found->first)
      return false;
  }
  return true;
}

/// Whether the programs agree where precision may change, or where values that
/// no argument reaches are folded. `found` then holds what is still open.
llvm::Error Decision::allowPrecision(Precision precision, Equivalence &answer,
                                     Found &found) {
  const Found before = found;
  for (Precision next : kLater) {
    if (next <= precision || !isAnother(next))
      continue;
    llvm::Expected<Found> again = compareAll(next);
    if (!again)
      return again.takeError();
    bool isLess = !again->first || (again->first->open && !found.first->open);
    if (!isLess)
      continue;
    answer.verdict = EquivVerdict::EqualButForPrecision;
    answer.notes = constantNotes_;
    if (next == Precision::Folded)
      answer.notes.assign(1, "constants are computed in their own types");
    else if (next == Precision::Unfolded)
      answer.notes.push_back("functions of constants are rewritten as others are");
    if (!answer.notes.empty())
      answer.constants = answer.notes.front();
    answer.difference = before.first;
    answer.data = draws_[before.draw].name;
    found = std::move(*again);
    if (!found.first) // else the next precision may leave nothing open
      break;
  }
  return llvm::Error::success();
}

llvm::Error Decision::report(const Found &found, Precision precision,
                             Equivalence &answer) {
  answer.verdict = EquivVerdict::Differs;
  answer.difference = found.first;
  answer.data = draws_[found.draw].name;
  answer.inputs = draws_[found.draw].inputs;
  answer.differing = found.differing;
  answer.elements = found.elements;
  if (found.nearTies > 0)
    answer.notes.push_back(
        llvm::formatv("{0} decisions were near a tie", found.nearTies).str());
  return request_.map ? parting(draws_[found.draw], answer, precision)
                      : llvm::Error::success();
}

void Decision::addNotes(Equivalence &answer) const {
  if (lawful_)
    answer.notes.push_back(
        "where a law was used, signs of zeros, infinities or NaN may differ");
  for (const std::string &name : unended_)
    answer.notes.push_back(name + " are left out: the programs have no end "
                                  "there in 10 times their usual steps");
  for (const auto &name : opaque_)
    answer.notes.push_back(
        (name.getKey() + " is one function of all its operands here").str());
}

llvm::Expected<Equivalence> Decision::decide() {
  if (llvm::Error error = prepare())
    return error;
  Equivalence answer;
  answer.draws = static_cast<int>(draws_.size());
  Precision precision =
      request_.precisionMayChange ? Precision::MayChange : Precision::Exact;
  llvm::Expected<Found> found = compareAll(precision);
  if (!found)
    return found.takeError();
  if (!found->first && request_.given.empty() && hasUndefined())
    if (llvm::Error error = compareNarrowly(precision, answer, *found))
      return error;
  if (found->first)
    if (llvm::Error error = allowPrecision(precision, answer, *found))
      return error;
  if (found->first && found->first->open)
    settleOpen(answer, *found);
  if (found->first && found->nearTies > 0 && request_.given.empty()) {
    llvm::Expected<bool> confirmed = isConfirmed(precision);
    if (!confirmed)
      return confirmed.takeError();
    if (!*confirmed) {
      undecided_.insert("decisions near a tie, which rounding may turn");
      found->first.reset();
    }
  }
  if (found->first)
    if (llvm::Error error = report(*found, precision, answer))
      return error;
  std::string undefined = undefinedResults();
  if (!found->first && !undefined.empty())
    undecided_.insert(undefined + " NaN on all data; --input gives other data");
  answer.undecided = llvm::join(undecided_, ", ");
  if (!undecided_.empty())
    answer.verdict = EquivVerdict::NotDecided;
  addNotes(answer);
  return answer;
}

llvm::Expected<Equivalence> judge::decide(const EquivRequest &request,
                                          ThreadPool &pool) {
  return Decision(request, pool).decide();
}
