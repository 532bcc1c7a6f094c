/// The account at the end of a search: the explanation of each Fail that is not a
/// suspect. Private to FirstWrong.
#pragma once

#include "assay/trace/FirstWrong.h"
#include "assay/trace/Regions.h"

#include <map>
#include <set>

namespace assay::trace {

/// The explanation of a tensor that fails.
enum class Cause {
  None,
  Right,       ///< its program computes it from its own inputs
  Follows,     ///< one of the tensors that it was made of fails
  Rounded,     ///< its error is no larger than roundings of its type
  Chosen,      ///< a choice between floats that nearly tie
  Written,     ///< written with other operators, from tensors that agree
  Meaningless, ///< memory that nothing wrote
  Unread,      ///< all results made from it are equal
  OfOperators  ///< made by operators that were judged
};

class Closing {
public:
  explicit Closing(const Comparison &comparison);
  /// Explains all rows with the same data. The first cause stays.
  void explain(size_t row, Cause cause);
  /// Notes why a row could not be judged.
  void doubt(size_t row, std::string why);
  bool isExplained(size_t row, Cause cause) const {
    return cause_[holder_[row]] == cause;
  }
  /// Whether a tensor with the row's data has a counterpart that was not paired
  /// by similarity alone.
  bool isSure(size_t row) const { return sure_[holder_[row]]; }
  /// Whether a meaningful Fail was accounted for so far.
  bool anyFail() const { return anyFail_; }
  /// Whether a module's tensor differs only because the target is written with
  /// other parameters (a transposed weight, a norm folded into a convolution):
  /// the output of the module, of the one after it whose parameters differ too,
  /// or of the module around both agrees.
  bool isReparametrised(size_t row) const;
  /// Parameters that both sides have, and whose gradient one side lacks.
  std::vector<Suspect> lostGradients() const;
  /// Fills in the counts. `ignoreUnmatched`: tensors without a counterpart do not
  /// count.
  void account(FirstWrong &result, const Regions &regions,
               bool ignoreUnmatched) const;

private:
  /// Accounts for a comparison in which no tensors were compared.
  void accountForNothing(FirstWrong &result) const;
  bool isResult(const ComparedRow &alone, const Regions &regions) const;
  bool agreesAround(const ComparedRow &row) const;
  std::string howToJudge(const ComparedRow &row) const;

  const Comparison &comparison_;
  std::vector<size_t> holder_;
  std::vector<Cause> cause_;
  std::vector<bool> sure_; // by holder
  /// By step and path of a module: all its outputs agree.
  std::map<std::pair<int64_t, std::string>, bool> agrees_;
  using Data = std::pair<int64_t, std::string>; ///< the step and the hash
  std::set<Data> agreed_[2]; ///< a side's tensors that agree; [1]: the target's
  std::map<Data, int64_t> last_[2]; ///< the last item of a side that has the
                                    ///< data
  /// By step and the module around: modules whose parameters differ.
  std::map<std::pair<int64_t, std::string>, std::set<std::string>>
      otherParameters_;
  /// By step and module: the first row of its outputs.
  std::map<std::pair<int64_t, std::string>, size_t> given_;
  /// By step: modules of which a side has other parameters, and those around them.
  std::set<std::pair<int64_t, std::string>> reparametrised_;
  /// Where the modules' gradients begin, by step.
  std::map<int64_t, int64_t> backward_[2];
  std::map<size_t, std::string> doubts_;
  bool anyFail_ = false;
  bool operatorsPair_ = false; ///< some operator has a counterpart
};

} // namespace assay::trace
