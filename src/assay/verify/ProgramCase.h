/// Private to verify: a program with its tensors as an engine
/// sees them, their places in the arena, the data that is written before a run
/// and read after it.
#pragma once

#include "assay/engine/Arena.h"
#include "assay/engine/Worker.h"
#include "assay/judge/FillKind.h"
#include "assay/judge/program/ProgramJudge.h"
#include "assay/numerics/SubByte.h"
#include "assay/verify/Driver.h"

namespace assay::verify {

struct ProgramCase {
  /// A tensor that an engine reads or writes.
  struct Item {
    std::string role;
    tensor::TensorType type;
    tensor::Shape strides; ///< physical, in elements
    int64_t spanBytes = 0;
    bool isDense = true;
    int shared = -1; ///< of a result: the tensor whose memory it reuses

    /// Row-major, and every element has its own bytes.
    bool isPlain() const {
      return isDense && !numerics::isPacked(type.element);
    }
    /// Sets the strides; empty: row-major.
    void layOut(tensor::Shape strides);
    int64_t elements() const;
  };
  const Problem *problem = nullptr;
  const BoundProgram *bound = nullptr;
  std::vector<Item> tensors; ///< inputs first
  size_t inputs = 0;
  std::vector<size_t> arguments; ///< of the program, for each input
  /// The argument that an engine finds in dst before it runs, or -1.
  int previous = -1;
  std::string driver, json;
  judge::KeptNumbers kept; ///< special numbers that the engine supports

  /// The bytes of all tensors, including the gaps between their elements.
  double spannedBytes() const;
  int64_t resultElements() const;
};

/// `found`: the problem that the grammar recognises in the program, or null.
ProgramCase programCase(const Problem &problem, const BoundProgram &bound,
                        const Problem *found);
engine::ProblemDescription describeProgram(const ProgramCase &c, int threads);
std::vector<engine::Placement> place(const ProgramCase &c, engine::Guard guard,
                                     int alignment);

/// Copies inputs to their places; fills outputs and the gaps around all tensors.
void writeData(const ProgramCase &c, llvm::ArrayRef<engine::Placement> places,
               llvm::ArrayRef<tensor::Tensor> inputs, std::byte *arena,
               engine::Unwritten unwritten, ThreadPool &pool);
/// The results where the engine has written them; `copies` holds those with
/// gaps, made dense.
std::vector<judge::ProgramResult>
resultsAt(const ProgramCase &c, llvm::ArrayRef<engine::Placement> places,
          const std::byte *arena, std::vector<std::vector<std::byte>> &copies,
          ThreadPool &pool);
/// Arguments of one kind of data; arguments with a binding follow it.
llvm::Expected<std::vector<tensor::Tensor>>
fillArguments(const ProgramCase &c, judge::FillKind kind, int draw = 0);

} // namespace assay::verify
