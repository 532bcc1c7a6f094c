/// The result of a triage: which side is wrong, how sure that is, and the
/// numbered steps that show why. The text can be pasted into an issue.
#pragma once

#include "assay/support/Error.h"
#include "assay/support/ExitCode.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace assay::triage {

enum class Side : uint8_t {
  Engine,
  Reference, ///< the fast reference, or the expected results that were given
  Both,
  Tolerance, ///< neither side: the rule is too tight or too loose
  Unsure,
  NotRepeated ///< nothing failed again
};
/// "engine", "reference", ...
const char *nameOf(Side side);

struct Step {
  std::string question, answer;
};

struct Diagnosis {
  std::string subject; ///< the problem, and the engine under test
  std::vector<Step> steps;
  Side side = Side::Unsure;
  std::string why;
  std::string repro;    ///< a command that reproduces the failure
  std::string smallest; ///< a command for the smallest case, or empty
  std::vector<std::string> files;
  /// Where the wrong elements are and the worst of them, like `wrong` of
  /// verify's problems; nullopt if nothing was judged to be wrong.
  std::optional<llvm::json::Object> wrong;

  void add(std::string question, std::string answer) {
    steps.push_back({std::move(question), std::move(answer)});
  }
  /// Stores `wrong` and reports it as a step.
  void addWrong(llvm::json::Object wrong);
  void print(llvm::raw_ostream &os) const;
  llvm::json::Value toJson() const;
  /// 0: there is an answer ("unsure" is one); 3: the failure was not repeated.
  ExitCode exitCode() const;
};

/// Makes the folder for the smallest test, and its parents; "" means that there
/// is no folder.
/// Errors: InvalidArgument with the reason
llvm::Error makeFolder(const std::string &folder);

} // namespace assay::triage
