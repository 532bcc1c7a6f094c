/// A recording under test: the calls of a dump, each alone.
#pragma once

#include "assay/judge/reduce/Reduce.h"

namespace assay::triage {

struct RecordingRequest {
  std::string path;    ///< DUMP.h5 or dump.json
  std::string program; ///< of an .h5 of `assay run --record`; may be empty
  /// The subject of the trial computes the calls again; else the recorded
  /// results are on trial.
  bool byEngine = false;
};

/// Each recorded call with its recorded inputs: the first of each operator
/// that leaves its bound is made small. A recorded result can only be cut, not
/// computed again: dimensions get smaller where the rest of the result stays
/// what it was, values stay. kMaxParts faults at most.
/// Errors: those of reading; InvalidArgument where the dump describes no
/// operators.
llvm::Expected<judge::Reduction>
reduceRecording(const RecordingRequest &request, judge::Trial &trial);

} // namespace assay::triage
