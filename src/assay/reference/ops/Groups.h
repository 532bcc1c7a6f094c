/// Determines the processes that take part in a collective operation.
#pragma once

#include "assay/program/Processes.h"
#include "mlir/IR/Operation.h"

#include <optional>
#include <vector>

namespace assay::reference {

/// How the numbers in replica_groups are read (StableHLO spec, "Process grid").
enum class GroupKind : uint8_t {
  CrossReplica,             ///< replicas, within each partition
  CrossPartition,           ///< partitions, within each replica
  CrossReplicaAndPartition, ///< replicas, with all partitions of each
  FlattenedIds,             ///< replica * partitions + partition
};

/// The kind of groups of the gathering operations (all_gather, all_reduce, reduce_scatter) and of the others
/// (all_to_all, collective_*), by channel and flag.
GroupKind gatheringKind(int64_t channel, bool globalIds);
GroupKind pairwiseKind(int64_t channel);

/// The channel number in channel_handle; 0 if there is none.
int64_t channelOf(mlir::Operation *op);

/// The rows of an integer matrix attribute, without the -1 that fill up short
/// rows; no rows where the attribute is absent. Groups along the axes of a mesh
/// are expanded. Errors: NotFound, InvalidArgument, Unsupported for a mesh.
llvm::Expected<std::vector<std::vector<int64_t>>> rowsOf(mlir::Operation *op,
                                                         llvm::StringRef name);

/// The members of a process's group, in order; empty when it has no group.
/// Without rows: all processes (in the order of the kind). Errors:
/// InvalidArgument for a member that the grid does not have.
llvm::Expected<std::vector<program::ProcessId>>
groupOf(program::ProcessId process, const program::Grid &grid, GroupKind kind,
        const std::vector<std::vector<int64_t>> &rows);

/// The processes of one row, from the point of view of `process`.
std::vector<program::ProcessId> membersOf(program::ProcessId process,
                                          const program::Grid &grid,
                                          GroupKind kind,
                                          llvm::ArrayRef<int64_t> row);

} // namespace assay::reference
