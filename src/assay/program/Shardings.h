/// Meshes of devices and shardings of tensors over them, parsed from the text
/// that the sdy dialect keeps (`#sdy.sharding<@mesh, [{"x"}, {}]>`).
#pragma once

#include "assay/tensor/Tensor.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace assay::program {

/// Named axes, major to minor, and the device at each place of the mesh.
struct Mesh {
  struct Axis {
    std::string name;
    int64_t size = 1;
  };
  std::vector<Axis> axes;
  std::vector<int64_t> devices;

  int64_t size() const { return static_cast<int64_t>(devices.size()); }
  /// The axis with this name, or null.
  const Axis *find(llvm::StringRef name) const;
  /// The coordinate of the mesh's element `place` along an axis.
  int64_t coordinate(int64_t place, llvm::StringRef axis) const;
  /// Groups of devices that differ only along the named axes: groups in the
  /// order of their places, members in the order in which the axes are named.
  std::vector<std::vector<int64_t>>
  groupsAlong(llvm::ArrayRef<std::string> names) const;
};

/// The axes that shard each dimension, major to minor.
using Sharding = std::vector<std::vector<std::string>>;

/// How one value is sharded over the devices of a mesh.
struct ValueSharding {
  Mesh mesh;
  Sharding dimensions;
  std::vector<std::string> sums; ///< axes over which it still has to be summed
  std::vector<bool> open;        ///< dimensions that a partitioner may cut more

  /// Adds a dimension in front, cut by these axes.
  void addLeading(std::vector<std::string> axes) {
    dimensions.insert(dimensions.begin(), std::move(axes));
    open.insert(open.begin(), false);
  }
};
/// `sharding<@mesh, [{"x"}, {}], unreduced={"y"}>`, as the dialect keeps it on
/// an argument or result. Errors: Unsupported, NotFound for the mesh.
llvm::Expected<ValueSharding> parseSharding(llvm::StringRef text,
                                            mlir::Operation *user);
/// `sharding_per_value<[<@mesh, [{"x"}]>, ...]>`, as a manual computation has
/// them. Errors: as above.
llvm::Expected<std::vector<ValueSharding>>
parseShardings(llvm::StringRef text, mlir::Operation *user);
/// The other way, with the mesh written out; priorities and replicated axes,
/// which do not affect a run, are left out.
std::string textOf(const ValueSharding &sharding);
std::string textOf(llvm::ArrayRef<ValueSharding> shardings);

/// sdy.manual_computation, decoded.
struct ManualComputation {
  Mesh mesh;
  std::vector<std::string> manualAxes;
  std::vector<Sharding> operands, results;
  /// For each value, the manual axes over which it still has to be summed.
  std::vector<std::vector<std::string>> operandSums, resultSums;

  /// Decodes the operation and checks that every dimension can be cut: the
  /// region's arguments and results have the shapes of the parts. Errors:
  /// Unsupported for things that only a partitioner can do, InvalidArgument for
  /// malformed text.
  static llvm::Expected<ManualComputation> decode(mlir::Operation *op);
};

/// The place of one part: its first index and its sizes.
struct Box {
  tensor::Shape offset, sizes;
};

/// The part that the mesh's element `place` has of a value of `shape`.
Box boxOf(const Mesh &mesh, const Sharding &sharding, int64_t place,
          llvm::ArrayRef<int64_t> shape);

/// The mesh that a symbol names, looked up from an operation. Errors: NotFound.
llvm::Expected<Mesh> meshOf(mlir::Operation *user, llvm::StringRef name);
/// A mesh from axes and devices (default 0, 1, 2, ...). Errors: InvalidArgument
/// where the devices are not one for each place.
llvm::Expected<Mesh> makeMesh(std::vector<Mesh::Axis> axes,
                              std::vector<int64_t> devices);

} // namespace assay::program
