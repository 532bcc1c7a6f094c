// The three-way verdict: target and bench are each measured against a third
// dump of higher precision. "Worse" means more than twice the bench's error and
// two roundings of the target's type, so a target with only the roundings of
// its type is not called wrong. Source of the idea: comparing a device with a
// low-precision CPU run and an f32 run.
#include "assay/numerics/FloatFormats.h"
#include "assay/support/Table.h"
#include "assay/trace/FirstWrong.h"
#include "assay/trace/Values.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

namespace assay::trace {

static double roundingOf(const AlignItem &item) {
  numerics::ElementType type = item.type.element;
  return type.isFloat() || type.isComplex()
             ? numerics::unitRoundoff(type.format)
             : 0;
}

static Suspect suspectOf(const AlignItem &item, int64_t index,
                         const ComparedRow &row, const ComparedRow &trusted,
                         double slack) {
  Suspect suspect;
  suspect.module =
      item.name.module.empty() ? item.name.className : item.name.module;
  suspect.className = item.name.className;
  suspect.evidence = Evidence::Golden;
  suspect.reason = "'" + item.name.text() + "' is " + figure(row.relL2) +
                   " from the golden tensor, the bench is " +
                   figure(trusted.relL2);
  suspect.tensor = item.name.text();
  suspect.row = index;
  suspect.step = item.name.step;
  suspect.errorIn = trusted.relL2;
  suspect.errorOut = row.relL2;
  suspect.score = slack + trusted.relL2 == 0
                      ? HUGE_VAL
                      : row.relL2 / (2 * trusted.relL2 + slack);
  return suspect;
}

llvm::Expected<GoldenVerdict>
judgeAgainstGolden(const formats::Hdf5Reader &target,
                   const formats::Hdf5Reader &bench,
                   const formats::Hdf5Reader &golden,
                   const CompareOptions &options, ThreadPool &pool) {
  llvm::Expected<Comparison> targetSide =
      compareDumps(target, golden, options, pool);
  if (!targetSide)
    return targetSide.takeError();
  llvm::Expected<Comparison> benchSide =
      compareDumps(bench, golden, options, pool);
  if (!benchSide)
    return benchSide.takeError();
  llvm::DenseMap<int64_t, const ComparedRow *> byGolden;
  for (const ComparedRow &row : benchSide->rows)
    if (row.compared)
      byGolden[row.pair.bench] = &row;
  GoldenVerdict result;
  bool earlierWrong = false;
  for (size_t i = 0; i < targetSide->rows.size(); ++i) {
    const ComparedRow &row = targetSide->rows[i];
    const ComparedRow *trusted =
        row.compared ? byGolden.lookup(row.pair.bench) : nullptr;
    if (!trusted)
      continue;
    const AlignItem &item = targetSide->item(row, true);
    double slack = 2 * roundingOf(item);
    GoldenRow verdict{item.name.text(), row.relL2, trusted->relL2, "as good"};
    bool worse = row.relL2 > 2 * trusted->relL2 + slack ||
                 row.nonFiniteDisagree > trusted->nonFiniteDisagree;
    if (worse)
      verdict.verdict = "worse";
    else if (2 * row.relL2 + slack < trusted->relL2)
      verdict.verdict = "better";
    ++result.firstWrong.judged;
    if (worse && !earlierWrong) {
      earlierWrong = true;
      result.firstWrong.suspects.push_back(
          suspectOf(item, static_cast<int64_t>(i), row, *trusted, slack));
    }
    result.rows.push_back(std::move(verdict));
  }
  result.targetSide = std::move(*targetSide);
  return result;
}

FirstWrong confirmByGolden(FirstWrong found, const GoldenVerdict &verdict,
                           const FirstWrong &againstGolden) {
  llvm::StringMap<bool> worse, replayed;
  for (const GoldenRow &row : verdict.rows)
    worse[row.tensor] = llvm::StringRef(row.verdict) == "worse";
  for (const Suspect &suspect : againstGolden.suspects)
    if (suspect.evidence == Evidence::Replay)
      replayed[suspect.module] = true;
  std::erase_if(found.suspects, [&](const Suspect &suspect) {
    if (suspect.evidence == Evidence::Replay)
      return !replayed.contains(suspect.module);
    auto it = worse.find(suspect.tensor);
    return it != worse.end() && !it->second;
  });
  if (found.suspects.empty())
    found.suspects = verdict.firstWrong.suspects;
  if (found.suspects.empty() && found.fails > 0) {
    found.unexplained = 0;
    found.explained = {
        {"are no further from the golden dump than the bench's", found.fails}};
  }
  return found;
}

llvm::json::Value goldenJson(const GoldenVerdict &verdict) {
  llvm::json::Array rows;
  for (const GoldenRow &row : verdict.rows)
    rows.push_back(llvm::json::Object{
        {"tensor", llvm::json::fixUTF8(row.tensor)},
        {"target_error", std::isfinite(row.targetError) ? row.targetError : -1},
        {"bench_error", std::isfinite(row.benchError) ? row.benchError : -1},
        {"verdict", row.verdict}});
  return rows;
}

void printGolden(const GoldenVerdict &verdict, llvm::raw_ostream &os) {
  Table table({{"Tensor", Table::Align::Left},
               {"target - golden", Table::Align::Right},
               {"bench - golden", Table::Align::Right},
               {"Verdict", Table::Align::Left}});
  int64_t worse = 0, better = 0;
  for (const GoldenRow &row : verdict.rows) {
    bool good = llvm::StringRef(row.verdict) == "as good";
    worse += llvm::StringRef(row.verdict) == "worse";
    better += llvm::StringRef(row.verdict) == "better";
    if (!good)
      table.addRow({row.tensor, figure(row.targetError), figure(row.benchError),
                    row.verdict});
  }
  if (table.rows() > 0)
    table.print(os);
  os << "against golden: " << verdict.rows.size()
     << " tensors, the target is worse in " << worse << ", better in " << better
     << ", as good as the bench in "
     << static_cast<int64_t>(verdict.rows.size()) - worse - better << "\n";
}

} // namespace assay::trace
