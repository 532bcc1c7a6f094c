/// How the tensors of a run's processes fit together: the grid of processes,
/// and for each tensor the part that one process has along each axis.
#pragma once

#include "assay/support/Error.h"
#include "assay/trace/DumpName.h"
#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace assay::trace {

/// The part of a tensor that a process has along one axis of the grid.
struct Placement {
  enum class Kind {
    Replicate, ///< all of it: every process has the same
    Shard,     ///< a part along `dim`, the parts in the order of coordinates
    Sum,       ///< a summand
    Mean,      ///< a summand of the mean
    Max,
    Min,
    First, ///< the part at coordinate 0 counts: a pipeline's inputs
    Last   ///< the part at the largest coordinate counts: a pipeline's outputs
  } kind = Kind::Replicate;
  int64_t dim = 0; ///< for Shard; negative: counted from the end
  /// Shard: a part holds a piece of each of several adjacent
  /// blocks, of these relative sizes (a joint projection to queries, keys and
  /// values). Empty: one block.
  std::vector<int64_t> blocks;
  /// Shard: process c of n has the pieces c and 2n-1-c of 2n.
  bool zigzag = false;
  /// Shard: the joined tensor is divided by the number of parts (gradients of
  /// each process's own mean loss).
  bool scaled = false;
  /// Shard: the axes after this one cut the tensor first (DTensor's
  /// _StridedShard).
  bool cutLast = false;
  /// A placement that has no meaning here, as it was recorded; empty: none.
  std::string unknown;
};

/// The place of one process's tensor along one axis.
struct Place {
  std::string axis;
  int64_t coordinate = 0, size = 1;
  Placement placement;
};
/// Along all axes, the outermost (slowest in the processes' numbers) first.
using Places = std::vector<Place>;

/// "replicate", "sum", "mean", "max", "min", "first", "last", or "shard DIM" with any of
/// "blocks N:N:…", "zigzag", "scaled", "cut last" after it.
/// Errors: InvalidArgument with the word
llvm::Expected<Placement> parsePlacement(llvm::StringRef text);
/// The attribute `placement` of a dataset: "dp 0/2: shard 0; tp 1/2:
/// replicate". Placements that it cannot read become Placement::unknown.
/// Errors: InvalidArgument for text without this form
llvm::Expected<Places> parsePlaces(llvm::StringRef text);
/// "tp: shard 1; dp: replicate" without coordinates.
std::string toString(llvm::ArrayRef<Place> places);

/// The file of --layout, JSON:
///   {"mesh": ["dp 2", "tp 2"],
///    "numbered": {"layers": "pp"},
///    "tensors": [{"name": "*.down.*.forward_output.*", "tp": "sum"}, …]}
/// `mesh` are the axes, the last one fastest in the processes' numbers. Of
/// `tensors` the first entry whose pattern matches a tensor's name (without its
/// step; * ? [..]) holds; axes that it does not name replicate. `numbered` are
/// lists of modules (a path, * for one of its words) that every process numbers
/// from 0: those of coordinate c follow those of coordinate c-1.
class Layout {
public:
  /// Errors: NotFound; InvalidArgument with file and entry
  static llvm::Expected<Layout> read(llvm::StringRef path);

  struct Axis {
    std::string name;
    int64_t size = 1;
  };
  llvm::ArrayRef<Axis> mesh() const { return mesh_; }
  /// The product of the axes' sizes.
  int64_t processes() const;
  /// The place of a process's tensor; nullopt: the layout does not mention the
  /// tensor.
  std::optional<Places> placesOf(llvm::StringRef name, int64_t rank) const;
  /// The coordinates of a process.
  std::vector<int64_t> coordinatesOf(int64_t rank) const;

  struct Numbered {
    std::string list; ///< "layers", "layers.*.experts"
    size_t axis = 0;  ///< of mesh()
  };
  llvm::ArrayRef<Numbered> numbered() const { return numbered_; }

private:
  struct Entry {
    std::string pattern;
    std::vector<Placement> along; ///< of each axis
  };
  std::vector<Axis> mesh_;
  std::vector<Entry> tensors_;
  std::vector<Numbered> numbered_;
};

} // namespace assay::trace
