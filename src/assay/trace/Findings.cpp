// The report on suspects: their order, the merging of equal ones, the list and
// its JSON.
#include "assay/trace/FirstWrong.h"
#include "assay/trace/Regions.h"
#include "assay/trace/Values.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <set>

namespace assay::trace {

namespace {
struct EvidenceText {
  const char *name, *howSure;
};
} // namespace

static constexpr EvidenceText kEvidence[] = {
    {"input", "certain: nothing of the model comes before it"},
    {"parameters", "certain: nothing of the model comes before it"},
    {"not finite", "certain: no input of it has one"},
    {"shape", "certain: the shapes of its inputs agree"},
    {"replay", "certain: it was computed again from its own inputs"},
    {"arguments", "certain: both calls were recorded with their arguments"},
    {"structure", "certain: what comes before it on both sides agrees"},
    {"random", "certain: its arguments agree"},
    {"rule", "likely (its inputs differ, but within the rule)"},
    {"golden", "certain: a dump of higher precision says which side is off"},
    {"replicas", "certain: the ranks should agree"},
    {"gain", "doubtful: only the growth of its error speaks against it"}};

llvm::StringRef evidenceName(Evidence evidence) {
  return kEvidence[static_cast<int>(evidence)].name;
}

llvm::StringRef howSure(Evidence evidence) {
  return kEvidence[static_cast<int>(evidence)].howSure;
}

llvm::StringRef answerName(Answer answer) {
  static constexpr const char *kNames[] = {"named", "none", "cannot tell"};
  return kNames[static_cast<int>(answer)];
}

/// Joins suspects where the same kernel is wrong wherever it is used: keeps the
/// first of a role, if its steps were each judged by a replay of their own
/// inputs.
static void joinRoles(std::vector<Suspect> &suspects) {
  llvm::StringMap<size_t> first;
  std::vector<Suspect> kept;
  for (Suspect &suspect : suspects) {
    bool ofCall = suspect.evidence == Evidence::Replay ||
                  suspect.evidence == Evidence::Arguments;
    if (ofCall && !suspect.role.empty()) {
      auto [it, isNew] = first.try_emplace(suspect.role, kept.size());
      if (!isNew) {
        ++kept[it->second].alike;
        continue;
      }
    }
    kept.push_back(std::move(suspect));
  }
  suspects = std::move(kept);
}

void arrangeSuspects(std::vector<Suspect> &suspects) {
  auto doubtful = [](const Suspect &s) {
    return s.evidence == Evidence::Growth;
  };
  llvm::stable_sort(suspects, [&](const Suspect &a, const Suspect &b) {
    return std::pair(doubtful(a), a.row) < std::pair(doubtful(b), b.row);
  });
  joinRoles(suspects);
  std::set<std::string> listed; // one line for each module
  std::erase_if(suspects, [&](const Suspect &s) {
    return !listed.insert(s.module).second;
  });
}

/// The explanations of the differences, as text.
static std::string explanation(const FirstWrong &result) {
  std::string text;
  for (const FirstWrong::Count &count : result.explained)
    text += (text.empty() ? "" : "; ") + std::to_string(count.tensors) + " " +
            count.what;
  return text;
}

/// The suspect's name; for an operator's call, with the operator.
static std::string headlineOf(const Suspect &suspect) {
  if (!isOperatorCall(suspect.module) || suspect.className.empty())
    return suspect.module;
  return suspect.module + " (" + operatorText(suspect.className) + ")" +
         (suspect.where.empty() ? "" : " in " + suspect.where);
}

static std::string answerText(const FirstWrong &result) {
  switch (result.answer()) {
  case Answer::Named:
    return headlineOf(result.suspects[0]);
  case Answer::None:
    return result.explained.empty() ? "none"
                                    : "none: every difference is explained (" +
                                          explanation(result) + ")";
  case Answer::CannotTell:
    return llvm::formatv("cannot tell: {0} tensors that fail or have no "
                         "counterpart ({1} Fails in all) are explained by no "
                         "suspect, the first is '{2}', not judged because {3}; "
                         "to have it judged, {4}",
                         result.unexplained, result.fails,
                         result.firstUnexplained, result.notJudged,
                         result.howToJudge)
        .str();
  }
  return "";
}

/// The suspect, with its place in the model and in the source.
static std::string headOf(const Suspect &suspect) {
  std::string head = suspect.module, other = suspect.className;
  if (isOperatorCall(head) && !other.empty()) {
    head = operatorText(other);
    other = suspect.module;
  }
  if (!other.empty() && other != head)
    head += " (" + other + ")";
  return suspect.where.empty() ? head : head + " in " + suspect.where;
}

void printFirstWrong(const FirstWrong &result, llvm::raw_ostream &os) {
  os << "first wrong: " << answerText(result) << "\n";
  int64_t place = 0;
  for (const Suspect &s : result.suspects) {
    os << "  " << ++place << ". " << headOf(s) << ": " << s.reason;
    if (s.alike > 1)
      os << "; the same in "
         << (s.alike == s.ofRole ? "all" : std::to_string(s.alike) + " of")
         << " " << s.ofRole
         << (isOperatorCall(s.module) ? " calls of this operator"
                                      : " modules of this kind");
    os << "; " << howSure(s.evidence) << "\n";
    if (place == 1 && s.errorIn < s.errorOut && s.evidence != Evidence::Growth)
      os << "     at '" << s.tensor << "': relative error in "
         << figure(s.errorIn) << ", out " << figure(s.errorOut) << "\n";
  }
  os << "  (" << result.judged << " steps judged on their own inputs, "
     << result.replayed << " of them replayed in f64";
  if (!result.largestGrowthAt.empty())
    os << "; of the others none grows its error by more than "
       << figure(result.largestGrowth) << " of the limit";
  os << ")\n";
  if (result.notFinite)
    os << "  first NaN or Inf that the bench lacks: "
       << describe(*result.notFinite) << "\n";
  constexpr size_t kShown = 3;
  for (const IllConditioned &step :
       llvm::ArrayRef(result.illConditioned).take_front(kShown))
    os << "  ill-conditioned, not wrong: '" << step.tensor
       << "', relative error in " << figure(step.errorIn) << ", out "
       << figure(step.errorOut) << "\n";
  if (result.illConditioned.size() > kShown)
    os << "  (and " << result.illConditioned.size() - kShown
       << " more that are ill-conditioned)\n";
}

/// JSON has no infinity.
static double finite(double value) { return std::isfinite(value) ? value : -1; }

llvm::json::Value firstWrongJson(const FirstWrong &result) {
  llvm::json::Array suspects;
  for (const Suspect &s : result.suspects)
    suspects.push_back(
        llvm::json::Object{{"module", llvm::json::fixUTF8(s.module)},
                           {"class", s.className},
                           {"evidence", evidenceName(s.evidence)},
                           {"how_sure", howSure(s.evidence)},
                           {"reason", llvm::json::fixUTF8(s.reason)},
                           {"tensor", llvm::json::fixUTF8(s.tensor)},
                           {"where", llvm::json::fixUTF8(s.where)},
                           {"row", s.row},
                           {"step", s.step},
                           {"alike", s.alike},
                           {"of_role", s.ofRole},
                           {"error_in", finite(s.errorIn)},
                           {"error_out", finite(s.errorOut)},
                           {"score", finite(s.score)}});
  llvm::json::Array explained;
  for (const FirstWrong::Count &count : result.explained)
    explained.push_back(
        llvm::json::Object{{"what", count.what}, {"tensors", count.tensors}});
  llvm::json::Array illConditioned;
  for (const IllConditioned &step : result.illConditioned)
    illConditioned.push_back(
        llvm::json::Object{{"module", llvm::json::fixUTF8(step.module)},
                           {"tensor", llvm::json::fixUTF8(step.tensor)},
                           {"error_in", finite(step.errorIn)},
                           {"error_out", finite(step.errorOut)}});
  return llvm::json::Object{
      {"first_wrong", result.suspects.empty()
                          ? llvm::json::Value(nullptr)
                          : llvm::json::Value(result.suspects[0].module)},
      {"answer", answerName(result.answer())},
      {"fails", result.fails},
      {"explained", std::move(explained)},
      {"unexplained", result.unexplained},
      {"first_unexplained", llvm::json::fixUTF8(result.firstUnexplained)},
      {"not_judged", result.notJudged},
      {"how_to_judge", result.howToJudge},
      {"suspects", std::move(suspects)},
      {"ill_conditioned", std::move(illConditioned)},
      {"judged", result.judged},
      {"replayed", result.replayed},
      {"largest_growth", finite(result.largestGrowth)},
      {"largest_growth_at", llvm::json::fixUTF8(result.largestGrowthAt)},
      {"not_finite", result.notFinite
                         ? llvm::json::Value(notFiniteJson(*result.notFinite))
                         : llvm::json::Value(nullptr)}};
}

} // namespace assay::trace
