/// The step of a fused program. Its parts are in Fused.cpp (memory, execution)
/// and FusedGroups.cpp (which instructions are compiled loops).
#pragma once

#include "assay/engine/native/Fused.h"

namespace assay::engine {

using program::StepContext;
using tensor::Tensor;

class FusedStep final : public NativeStep, public FollowingLoop {
public:
  FusedStep(FusedProgram program, std::shared_ptr<kernels::Jit> jit);
  llvm::Error run(StepContext &context) const override;
  const FollowingLoop *asFollowingLoop() const override { return this; }
  bool canFollow(size_t operand, int64_t unit) const override;
  std::optional<size_t> resultInPlaceOf(size_t operand) const override;
  llvm::Expected<std::unique_ptr<Execution>>
  begin(llvm::ArrayRef<const Tensor *> operands,
        llvm::ArrayRef<std::byte *> results) const override;

private:
  class Following;
  /// Where a value of the block is stored while it is computed.
  struct Place {
    enum class Kind : uint8_t { Buffer, Operand, Result } kind = Kind::Buffer;
    size_t index = 0;   ///< operand or result
    int64_t offset = 0; ///< Buffer: byte offset in the workspace; Operand:
                        ///< elements
  };
  struct Run {
    llvm::SmallVector<const std::byte *, 8> operands;
    llvm::SmallVector<bool, 8> splat;
    llvm::SmallVector<std::byte *, 4> results;
    llvm::SmallVector<Tensor, 4> expanded; ///< splats that were expanded
    /// If rows are not adjacent: the first row that exists of this operand and
    /// of the results.
    int64_t firstRow = 0;
    std::optional<size_t> apart;
  };
  llvm::Error prepare(llvm::ArrayRef<const Tensor *> operands, Run &run) const;
  /// Instructions [begin, end): a single one, or several as a compiled loop.
  struct Group {
    size_t begin, end;
    ElementFunction function = nullptr;
    llvm::SmallVector<int, 4> inputs, outputs;
    bool hasRows = false; ///< whether an input is one value per row or one row
                          ///< for all rows
  };
  /// How many numbers of a value are stored for a block: one per element (or
  /// row), one row for all rows, or one number for all elements.
  enum class Extent : uint8_t { Whole, ARow, One };
  bool isCompilable(const FusedProgram::Code &code) const;
  void makeGroups();
  size_t endOfLoop(size_t begin) const;
  bool compile(Group &group);
  bool isUsedBehind(size_t end, int value) const;
  ElementLoop loopOf(Group &group) const;
  ElementReads readsOf(int value) const;
  void findExtents();
  bool agrees(const Group &group, const ElementLoop &loop) const;
  using Numbers = std::vector<std::vector<float>>;
  Numbers trialNumbers(const Group &group, const ElementLoop &loop,
                       uint32_t seed) const;
  bool agrees(const Group &group, const ElementLoop &loop, Numbers in) const;
  void evaluate(const FusedProgram::Code &code, llvm::ArrayRef<const void *> in,
                void *out, int64_t count) const;
  int64_t perRow(int value) const {
    return program_.values[value].perRow ? 1 : program_.length;
  }
  int64_t width(int value) const {
    return program_.values[value].element.storageBytes();
  }
  void assignPlaces();
  int64_t costOfAnElement() const;
  int64_t rowsOfAPart(int threads) const;
  int64_t elementsOf(int value, int64_t rows) const;
  void runLoop(const Run &run, const Group &group, int64_t row, int64_t rows,
               std::byte *workspace) const;
  void runRows(const Run &run, int64_t begin, int64_t end) const;
  std::byte *at(const Run &run, int value, int64_t row,
                std::byte *workspace) const;
  void reduce(const FusedProgram::Code &code, const std::byte *in,
              const std::byte *init, std::byte *out, int64_t rows) const;

  FusedProgram program_;
  std::shared_ptr<kernels::Jit> jit_; ///< owns the loops' code
  std::vector<Group> groups_; ///< all codes, in order
  std::vector<Place> places_;
  std::vector<Extent> extents_; ///< by value
  int64_t blockRows_ = 1, workspaceBytes_ = 0;
};

} // namespace assay::engine
