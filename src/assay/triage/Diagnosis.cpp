// Prints the report: the steps in order, the commands, the closing line.
#include "assay/triage/Diagnosis.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace assay;
using namespace assay::triage;

const char *triage::nameOf(Side side) {
  static constexpr const char *kNames[] = {"engine",    "reference", "both",
                                           "tolerance", "unsure",    "nobody"};
  return kNames[static_cast<int>(side)];
}

void Diagnosis::addWrong(llvm::json::Object what) {
  add("Where it is wrong",
      llvm::formatv("{0} of {1} elements of '{2}': {3}",
                    what.getInteger("failures").value_or(0),
                    what.getInteger("elements").value_or(0),
                    what.getString("result").value_or(""),
                    what.getString("pattern").value_or(""))
          .str());
  wrong = std::move(what);
}

void Diagnosis::print(llvm::raw_ostream &os) const {
  os << "triage of " << subject << "\n";
  for (size_t i = 0; i < steps.size(); ++i)
    os << llvm::formatv("{0,3}. {1}: {2}\n", i + 1, steps[i].question,
                        steps[i].answer);
  for (const std::string &file : files)
    os << "smallest test: " << file << "\n";
  if (!repro.empty())
    os << "repro: " << repro << "\n";
  if (!smallest.empty() && smallest != repro)
    os << "repro: " << smallest << "\n";
  os << "at fault: " << nameOf(side) << " (" << why << ")\n";
}

llvm::json::Value Diagnosis::toJson() const {
  llvm::json::Array list;
  for (const Step &step : steps)
    list.push_back(llvm::json::Object{{"question", step.question},
                                      {"answer", step.answer}});
  llvm::json::Object one{{"subject", subject},
                         {"at_fault", nameOf(side)},
                         {"why", why},
                         {"steps", std::move(list)},
                         {"repro", repro},
                         {"smallest", smallest},
                         {"files", llvm::json::Array(files)}};
  if (wrong)
    one["wrong"] = llvm::json::Object(*wrong);
  return one;
}

ExitCode Diagnosis::exitCode() const {
  return side == Side::NotRepeated ? ExitCode::NothingChecked : ExitCode::Ok;
}

llvm::Error triage::makeFolder(const std::string &folder) {
  if (!folder.empty())
    if (std::error_code code = llvm::sys::fs::create_directories(folder))
      return makeError(ErrorCode::InvalidArgument, "'{0}': {1}", folder,
                       code.message());
  return llvm::Error::success();
}
