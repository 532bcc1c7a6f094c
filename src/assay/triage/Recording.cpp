// The trace supplies the calls as programs with their data (extracted tests
// that are not written to files); the judge's reducer makes them smaller.
#include "assay/triage/Recording.h"
#include "assay/formats/Hdf5Reader.h"
#include "assay/trace/ExtractMlir.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace assay;
using namespace assay::triage;
using judge::FailingPart;
using judge::ReducedTest;
using judge::Reduction;
using judge::Symptom;
using judge::TestCase;
using judge::Trial;
using trace::RecordedCase;

namespace {
class Calls {
public:
  Calls(Trial &trial, bool byEngine) : trial_(trial), byEngine_(byEngine) {}
  llvm::Error ask(const RecordedCase &call);
  Reduction take() {
    reduction_.trials = trial_.count();
    reduction_.isComplete = !trial_.spent();
    return std::move(reduction_);
  }

private:
  llvm::Error askEngine(const RecordedCase &call);
  void askRecording(const RecordedCase &call);
  void keep(ReducedTest test, const RecordedCase &call);

  Trial &trial_;
  bool byEngine_;
  Reduction reduction_;
  std::set<std::string> operators_, seen_; ///< those with a fault; known tests
};
} // namespace

void Calls::keep(ReducedTest test, const RecordedCase &call) {
  operators_.insert(call.opName);
  test.location = call.comment;
  if (seen_.insert(test.test.key()).second)
    reduction_.tests.push_back(std::move(test));
}

llvm::Error Calls::askEngine(const RecordedCase &call) {
  llvm::Expected<Reduction> reduction =
      judge::reduce({call.program.program, "main", call.inputs}, trial_);
  if (!reduction)
    return reduction.takeError();
  for (ReducedTest &test : reduction->tests)
    keep(std::move(test), call);
  return llvm::Error::success();
}

void Calls::askRecording(const RecordedCase &call) {
  TestCase test{call.program.program, call.inputs, call.outputs, {}};
  for (tensor::Tensor &output : test.recorded)
    if (llvm::Expected<tensor::Tensor> dense = output.dense())
      output = std::move(*dense);
    else
      return llvm::consumeError(dense.takeError());
  judge::Finding finding = trial_.judge(test);
  if (finding.symptom == Symptom::None)
    return;
  test.expected = std::move(finding.expected);
  keep(judge::shrink(
           {std::move(test), finding.symptom, call.opName, call.comment, 0},
           trial_),
       call);
}

llvm::Error Calls::ask(const RecordedCase &call) {
  ++reduction_.operations;
  for (const tensor::Tensor &input : call.inputs)
    reduction_.elements += input.size();
  if (trial_.spent() || reduction_.tests.size() >= judge::kMaxParts ||
      operators_.count(call.opName) > 0)
    return llvm::Error::success();
  if (byEngine_)
    return askEngine(call);
  askRecording(call);
  return llvm::Error::success();
}

llvm::Expected<Reduction>
triage::reduceRecording(const RecordingRequest &request, Trial &trial) {
  std::string path = request.path;
  llvm::Expected<trace::Operators> operators =
      trace::Operators::ofRecording(path, request.program);
  if (!operators)
    return operators.takeError();
  trace::ExtractOptions options;
  options.traceDir =
      llvm::sys::path::parent_path(operators->description()).str();
  options.blacklist = trace::defaultBlacklist();
  Calls calls(trial, request.byEngine);
  auto sink = [&](const RecordedCase &call) { return calls.ask(call); };
  llvm::Expected<trace::ExtractReport> report = trace::ExtractReport();
  if (operators->description().ends_with(".json")) {
    report = trace::recordedCases(operators->calls(), options,
                                  trace::Stages::Rounded, sink);
  } else {
    llvm::Expected<std::unique_ptr<formats::Hdf5Reader>> dump =
        formats::Hdf5Reader::open(path);
    if (!dump)
      return dump.takeError();
    report = trace::recordedCases(**dump, *operators, options, sink);
  }
  if (!report)
    return report.takeError();
  Reduction reduction = calls.take();
  int64_t left = report->calls - report->tests;
  if (left > 0)
    reduction.note = llvm::formatv("{0} of {1} recorded calls could not be "
                                   "asked; `assay extract` says why",
                                   left, report->calls)
                         .str();
  return reduction;
}
