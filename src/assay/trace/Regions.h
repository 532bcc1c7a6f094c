/// The operators that made a tensor that one side lacks. Private to FirstWrong.
#pragma once

#include "assay/trace/Compare.h"
#include "assay/trace/DataFlow.h"

#include <map>
#include <set>

namespace assay::trace {

/// The operations between a tensor that fails and those before it that both sides
/// have and that pass: an output of each operator, in the order of execution.
struct Region {
  std::vector<int64_t> target,
      bench;                   ///< items; operators that only copy are left out
                               ///< if any operator computes
  bool reordered = false;      ///< both sides have these operators, at
                               ///< different places
  bool startsFromFail = false; ///< it begins with a tensor that fails already
  bool onlyAlike = false; ///< it holds operators that are paired by similarity
  bool staysInside =
      false; ///< a module that agrees has all of it, or whoever reads
             ///< the tensor gives what agrees
  bool onlyCasts = false; ///< one side only adds changes of the type, where
                          ///< the sides' types differ anyway
  bool narrows = false; ///< only the target moves the tensor through a narrower
                        ///< type
  bool empty() const { return target.empty() && bench.empty(); }
};

class Regions {
public:
  explicit Regions(const Comparison &comparison);
  Region behind(size_t row) const;
  /// For an operator's input: the row of the operator that made the bench's.
  /// Nullopt: it was not recorded, or has no counterpart.
  std::optional<size_t> madeInBench(size_t row) const;
  /// Whether an operator's input is stale: no operator of the target reads the
  /// bench's tensor at this place.
  bool isStale(size_t row) const;
  /// Whether an operator's result in the target is another input of the call
  /// that has the row as an input.
  bool isGivenBeside(size_t made, size_t row) const;
  /// Whether the outputs of a module around the row pass, or in the backward
  /// pass all gradients of parameters: then everything inside is another way to
  /// compute the same.
  bool agreesAround(size_t row) const;
  /// Whether an operator's result has a consequence: a tensor that differs was
  /// made of it, or no recorded tensor was.
  bool isRead(size_t row) const;
  /// Whether the difference in an operator's result has vanished: the module
  /// around it and the gradients of all parameters agree.
  bool isLost(size_t row) const;
  /// Whether one of the results of operators that were recorded without modules
  /// fails, or a side lacks it.
  bool resultFails(int64_t step) const;
  /// Whether the row is a view that is only written to: a place in memory.
  bool isOverwritten(size_t row) const;
  /// Whether the row is an operand of an operator whose operands are exchanged,
  /// without an effect on its result.
  bool isExchanged(size_t row) const;
  /// The innermost module call around an item of either side.
  const ModuleCall *around(int64_t item, bool ofTarget) const {
    return (ofTarget ? target_ : bench_).around(item);
  }

private:
  struct CallRows {
    std::vector<size_t> inputs, outputs;
  };
  /// How near results must be: within a few times the error that their inputs'
  /// errors and roundings explain, or only within roundings.
  enum class Near { Explained, Rounded };
  const CallRows *recorded(const ModuleCall &call, int64_t step) const;
  const ModuleCall *recordedAround(int64_t item) const;
  /// Whether the sides call a module a different number of times: one on parts
  /// of its input, the other on all of it. Its calls then have no counterparts.
  bool isDivided(const ModuleCall &call, int64_t step) const {
    return divided_.count({step, call.module}) > 0;
  }
  bool gradientsAgree(int64_t item, Near near) const;
  bool agreesClosely(const ModuleCall &call, int64_t step, Near near) const;
  bool agreeClosely(const CallRows &rows, llvm::ArrayRef<size_t> sources,
                    Near near) const;
  bool cancels(size_t row) const;
  bool isOfBackwardPass(size_t row, int64_t step) const;
  void findResults();
  void findDivided();
  bool isWithin(const Region &region, const ModuleCall &call,
                int64_t step) const;
  bool isFollowedByFail(int64_t reader) const;
  bool staysInside(size_t row, const Region &region, Near near) const;
  void walk(size_t row, bool ofTarget, std::vector<int64_t> &found,
            Region &region) const;
  void leaveOutMoves(std::vector<int64_t> (&found)[2]) const;
  bool narrows(size_t row, const Region &region) const;
  bool onlyCasts(const Region &region) const;
  const AlignItem &item(int64_t index, bool ofTarget) const {
    return (ofTarget ? comparison_.target
                     : comparison_.bench)[static_cast<size_t>(index)];
  }
  const Comparison &comparison_;
  DataFlow target_, bench_;
  bool isNarrower_ = false; ///< modules of the target give narrower floats than
                            ///< the bench's
  bool typesDiffer_ = false;        ///< or wider floats
  std::vector<int64_t> rowOf_[2];   ///< [1]: of the target's items
  llvm::StringMap<CallRows> calls_; ///< of modules, by step and call
  /// By step: gradients of modules, and of all parameters.
  std::map<int64_t, CallRows> gradients_;
  std::set<std::pair<int64_t, std::string>> divided_; ///< steps and modules
  /// By step: results of operators that were recorded without modules, and that
  /// no operator reads.
  std::map<int64_t, CallRows> results_;
  std::set<int64_t> lackResults_; ///< steps for which one side has other
                                  ///< results
  /// The target's items that have the bytes of an operator's output: inputs of
  /// operators, and outputs of modules.
  std::map<int64_t, std::vector<int64_t>> readers_;
};

/// Whether an operator ("aten-view-default") only moves or names its input.
bool onlyMoves(llvm::StringRef className);

/// "aten-roll-default": "aten.roll".
std::string operatorText(llvm::StringRef className);

} // namespace assay::trace
