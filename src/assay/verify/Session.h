/// Runs problems one after the other: worker processes and shared memory are
/// kept between them, everything else is made per problem. One session serves
/// one thread.
#pragma once

#include "assay/engine/Arena.h"
#include "assay/engine/Worker.h"
#include "assay/judge/Verdict.h"
#include "assay/judge/contraction/ContractionJudge.h"
#include "assay/support/Interrupt.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/Options.h"
#include "assay/verify/Report.h"

#include <map>

namespace assay::program {
class Program;
}

namespace assay::verify {

struct SessionOptions {
  std::string workerProgram; ///< empty: this program
  int threads = 0;
  int64_t memoryLimitBytes = 0; ///< 0: defaultMemoryBytes()
};

struct ProgramCase;
struct TimedProblem;

class Session {
public:
  explicit Session(SessionOptions options);
  ~Session();

  /// Never fails: what goes wrong is the outcome. `index`: of the problem in
  /// the run, for the report of mode P.
  Outcome run(const Problem &problem, int64_t index = 0);
  /// Cuts the memory limit into as many parts as sessions run at the same time.
  void shareMemory(int sessions) { options_.memoryLimitBytes /= sessions; }
  /// Seconds spent in fill, execute, expected values, comparison and so on
  /// since the start.
  const std::map<std::string, double> &times() const { return times_; }

private:
  struct Data;    ///< one fill of one case: floats, placements
  struct Trusted; ///< the sums of a trusted engine
  class Timer;

  llvm::Expected<BoundProgram> build(const Problem &problem);
  void runBound(const Problem &problem, const BoundProgram &bound,
                Outcome &outcome);
  Outcome runLowered(const Lowered &c);
  engine::WorkerResult create(const Lowered &c, engine::Worker &tested,
                              Outcome &outcome);
  void checkFills(const Lowered &c, Data &data, engine::Worker &tested,
                  Outcome &outcome);
  void giveMemoryBack();
  engine::Worker *worker(const std::string &engine, const RunOptions &options,
                         std::string &why);
  llvm::Error placeData(const Lowered &c, Data &data, engine::Guard guard,
                        int alignment);
  void fillData(const Lowered &c, Data &data);
  /// The floats of one slot: from the user's file or drawn; zeros where
  /// --encoding says so.
  void fillSlotOf(const Lowered &c, Data &data, size_t slot);
  /// Values of the slots that --input names. False: `outcome` says why not.
  bool readInputs(const Lowered &c, Data &data, Outcome &outcome);
  /// Results that are rounded at random.
  bool judgeRandom(const Lowered &c, Data &data, Trusted &expected,
                   Outcome &outcome);
  /// The factors as the sums see them: zero points taken off.
  void takeFactors(const Lowered &c, Data &data);
  int64_t countZeros(const float *values, int64_t n);
  Status runEngine(const Lowered &c, Data &data, engine::Worker &tested,
                   Outcome &outcome);
  bool checkFill(const Lowered &c, Data &data, Outcome &outcome);
  /// Starts the process of the engine that will make the expected values, so
  /// that it comes up beside the tested one.
  void prepareTrusted(const Lowered &c);
  /// A worker that has the problem ready; null where the engine refuses it,
  /// with the reason in out.refused. `shown`: the engine as the report says it.
  engine::Worker *trustedWorker(const Lowered &accumulate,
                                const std::string &engineName,
                                llvm::StringRef shown, Trusted &out);
  /// Notes an engine that crashed, hung or failed as a fast reference.
  void noteTrouble(const std::string &engineName,
                   const engine::WorkerResult &result);
  bool tryFastReference(const Lowered &c, Data &data, const std::string &engine,
                        ElementType factorType, Trusted &out, bool norms);
  /// `norms`: bounds of sum |a||b| may come from norms; otherwise always from a
  /// contraction of |a| and |b|.
  void makeExpected(const Lowered &c, Data &data, Trusted &out, bool norms);
  void makeReference(const Lowered &c, Data &data, Trusted &out, bool norms);
  void makeNorms(const Lowered &c, Data &data, Trusted &out);
  bool judgeFill(const Lowered &c, Data &data, Trusted &expected,
                 Outcome &outcome);
  bool checkBiasGradient(const Lowered &c, Data &data, Outcome &outcome);
  bool checkGaps(const Lowered &c, Data &data, Outcome &outcome);
  void checkDestroy(engine::Worker &tested, Outcome &outcome);
  bool fits(double bytes, std::string &why) const;
  bool makeArena(std::string &why);
  double peakGflops(ElementType a, ElementType b);
  Status measure(const Lowered &c, Data &data, double createSeconds,
                 engine::Worker &tested, Outcome &outcome);
  /// Reads the arguments back from the arena, where timed runs have changed
  /// them, and judges what the last one made of them.
  bool judgeTimed(const Lowered &c, Data &data, Outcome &outcome);
  engine::WorkerResult
  timeWithJudge(const TimedProblem &timed, engine::RunRequest request,
                llvm::ArrayRef<engine::Placement> placements,
                engine::Worker &tested, bool &isRight, Outcome &outcome);
  Status timeRuns(const TimedProblem &timed,
                  llvm::ArrayRef<engine::Placement> placements,
                  engine::Worker &tested, Outcome &outcome);
  // Programs that are not a contraction (ProgramSession.cpp). `found`: what the
  // grammar calls the program, or null.
  Outcome runProgram(const Problem &problem, const BoundProgram &bound,
                     const Problem *found);
  /// The verdicts on the options' properties (properties/Properties.h).
  Outcome runProperties(const Problem &problem, const BoundProgram &bound,
                        const Problem *found);
  Status checkProgram(const ProgramCase &c, int alignment,
                      engine::Worker &tested, Outcome &outcome);
  Status executeProgram(const ProgramCase &c,
                        llvm::ArrayRef<engine::Placement> places,
                        judge::FillKind fill, engine::Unwritten unwritten,
                        engine::Worker &tested, Outcome &outcome);
  bool judgeTimedProgram(const ProgramCase &c,
                         llvm::ArrayRef<engine::Placement> places,
                         llvm::ArrayRef<tensor::Tensor> filled,
                         Outcome &outcome);
  void measureProgram(const ProgramCase &c, const engine::WorkerResult &created,
                      engine::Worker &tested, Outcome &outcome);

  SessionOptions options_;
  ThreadPool pool_;
  std::unique_ptr<engine::Arena> arena_;
  std::map<std::string, std::unique_ptr<engine::Worker>> workers_;
  std::map<std::string, double> times_;
  std::vector<std::vector<float>> floats_; ///< reused between problems
  std::map<std::string, double> peaks_;    ///< GFLOP/s by pair of types
  std::string programPath_; ///< the file of program_, kept for further
                            ///< functions of it
  std::shared_ptr<const program::Program> program_;
  std::string lastTemplate_; ///< whose header was printed
  int64_t problemIndex_ = 0;
  /// Fast references that crashed or hung on the problem under way, which are
  /// not asked again for it, and what to say of them.
  std::vector<std::string> broken_, trouble_;
  std::string
      trustedKernel_; ///< engine and problem that a trusted worker holds ready
};

} // namespace assay::verify
