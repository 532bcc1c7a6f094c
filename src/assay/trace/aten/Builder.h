/// Writes the StableHLO program of one recorded aten call. Private to
/// AtenProgram and the operator families beside this file.
#pragma once

#include "assay/tensor/Tensor.h"
#include "assay/trace/OperatorTrace.h"

#include <map>
#include <optional>

namespace assay::trace::aten {

using numerics::ElementType;
using tensor::Shape;
using tensor::TensorType;
using Axes = std::vector<int64_t>;

/// A value of the program: its name and type.
struct Value {
  std::string name;
  TensorType type;
  const Shape &shape() const { return type.shape; }
  int64_t rank() const { return static_cast<int64_t>(type.shape.size()); }
  bool isFloat() const { return type.element.isFloat(); }
};

/// Emits operations in order. Floats are computed in f64 and rounded once by
/// result(); integers are computed in i64. An operator that cannot be written
/// calls refuse(); what follows then is ignored.
class Builder {
public:
  explicit Builder(const TracedCall &call);

  // Arguments, by position or, behind the positional ones, by name.
  const llvm::json::Value *argument(size_t i, llvm::StringRef name = "") const;
  bool isTensor(size_t i, llvm::StringRef name = "") const;
  Value tensor(size_t i,
               llvm::StringRef name = ""); ///< widened; a number becomes rank 0
  Value recorded(size_t i);                ///< in its own type
  std::optional<Value> optionalTensor(size_t i, llvm::StringRef name = "");
  std::vector<Value> tensors(size_t i); ///< of a list argument, widened
  Value listed(size_t i, size_t item);  ///< one of a list argument, widened
  double number(size_t i, llvm::StringRef name, double otherwise) const;
  int64_t integer(size_t i, llvm::StringRef name, int64_t otherwise) const;
  bool boolean(size_t i, llvm::StringRef name, bool otherwise) const;
  std::string text(size_t i, llvm::StringRef name,
                   llvm::StringRef otherwise) const;
  std::optional<Axes> integers(size_t i, llvm::StringRef name = "")
      const; ///< a number counts as a list of one
  /// A dimension argument, wrapped; and a list of them (absent or empty: all).
  int64_t axis(size_t i, llvm::StringRef name, int64_t otherwise, int64_t rank);
  Axes axes(size_t i, llvm::StringRef name, int64_t rank);

  // Results.
  size_t outputs() const { return outputs_.size(); }
  const TensorType &output(size_t i = 0) const;
  /// Makes the value output `i` of the call: converted to its type, reshaped
  /// where only ones differ.
  void result(Value value, size_t i = 0);

  // Operations.
  Value generic(llvm::StringRef op, llvm::ArrayRef<Value> operands,
                TensorType type, const llvm::Twine &attributes = "",
                const llvm::Twine &region = "");
  Value unary(llvm::StringRef op, const Value &x) {
    return generic(op, {x}, x.type);
  }
  Value binary(llvm::StringRef op, const Value &a,
               const Value &b); ///< promoted and broadcast
  Value compare(llvm::StringRef direction, const Value &a, const Value &b);
  Value select(const Value &condition, const Value &yes, const Value &no);
  Value scalar(double value);                     ///< f64, rank 0
  Value constant(int64_t value);                  ///< i64, rank 0
  Value constant(llvm::ArrayRef<int64_t> values); ///< i64, rank 1
  Value convert(const Value &x, ElementType type);
  Value wide(const Value &x); ///< f64, whatever it was
  Value broadcast(const Value &x, llvm::ArrayRef<int64_t> shape);
  Value placed(const Value &x, llvm::ArrayRef<int64_t> shape,
               llvm::ArrayRef<int64_t> dimensions);
  Value reshape(const Value &x, llvm::ArrayRef<int64_t> shape);
  Value transpose(const Value &x, llvm::ArrayRef<int64_t> permutation);
  Value slice(const Value &x, int64_t axis, int64_t start, int64_t end,
              int64_t step = 1);
  Value concatenate(llvm::ArrayRef<Value> parts, int64_t axis);
  Value pad(const Value &x, const Value &filler, llvm::ArrayRef<int64_t> low,
            llvm::ArrayRef<int64_t> high);
  Value iota(llvm::ArrayRef<int64_t> shape, int64_t axis); ///< i64
  /// op: add, multiply, maximum, minimum, and, or. Dimensions stay as ones.
  Value reduce(llvm::StringRef op, const Value &x,
               llvm::ArrayRef<int64_t> axes);
  Value dot(const Value &a, const Value &b, llvm::ArrayRef<int64_t> batchA,
            llvm::ArrayRef<int64_t> batchB, llvm::ArrayRef<int64_t> contractA,
            llvm::ArrayRef<int64_t> contractB);
  Value sum(const Value &x, llvm::ArrayRef<int64_t> axes) {
    return reduce("add", x, axes);
  }
  Value mean(const Value &x, llvm::ArrayRef<int64_t> axes);
  /// The smaller type both fit: f64, i64, i1.
  std::pair<Value, Value> promote(const Value &a, const Value &b);

  void refuse(std::string why) {
    if (refusal_.empty())
      refusal_ = std::move(why);
  }
  const std::string &refusal() const { return refusal_; }
  bool refused() const { return !refusal_.empty(); }

  /// The module's text; inputs() are its parameters in order.
  std::string module() const;
  const std::vector<std::pair<std::string, TensorType>> &inputs() const {
    return inputs_;
  }
  const std::vector<size_t> &resultOutputs() const { return resultOutputs_; }

private:
  Value parameter(const llvm::json::Object &record, const std::string &place);
  std::string next() { return "%v" + std::to_string(count_++); }

  const TracedCall &call_;
  std::vector<TensorType> outputs_;
  std::vector<std::pair<std::string, TensorType>>
      inputs_; // "0", "1.2", "weight"
  std::map<std::string, Value> byPlace_;
  std::vector<Value> results_;
  std::vector<size_t> resultOutputs_;
  std::string body_, refusal_;
  int64_t count_ = 0;
};

/// The type of a tensor record; nullopt where Assay has no such type.
std::optional<TensorType> typeOfRecord(const llvm::json::Object &record);

inline ElementType f64() {
  return ElementType::floating(numerics::FloatFormat::F64);
}
inline ElementType i64() { return ElementType::integer(64); }

} // namespace assay::trace::aten
