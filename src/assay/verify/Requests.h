/// Knobs that ask something of the engine beyond the problem's values: which
/// implementation, whose scratchpad, which mathematics may be coarser, which
/// sizes it may learn at run time. They go to the engine in problem_json; the
/// report says what it does not take. Two of them are allowances that the
/// bounds follow: --attr-fpmath and --attr-acc-mode.
#pragma once

#include "assay/engine/Worker.h"
#include "assay/judge/FillKind.h"
#include "assay/verify/Report.h"

namespace assay::verify {

/// A knob that is a request: its default, whether it takes a list of
/// alternatives, its values' canonical form.
struct RequestKnob {
  const char *name, *byDefault;
  bool isList, isRunWide;
  llvm::Expected<std::string> (*read)(llvm::StringRef value);
  const char *argument, *help;
  /// The message when the engine does not take it.
  const char *untaken;
};

llvm::ArrayRef<RequestKnob> requestKnobs();
/// nullptr when there is none of that name.
const RequestKnob *findRequest(llvm::StringRef name);
/// The message when an engine does not take a request, or a blocked format.
std::string untakenText(llvm::StringRef knob);
/// The key in problem_json: "attr-acc-mode" is "acc_mode".
std::string requestKey(llvm::StringRef name);

/// The type that --attr-fpmath lets an engine round f32 factors to, None
/// without leave; `any` is the coarsest.
ElementType roundedFactors(const Problem &problem);
/// The unit roundoff of the coarsest accumulator that --attr-acc-mode allows
/// between these types, 0 without leave.
double allowedAccumulator(const Problem &problem);
/// --runtime_dims_masks of src and weights.
std::array<int64_t, 2> runtimeMasks(const Problem &problem);

/// --encoding: the share of src's and the weights' elements that it names are 0.
void thinOut(const Problem &problem, const judge::Slot &slot, uint64_t seed,
             float *values);

/// Puts the problem's requests, and those of its run, into problem_json.
void addRequests(const Problem &problem, llvm::json::Object &json);

/// After an engine has made its kernel: the name of its implementation into the
/// facts, the filters and --check-ref-impl applied where it has a name, and the
/// requests that it did not take. False: `outcome` says why the problem ends.
bool readTaken(const Problem &problem, const engine::WorkerResult &created,
               Outcome &outcome);

/// The numbers that the engine keeps: all but those that its description lists
/// under `not_kept` (nan, infinity, subnormal, integer_ends).
judge::KeptNumbers keptNumbers(const engine::WorkerResult &created);

} // namespace assay::verify
