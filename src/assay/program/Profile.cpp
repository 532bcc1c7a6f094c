// The profile table and the progress line.
#include "assay/program/Profile.h"
#include "assay/program/Plan.h"
#include "assay/support/Table.h"

namespace assay::program {

void Profile::onStep(const StepNode &node, llvm::ArrayRef<Value *>, llvm::ArrayRef<Value> results, int64_t timeNs) {
  Row &row = rows_[node.name];
  ++row.calls;
  row.timeNs += timeNs;
  for (const Value &result : results)
    row.elements += result.isTensor() ? result.tensor().size() : 0;
}

void Profile::print(llvm::raw_ostream &os) const {
  std::vector<std::pair<llvm::StringRef, Row>> rows;
  int64_t totalNs = 0;
  for (const auto &entry : rows_) {
    rows.emplace_back(entry.getKey(), entry.getValue());
    totalNs += entry.getValue().timeNs;
  }
  llvm::sort(rows, [](const auto &a, const auto &b) { return a.second.timeNs > b.second.timeNs; });
  using Align = Table::Align;
  Table table({{"operation"}, {"calls", Align::Right}, {"ms", Align::Right}, {"share", Align::Right},
               {"ns/element", Align::Right}});
  for (const auto &[name, row] : rows)
    table.addRow({name.str(), std::to_string(row.calls), llvm::formatv("{0:F3}", row.timeNs * 1e-6).str(),
                  llvm::formatv("{0:F1} %", totalNs ? 100.0 * row.timeNs / totalNs : 0.0).str(),
                  row.elements ? llvm::formatv("{0:F2}", static_cast<double>(row.timeNs) / row.elements).str() : "-"});
  table.print(os);
}

void ProgressObserver::onStep(const StepNode &node, llvm::ArrayRef<Value *>, llvm::ArrayRef<Value>, int64_t) {
  progress_.update(++done_, node.name);
}

} // namespace assay::program
