/// The subject of a reduction: anything that runs a program on arguments. The
/// reducer runs it again for every cut and judges the results by the derived
/// bound; it depends on no engine.
#pragma once

#include "assay/program/Program.h"
#include "assay/tensor/Tensor.h"

#include <string>
#include <vector>

namespace assay::judge {

/// How a trial run ended.
enum class Ending : uint8_t {
  Done,
  Refused, ///< it does not support the program
  Crashed,
  Hung,
  Failed ///< it reports a failure
};

struct SubjectRun {
  Ending ending = Ending::Done;
  std::string text;                    ///< the reason, if not Done
  std::vector<tensor::Tensor> results; ///< dense
  /// False: the subject computed no part of the program, so the results
  /// do not test it.
  bool tookPart = true;
};

class Subject {
public:
  virtual ~Subject() = default;
  /// As a sentence names it: "engine plugin:./lib.so".
  virtual std::string name() const = 0;
  /// Runs @main. Never fails: errors are part of the ending.
  virtual SubjectRun run(std::shared_ptr<const program::Program> program,
                         llvm::ArrayRef<tensor::Tensor> inputs) = 0;
};

} // namespace assay::judge
