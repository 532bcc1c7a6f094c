/// Knobs that ask something of the engine beyond the problem's values: which
/// implementation, whose scratchpad, which mathematics may be coarser, which
/// sizes it may learn at run time. They are passed to the engine in
/// problem_json; the report names those that it does not follow. Two of them
/// also widen the bounds: --attr-fpmath and --attr-acc-mode.
#pragma once

#include "assay/engine/Worker.h"
#include "assay/judge/FillKind.h"
#include "assay/verify/Report.h"

namespace assay::verify {

/// A knob that is a request: its default, whether it accepts a list of
/// alternatives, the canonical form of its values.
struct RequestKnob {
  const char *name, *byDefault;
  bool isList, isRunWide;
  llvm::Expected<std::string> (*read)(llvm::StringRef value);
  const char *argument, *help;
  /// The message when the engine does not follow it.
  const char *untaken;
};

llvm::ArrayRef<RequestKnob> requestKnobs();
/// nullptr when there is none of that name.
const RequestKnob *findRequest(llvm::StringRef name);
/// The message when an engine does not follow a request or support a blocked
/// format.
std::string untakenText(llvm::StringRef knob);
/// The key in problem_json: "attr-acc-mode" is "acc_mode".
std::string requestKey(llvm::StringRef name);

/// The type that --attr-fpmath lets an engine round f32 factors to, None if it
/// may not; `any` is the coarsest.
ElementType roundedFactors(const Problem &problem);
/// The unit roundoff of the coarsest accumulator that --attr-acc-mode allows
/// between these types, 0 if it allows none.
double allowedAccumulator(const Problem &problem);
/// --runtime_dims_masks of src and weights.
std::array<int64_t, 2> runtimeMasks(const Problem &problem);

/// --encoding: sets the share of elements of src and the weights that it names
/// to 0.
void thinOut(const Problem &problem, const judge::Slot &slot, uint64_t seed,
             float *values);

/// Puts the problem's requests, and those of its run, into problem_json.
void addRequests(const Problem &problem, llvm::json::Object &json);

/// After an engine has made its kernel: notes the name of its implementation,
/// applies the filters and --check-ref-impl where it has a name, and notes the
/// requests that it did not follow. False: `outcome` says why the problem ends.
bool readTaken(const Problem &problem, const engine::WorkerResult &created,
               Outcome &outcome);

/// The special numbers that the engine supports: all but those that its
/// description lists under `not_kept` (nan, infinity, subnormal, integer_ends).
judge::KeptNumbers keptNumbers(const engine::WorkerResult &created);

} // namespace assay::verify
