/// Products with a B that does not change (weights). B is packed for the
/// register tile once; later products read the packed B.
#pragma once

#include "assay/kernels/Registry.h"
#include "assay/kernels/jit/MicroKernel.h"

namespace assay::kernels {

/// A problem bound to a B in panels. Immutable; run() may be called from any
/// thread.
class PackedProduct {
public:
  /// Compiles the kernels for the problem. Errors: Unsupported (sums in another
  /// type than C, strided columns of C, tile registers, converted elements, a
  /// batch: the ordinary kernels compute those), those of Jit::get.
  /// `vectors`: vectors of B in the register tile; 0: vectorsFor().
  static llvm::Expected<std::shared_ptr<const PackedProduct>>
  create(const GemmProblem &problem, Registry &registry, int vectors = 0);
  /// Two, or more if few rows would make too few sums. Products that read the
  /// same panels must use the same number.
  static int vectorsFor(const GemmProblem &problem, const Isa &isa);

  int64_t rows() const { return problem_.m; }
  /// Bytes of B in panels.
  /// Layout:  [block of k][panel of nr columns][step of k in the block][nr],
  /// the last panel padded with zeros
  int64_t packedBytes() const;
  /// Describes how B is divided into panels: products of one B with equal texts
  /// read the same panels.
  std::string panelLayout() const {
    return std::to_string(kc_) + "x" + std::to_string(nr_);
  }
  /// Writes B's panels to 64-byte aligned memory.
  void pack(const void *b, void *packed, ThreadPool &pool) const;
  /// Computes the product. `pointers.b` is the memory that pack() wrote.
  void run(const GemmPointers &pointers, ThreadPool &pool) const;

private:
  explicit PackedProduct(const GemmProblem &problem) : problem_(problem) {}
  llvm::Error compile(int64_t tiles, Registry &registry);
  void packRows(const GemmPointers &pointers, char *panels, int64_t row0,
                int64_t rows, ThreadPool &pool) const;
  /// Rows of C, and blocks of k [begin, end).
  struct Slice {
    int64_t row0 = 0, rows = 0, begin = 0, end = 0;
  };
  void runPanel(const GemmPointers &pointers, const char *a, const Slice &slice,
                int64_t panel) const;
  int64_t blockBytes(int64_t depth, int64_t width) const;
  int64_t grainOf(int64_t rows, int64_t blocks) const;

  GemmProblem problem_;
  MicroMath math_ = MicroMath::F32;
  int64_t mr_ = 0, nr_ = 0, kc_ = 0, rowBlock_ = 0, sliceBytes_ = 0;
  int64_t linesABody_ = 0; ///< lines of the next block that a tile's loop body
                           ///< prefetches
  MicroFunction whole_ = nullptr, ragged_ = nullptr;
  MicroFunction leading_ = nullptr; ///< for few tiles: prefetches B as it reads
};

} // namespace assay::kernels
