/// How good is a test? Anyone's acceptance (a rule, a tolerance, a Python
/// function) is shown wrong and right results of a program; the
/// report says which wrong ones pass and which right ones do not.
#pragma once

#include "assay/judge/program/ProgramTruth.h"
#include "assay/support/ExitCode.h"
#include "assay/support/Interrupt.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace assay::judge {

/// One comparison that a test might make.
struct AuditCase {
  std::string name;
  bool isRight = false;
  std::vector<tensor::Tensor> got, expected;
  /// The largest error of a wrong case, as a share of a correct implementation's
  /// error bound; infinite where that bound is 0.
  double share = 0;
  /// Whether the case has the program's own arguments, which rule `bound` judges.
  bool hasTruth = true;
};

/// The answer of an acceptance for a case.
struct AuditRow {
  std::string name;
  bool isRight = false, accepted = false;
  double share = 0;
  bool isBad() const { return isRight != accepted; }
};

struct AuditReport {
  std::string rule;
  std::vector<AuditRow> rows;
  /// The smallest error of one element, in units of the result's rms, that is
  /// not accepted; infinite when every error is accepted.
  double smallestSeen = 0;
  std::string separating; ///< a tolerance that would tell right from wrong

  int64_t faults() const, faultsAccepted() const;
  int64_t rights() const, rightsRejected() const;
  /// "audit: N of M faults accepted, …".
  std::string summary() const;
  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  ExitCode exitCode() const;
};

/// Whether a test lets a case pass. Errors end the audit.
using Acceptance = llvm::function_ref<llvm::Expected<bool>(const AuditCase &)>;

class Audit {
public:
  /// Makes all cases for these arguments. Errors: those of the program,
  /// ResourceLimit after maxSeconds (0: none).
  static llvm::Expected<Audit>
  make(std::shared_ptr<const program::Program> program, std::string entry,
       std::vector<tensor::Tensor> inputs, ThreadPool &pool, double maxSeconds);

  llvm::ArrayRef<AuditCase> cases() const { return cases_; }
  /// Tests every case. `name`: what the report calls the acceptance.
  llvm::Expected<AuditReport> run(std::string name, Acceptance accepts) const;
  /// The same for a rule by name (`bound`, or numerics' rules).
  llvm::Expected<AuditReport> runRule(llvm::StringRef rule) const;

private:
  Audit() = default;
  llvm::Error addRight(ThreadPool &pool, double maxSeconds);
  llvm::Error addWrongOutputs(ThreadPool &pool);
  llvm::Error addWrongPrograms(ThreadPool &pool);
  void addWrong(std::string name, std::vector<tensor::Tensor> got,
                std::vector<tensor::Tensor> expected, bool hasTruth);
  llvm::Expected<std::vector<tensor::Tensor>>
  results(std::shared_ptr<const program::Program> program,
          llvm::ArrayRef<tensor::Tensor> inputs, ThreadPool &pool,
          bool sequential = false) const;
  llvm::Expected<double> smallestSeen(Acceptance accepts) const;
  std::string separatingTolerance() const;

  std::shared_ptr<const program::Program> program_;
  std::string entry_;
  std::vector<tensor::Tensor> inputs_, expected_;
  ProgramTruth truth_;
  Interrupt interrupt_; ///< of make()
  std::vector<AuditCase> cases_;
};

} // namespace assay::judge
