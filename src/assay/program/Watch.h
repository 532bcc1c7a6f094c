/// Prints chosen values of a run: every value whose location has a given name
/// (`loc("layer1/dot")`) or is on a given line of the file, each time it is
/// made. The program is not changed.
#pragma once

#include "assay/program/Observer.h"
#include "assay/program/Program.h"

namespace assay::program {

class Watch final : public Observer {
public:
  /// `names`: a location's name, with `*` for any text, or LINE or LINE:COLUMN
  /// of the file. Errors: NotFound for a name that no operation of the program
  /// has, with some that exist.
  static llvm::Expected<std::unique_ptr<Watch>>
  create(const Program &program, std::vector<std::string> names,
         llvm::raw_ostream &os);

  bool wants(mlir::Operation *op) const override;
  void onStep(const StepNode &node, llvm::ArrayRef<Value *> operands,
              llvm::ArrayRef<Value> results, int64_t timeNs) override;

private:
  Watch(std::vector<std::string> names, llvm::raw_ostream &os)
      : names_(std::move(names)), os_(os) {}
  std::vector<std::string> names_;
  llvm::raw_ostream &os_;
};

} // namespace assay::program
