// The answer as text and as JSON.
#include "assay/judge/equivalence/Equivalence.h"

using namespace assay;
using namespace assay::judge;

ExitCode Equivalence::exitCode() const {
  switch (verdict) {
  case EquivVerdict::Equal:
  case EquivVerdict::EqualButForPrecision:
    return ExitCode::Ok;
  case EquivVerdict::Differs:
    return ExitCode::CheckFailed;
  case EquivVerdict::NotDecided:
    return ExitCode::BadInput;
  }
  return ExitCode::Internal;
}

static std::string placeOf(const Difference &d) {
  std::string index;
  for (int64_t i : d.index)
    index += (index.empty() ? "" : ", ") + std::to_string(i);
  return llvm::formatv("result {0} at [{1}]", d.result, index).str();
}

std::string Equivalence::closingLine() const {
  std::string line = nameOf(verdict);
  if (verdict == EquivVerdict::Equal)
    return line;
  if (verdict == EquivVerdict::NotDecided)
    return line + " (" + undecided + ")";
  if (verdict == EquivVerdict::EqualButForPrecision)
    return line + " (" +
           (constants.empty() ? "conversions, first seen in " +
                                    (difference ? placeOf(*difference) : "")
                              : constants) +
           ")";
  int digits = 9;
  auto text = [&](double value) {
    return llvm::formatv("{0}", llvm::format("%.*g", digits, value)).str();
  };
  if (text(difference->a) == text(difference->b))
    digits = 17; // numbers that differ never read as equal
  if (difference->a == difference->b)
    return line + llvm::formatv(" ({0}: both values are {1} here, but they are "
                                "different functions of the arguments; {2})",
                                placeOf(*difference), text(difference->a), data)
                      .str();
  return line + llvm::formatv(" ({0}: {1} differ, {2} against {3}; {4})",
                              placeOf(*difference), nameOf(difference->how),
                              text(difference->a), text(difference->b), data)
                    .str();
}

void Equivalence::print(llvm::raw_ostream &os, bool details) const {
  if (details) {
    if (verdict == EquivVerdict::Differs && elements > 0)
      os << differing << " of " << elements << " elements of result "
         << difference->result << " differ\n";
    if (!partsA.empty() || !partsB.empty()) {
      os << "they first differ at\n  " << (partsA.empty() ? "(nowhere alone)" : partsA)
         << "\n  " << (partsB.empty() ? "(nowhere alone)" : partsB) << "\n";
      os << matched << " of " << valuesOfB
         << " values of the second program are values of the first\n";
    }
    for (const std::string &note : notes)
      os << "note: " << note << "\n";
  }
  os << closingLine() << "\n";
}

llvm::json::Value Equivalence::toJson() const {
  llvm::json::Object object{{"verdict", nameOf(verdict)},
                            {"line", closingLine()},
                            {"draws", draws},
                            {"notes", llvm::json::Array(notes)}};
  if (!undecided.empty())
    object["undecided"] = undecided;
  if (difference) {
    object["result"] = static_cast<int64_t>(difference->result);
    object["index"] = llvm::json::Array(difference->index);
    object["how"] = nameOf(difference->how);
    object["data"] = data;
  }
  if (!partsA.empty() || !partsB.empty())
    object["parts"] = llvm::json::Array{partsA, partsB};
  return object;
}
