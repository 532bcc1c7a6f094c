/// Builds the StableHLO program of one recorded aten call. Private to
/// AtenProgram and the operator families beside this file.
#pragma once

#include "assay/trace/AtenProgram.h"
#include "assay/trace/aten/Emitter.h"

#include <map>
#include <optional>

namespace assay::trace::aten {

/// An emitter that knows the call's arguments and results. Floats are computed
/// in f32 (in f64 where a tensor has that type) and rounded once by result();
/// integers are computed in i64.
class Builder : public Emitter {
public:
  explicit Builder(const TracedCall &call);

  // Arguments, by position or, after the positional ones, by name.
  const llvm::json::Value *argument(size_t i, llvm::StringRef name = "") const;
  bool isTensor(size_t i, llvm::StringRef name = "") const;
  Value tensor(size_t i,
               llvm::StringRef name = ""); ///< widened; a number becomes rank 0
  /// The same; kernels may first round a number to the type of the result.
  Value operand(size_t i);
  Value recorded(size_t i); ///< in its own type
  std::optional<Value> optionalTensor(size_t i, llvm::StringRef name = "");
  std::vector<Value> tensors(size_t i); ///< the tensors of a list argument,
                                        ///< widened
  Value listed(size_t i, size_t item);  ///< one tensor of a list argument,
                                        ///< widened
  double number(size_t i, llvm::StringRef name, double otherwise);
  int64_t integer(size_t i, llvm::StringRef name, int64_t otherwise) const;
  bool boolean(size_t i, llvm::StringRef name, bool otherwise);
  std::string text(size_t i, llvm::StringRef name,
                   llvm::StringRef otherwise) const;
  std::optional<Axes> integers(size_t i, llvm::StringRef name = "")
      const; ///< a number counts as a list of one
  /// A dimension argument, wrapped; and a list of them (absent or empty: all).
  int64_t axis(size_t i, llvm::StringRef name, int64_t otherwise, int64_t rank);
  Axes axes(size_t i, llvm::StringRef name, int64_t rank);

  /// A list argument with one entry per spatial dimension; a single entry is
  /// repeated.
  static Axes spread(std::optional<Axes> given, size_t count,
                     int64_t otherwise);
  /// scale * q k^T, with the argument attn_mask.
  Value attentionScores(const Value &q, const Value &k, double scale,
                        bool causal);

  // Results.
  /// Whether the call has this output.
  bool isAsked(size_t i) const { return i < outputs_.size() && outputs_[i]; }
  size_t outputs() const { return outputs_.size(); }
  const TensorType &output(size_t i = 0) const;
  /// The type of the first output that the call has.
  const TensorType &firstOutput() const;
  /// Makes the value output `i` of the call: converted to its type, reshaped
  /// where only dimensions of size 1 differ.
  void result(Value value, size_t i = 0);

  /// The program, or Unsupported with the refusal.
  llvm::Expected<AtenProgram> finish();

private:
  Value parameter(const llvm::json::Object &record, const std::string &place);

  const TracedCall &call_;
  std::vector<std::optional<TensorType>> outputs_; ///< nullopt: not a tensor
  std::map<std::string, Value> byPlace_;
  llvm::SmallVector<mlir::Value> results_;
  AtenProgram program_;
};

/// The type of a tensor record; nullopt where Assay has no such type.
std::optional<TensorType> typeOfRecord(const llvm::json::Object &record);

} // namespace assay::trace::aten
