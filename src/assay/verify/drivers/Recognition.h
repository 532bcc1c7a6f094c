/// Shared parts of the drivers' recognisers, which find the words for a
/// program. A driver reads candidates off the bindings and the operations; the
/// answer is the candidate whose own program is the given one.
#pragma once

#include "assay/program/Builder.h"
#include "assay/verify/drivers/Words.h"

namespace assay::verify::drivers {

/// Queries about a bound program.
class Reading {
public:
  explicit Reading(const BoundProgram &bound);

  /// False when there is no entry function with only static tensors.
  bool isValid() const { return block_ != nullptr; }
  const BoundProgram &bound() const { return bound_; }
  /// The argument (result) with this role, or -1.
  int input(llvm::StringRef role) const;
  int output(llvm::StringRef role) const;
  bool has(llvm::StringRef role) const {
    return input(role) >= 0 || output(role) >= 0;
  }
  /// Type, sizes and tag of the tensor with this role; None, empty and "any" if
  /// it does not exist.
  ElementType typeOf(llvm::StringRef role) const;
  Dims dimsOf(llvm::StringRef role) const;
  std::string tagOf(llvm::StringRef role) const;

  mlir::Block &block() const { return *block_; }
  /// Whether the value is the argument with this role, or a conversion of it.
  bool isArgument(mlir::Value value, llvm::StringRef role) const;
  /// The operations "stablehlo.NAME" of the entry function, in order.
  std::vector<mlir::Operation *> operations(llvm::StringRef name) const;
  /// The distinct values of its splat float constants.
  std::vector<double> constants() const;
  /// Scales, zero points and post-ops that Assembly wrote.
  Attributes attributes() const;

private:
  std::optional<PostOp> postOp(size_t index) const;

  const BoundProgram &bound_;
  mlir::func::FuncOp function_;
  mlir::Block *block_ = nullptr;
};

/// A problem with every knob at its default and with the name, the direction
/// (knob "dir") and the attributes of the program.
Problem candidateOf(const Driver &driver, const Reading &reading);
/// Sets knobs to the type and memory format of the tensor with this role.
void takeTensor(Problem &problem, const Reading &reading, llvm::StringRef role,
                const char *typeKnob, const char *tagKnob);
/// The problem of a driver with two tensors, where the knobs sdt and stag have
/// an item for each; nullopt where a tensor is missing or the ranks differ.
std::optional<Problem> candidateOfPair(const Driver &driver,
                                       const Reading &reading,
                                       llvm::StringRef first,
                                       llvm::StringRef second);
/// "A", or "A:B" where the two differ.
std::string joined(llvm::StringRef first, llvm::StringRef second);
/// The problem with its own "dtag", and with "undef", which is the same as any
/// in a program.
std::vector<Problem> withFreeTag(Problem problem, llvm::StringRef tag);
/// The value of a constant whose elements are all equal.
std::optional<double> constantOf(mlir::Value value);
/// "AxB" where the tensor has strides, else "".
std::string stridesTextOf(const Reading &reading, llvm::StringRef role);
/// The values of an attribute array<i64: ...>.
Dims integersOf(mlir::Operation *op, llvm::StringRef attribute);

/// The first candidate that builds this program.
std::optional<Problem> firstThatBuilds(const Reading &reading,
                                       const Driver &driver,
                                       llvm::ArrayRef<Problem> candidates);

} // namespace assay::verify::drivers
