/// A recording under test: the calls of a dump, each tested separately.
#pragma once

#include "assay/judge/reduce/Reduce.h"

namespace assay::triage {

struct RecordingRequest {
  std::string path;    ///< DUMP.h5 or dump.json
  std::string program; ///< of an .h5 of `assay run --record`; may be empty
  /// True: the engine under test computes the calls again. False: the recorded
  /// results are judged.
  bool byEngine = false;
};

/// Judges each recorded call on its recorded inputs, and reduces the first call
/// of each operator that exceeds its bound (at most kMaxParts operators).
/// Recorded results cannot be computed again: dimensions shrink only where the
/// remaining results stay the same, and values are not changed.
/// Errors: those of reading; InvalidArgument if the dump describes no
/// operators.
llvm::Expected<judge::Reduction>
reduceRecording(const RecordingRequest &request, judge::Trial &trial);

} // namespace assay::triage
