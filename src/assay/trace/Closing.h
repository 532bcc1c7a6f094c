/// The account at the end of a search: the explanation of each Fail that is not a
/// suspect. Private to FirstWrong.
#pragma once

#include "assay/trace/FirstWrong.h"

#include <map>
#include <set>

namespace assay::trace {

/// The explanation of a tensor that fails.
enum class Cause {
  None,
  Right,       ///< its program gives it on its own inputs
  Follows,     ///< one of the tensors that it was made of fails
  Rounded,     ///< all its error is as large as its type's roundings
  Chosen,      ///< a choice between floats that nearly tie
  Written,     ///< other operators between it and tensors that agree
  Meaningless, ///< memory that nothing wrote
  Unread,      ///< everything that was made of it is equal
  OfOperators  ///< of operators that were judged
};

class Closing {
public:
  explicit Closing(const Comparison &comparison);
  /// Applies to all rows with the same data. The first cause stays.
  void explain(size_t row, Cause cause);
  /// Why a row could not be judged.
  void doubt(size_t row, std::string why);
  bool isExplained(size_t row, Cause cause) const {
    return cause_[holder_[row]] == cause;
  }
  /// Whether a tensor with the row's data has a counterpart that is not only
  /// alike.
  bool isSure(size_t row) const { return sure_[holder_[row]]; }
  /// Whether a Fail was accounted for so far that has a meaning.
  bool anyFail() const { return anyFail_; }
  /// Fills in the counts. `ignoreUnmatched`: tensors without a counterpart do not
  /// count.
  void account(FirstWrong &result, bool ignoreUnmatched) const;

private:
  bool agreesAround(const ComparedRow &row) const;
  std::string howToJudge(const ComparedRow &row) const;
  const AlignItem &itemOf(const ComparedRow &row) const;

  const Comparison &comparison_;
  std::vector<size_t> holder_;
  std::vector<Cause> cause_;
  std::vector<bool> sure_; // by holder
  /// By step and path of a module: all that it gives agrees.
  std::map<std::pair<int64_t, std::string>, bool> agrees_;
  /// The data of a side's tensors that agree, and of all, by step; [1]: the target's.
  std::set<std::pair<int64_t, std::string>> agreed_[2], all_[2];
  std::map<size_t, std::string> doubts_;
  bool anyFail_ = false;
};

} // namespace assay::trace
