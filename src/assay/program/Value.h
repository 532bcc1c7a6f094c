/// The content of a slot of a running program: a tensor, a token or a tuple of
/// values. In a run with shadows, also the same tensor in a wider type.
#pragma once

#include "assay/tensor/Tensor.h"

#include <memory>
#include <variant>
#include <vector>

namespace assay::program {

using tensor::Tensor;
using tensor::TensorType;

struct Token {};
class Value;
using Tuple = std::shared_ptr<const std::vector<Value>>;

class Value {
public:
  Value() = default;
  Value(Tensor tensor) : payload_(std::move(tensor)) {}
  Value(Token token) : payload_(token) {}
  Value(Tuple tuple) : payload_(std::move(tuple)) {}

  bool empty() const {
    return std::holds_alternative<std::monostate>(payload_);
  }
  bool isTensor() const { return std::holds_alternative<Tensor>(payload_); }
  bool isTuple() const { return std::holds_alternative<Tuple>(payload_); }
  const Tensor &tensor() const { return std::get<Tensor>(payload_); }
  Tensor &tensor() { return std::get<Tensor>(payload_); }
  const std::vector<Value> &tuple() const { return *std::get<Tuple>(payload_); }

  /// The f64 (for f64: binary128) version of a float tensor; invalid when there
  /// is none.
  const Tensor &shadow() const { return shadow_; }
  void setShadow(Tensor shadow) { shadow_ = std::move(shadow); }
  /// The shadow if there is one, the tensor otherwise.
  const Tensor &shadowOrTensor() const {
    return shadow_.valid() ? shadow_ : tensor();
  }

private:
  std::variant<std::monostate, Tensor, Token, Tuple> payload_;
  Tensor shadow_;
};

} // namespace assay::program
