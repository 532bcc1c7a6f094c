/// The parts that the emitters share: types, loads, one step along k; and the
/// forms of micro-kernel as LLVM IR.
#pragma once

#include "assay/kernels/jit/MicroKernel.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace assay::kernels {

/// Emits values for one kernel: knows the key, the instruction set and the
/// fields of MicroArguments.
class Emitter {
public:
  Emitter(llvm::Module &module, const MicroKey &key, const Isa &isa);

  llvm::Function *function() { return function_; }
  llvm::IRBuilder<> &builder() { return builder_; }
  const MicroKey &key() const { return key_; }
  int lanes() const { return lanes_; }
  llvm::Type *accumulatorType() { return accumulator_; }
  llvm::FixedVectorType *vectorType() { return vector_; }
  llvm::Type *i64() { return builder_.getInt64Ty(); }
  llvm::Value *constant(int64_t value) {
    return builder_.getInt64(static_cast<uint64_t>(value));
  }

  llvm::Value *field(size_t offset, llvm::Type *type, const char *name);
  llvm::Value *at(llvm::Value *pointer, llvm::Value *bytes);
  llvm::Value *at(llvm::Value *pointer, int64_t bytes) {
    return at(pointer, constant(bytes));
  }
  llvm::Value *load(llvm::Type *type, llvm::Value *pointer, unsigned alignment);
  /// Loads `count` elements in their type in memory; `left` null: all of them,
  /// else zeros after that many.
  llvm::Value *loadVector(DataType type, unsigned count, llvm::Value *pointer,
                          llvm::Value *left);
  /// Which of `count` lanes are below `left`.
  llvm::Value *lanesBelow(llvm::Value *left, unsigned count);
  /// Loaded elements as the accumulator's vector (floating-point sums).
  llvm::Value *widenReal(DataType type, llvm::Value *raw);
  /// Rounds sums in f32 to nearest even, to their type in memory. NaN becomes
  /// the NaN of numerics::convertArray. Sums that already have type `type` are
  /// unchanged.
  llvm::Value *narrowReal(DataType type, llvm::Value *sums);
  /// The same pointer, whose origin is hidden from the compiler.
  llvm::Value *opaque(llvm::Value *pointer);
  /// Prefetches into the first level, or into the second (level 2).
  void prefetch(llvm::Value *pointer, int level = 1);

  /// sum + a * b for one vector; for groups, a and b are i32 vectors of packed
  /// elements.
  llvm::Value *multiplyAdd(llvm::Value *sum, llvm::Value *a, llvm::Value *b);
  /// alpha * sum + beta * old in the accumulator's arithmetic (old null: beta
  /// is 0).
  llvm::Value *scale(llvm::Value *sum, llvm::Value *alpha, llvm::Value *beta,
                     llvm::Value *old);
  llvm::Value *flip(llvm::Value *value);
  llvm::Value *splat(llvm::Value *scalar) {
    return builder_.CreateVectorSplat(static_cast<unsigned>(lanes_), scalar);
  }
  bool integer() const { return integer_; }
  const Isa &isa() const { return isa_; }

private:
  llvm::Value *callX86(llvm::Value *sum, llvm::Value *a, llvm::Value *b);

  MicroKey key_;
  Isa isa_;
  llvm::Module &module_;
  llvm::IRBuilder<> builder_;
  llvm::Function *function_;
  llvm::Type *accumulator_;
  llvm::FixedVectorType *vector_;
  int lanes_;
  bool integer_;
};

void emitTile(Emitter &emitter);
void emitDot(Emitter &emitter);
void emitAmx(Emitter &emitter);
void emitDepthwise(Emitter &emitter);

} // namespace assay::kernels
