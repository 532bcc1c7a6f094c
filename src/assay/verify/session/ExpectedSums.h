/// The stage Expect of a contraction: its sums, by the fast-reference chain.
/// Trusted engines are tried in order on the same contraction with the same
/// factor types and free formats, then in f32; the reference computes the sums
/// that no other engine can. Only the sums come from these engines: scales,
/// post-ops and rounding are always computed here, with their error bounds.
#pragma once

#include "assay/judge/contraction/ContractionJudge.h"
#include "assay/verify/session/ContractionData.h"
#include "assay/verify/session/Resources.h"

namespace assay::verify {

/// The sums of a trusted engine.
struct TrustedSums {
  judge::Accumulators sums;
  double unit = 0;  ///< roundoff of the sums, 0 = exact (to well below the
                    ///< tested engine's)
  std::string name; ///< "reference", "onednn", "onednn in f32"
  bool isReference = false;
  std::string refused; ///< why faster candidates were not used
};

class ExpectedSums {
public:
  ExpectedSums(const Lowered &c, Resources &resources)
      : c_(c), resources_(resources) {}

  /// Starts the process of the engine that will be used first, in parallel with
  /// the tested one.
  void prepare();
  /// `norms`: bounds of sum |a||b| may come from norms; otherwise always from a
  /// contraction of |a| and |b|.
  TrustedSums make(const ContractionData &data, bool norms);
  /// The same, computed by the reference only.
  TrustedSums makeReference(const ContractionData &data, bool norms);
  /// Fast references that crashed, hung or failed: "onednn hangs".
  const std::vector<std::string> &trouble() const { return trouble_; }

private:
  struct Request;
  engine::Worker *trustedWorker(const Request &request);
  bool tryEngine(const ContractionData &data, Request &request, bool norms);
  void makeNorms(const ContractionData &data, TrustedSums &out);
  void noteTrouble(const std::string &engineName,
                   const engine::WorkerResult &result);

  const Lowered &c_;
  Resources &resources_;
  std::vector<std::string> broken_; ///< not used again for this problem
  std::vector<std::string> trouble_;
  std::string kernel_; ///< engine and problem that a trusted worker holds ready
};

/// The engines that may compute the sums of this data (null: any data), in
/// order, each with the type to use (None: the problem's own); empty when only
/// the reference can.
std::vector<std::pair<std::string, ElementType>>
trustedEngines(const Lowered &c, const judge::FillPlan *plan);

} // namespace assay::verify
