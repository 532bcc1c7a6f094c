#include "assay/trace/OtherSettings.h"
#include "assay/trace/Growth.h"
#include "assay/trace/Steps.h"

#include <set>

namespace assay::trace {

/// What went into a module's call and into its backward pass.
static std::vector<size_t> inputsOf(const Comparison &comparison,
                                    const DumpName &call) {
  std::vector<size_t> rows;
  for (const auto &[i, row] : llvm::enumerate(comparison.rows)) {
    if (row.pair.target < 0 || row.pair.bench < 0 || !row.compared)
      continue;
    const DumpName &name = comparison.item(row, true).name;
    if (name.step == call.step && name.module == call.module &&
        name.call == call.call && isInput(name.kind))
      rows.push_back(i);
  }
  return rows;
}

std::vector<Suspect> modulesMadeOtherwise(const Comparison &comparison,
                                          const StepReplay &replay,
                                          const Closing &closing) {
  std::vector<Suspect> suspects;
  std::set<std::pair<int64_t, std::string>> found;
  for (const auto &[i, row] : llvm::enumerate(comparison.rows)) {
    if (row.pair.target < 0 || row.pair.bench < 0 || !row.compared ||
        !row.type.isFloat())
      continue;
    const DumpName &name = comparison.item(row, true).name;
    bool isResult = name.kind == TensorKind::ForwardOutput ||
                    name.kind == TensorKind::BackwardGradInput;
    if (!isResult || isNumbered(name.module) ||
        found.count({name.step, name.module}) || closing.isReparametrised(i))
      continue;
    std::string other =
        replay.otherArguments({.row = i, .module = name.module});
    if (other.empty() ||
        growthOf(comparison, i, inputsOf(comparison, name), /*leaf=*/true) <=
            kSureGrowth)
      continue;
    found.insert({name.step, name.module});
    Suspect suspect;
    suspect.module = name.module;
    suspect.className = name.className;
    suspect.evidence = Evidence::Arguments;
    suspect.where = replay.calledAt(name.module).str();
    suspect.reason =
        other + ": '" + name.text() + "' differs by more than its inputs explain";
    suspect.tensor = name.text();
    suspect.row = static_cast<int64_t>(i);
    suspect.step = name.step;
    suspect.errorOut = row.relL2;
    suspects.push_back(std::move(suspect));
  }
  return suspects;
}

} // namespace assay::trace
