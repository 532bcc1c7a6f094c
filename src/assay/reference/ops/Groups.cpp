// Process groups. Source: StableHLO specification, "Grouping strategies".
#include "assay/reference/ops/Groups.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/program/Shardings.h"
#include "assay/reference/Attributes.h"

#include <numeric>

namespace assay::reference {

using program::Grid;
using program::ProcessId;

GroupKind gatheringKind(int64_t channel, bool globalIds) {
  return channel <= 0 ? GroupKind::CrossReplica
         : globalIds  ? GroupKind::FlattenedIds
                      : GroupKind::CrossReplicaAndPartition;
}

GroupKind pairwiseKind(int64_t channel) {
  return channel > 0 ? GroupKind::CrossPartition : GroupKind::CrossReplica;
}

int64_t channelOf(mlir::Operation *op) {
  auto channel =
      op->getAttrOfType<stablehlo::ChannelHandleAttr>("channel_handle");
  return channel ? channel.getHandle() : 0;
}

/// The mesh that an attribute is or a symbol names.
static llvm::Expected<program::Mesh> meshIn(mlir::Operation *op,
                                            mlir::Attribute attribute) {
  if (auto symbol = mlir::dyn_cast<mlir::FlatSymbolRefAttr>(attribute))
    return program::meshOf(op, symbol.getValue());
  auto mesh = mlir::dyn_cast<stablehlo::MeshAttr>(attribute);
  if (!mesh)
    return makeError(ErrorCode::InvalidArgument,
                     "replica_groups name no mesh and no symbol of one");
  std::vector<program::Mesh::Axis> axes;
  for (stablehlo::MeshAxisAttr axis : mesh.getAxes())
    axes.push_back({axis.getName().str(), axis.getSize()});
  std::vector<int64_t> devices;
  if (mesh.getDeviceIds())
    for (const llvm::APInt &id : mesh.getDeviceIds().getValues<llvm::APInt>())
      devices.push_back(id.getSExtValue());
  return program::makeMesh(std::move(axes), std::move(devices));
}

/// Groups of processes that differ only in the axes named. Source: StableHLO
/// specification, "ReplicaGroupMeshAxes".
static llvm::Expected<std::vector<std::vector<int64_t>>>
rowsAlong(mlir::Operation *op, stablehlo::ReplicaGroupMeshAxesAttr groups) {
  llvm::Expected<program::Mesh> mesh = meshIn(op, groups.getMesh());
  if (!mesh)
    return mesh.takeError();
  std::vector<std::string> names;
  for (mlir::Attribute each : groups.getAxes()) {
    auto axis = mlir::dyn_cast<stablehlo::AxisRefAttr>(each);
    if (!axis || axis.getSubAxisInfo() || !mesh->find(axis.getName()) ||
        llvm::is_contained(names, axis.getName()))
      return makeError(ErrorCode::Unsupported,
                       "replica_groups by what is not a whole axis of the mesh, "
                       "or the same one twice");
    names.push_back(axis.getName().str());
  }
  return mesh->groupsAlong(names);
}

llvm::Expected<std::vector<std::vector<int64_t>>> rowsOf(mlir::Operation *op,
                                                         llvm::StringRef name) {
  std::vector<std::vector<int64_t>> rows;
  if (!op->hasAttr(name))
    return rows;
  if (auto axes = op->getAttrOfType<stablehlo::ReplicaGroupMeshAxesAttr>(name))
    return rowsAlong(op, axes);
  auto matrix = op->getAttrOfType<mlir::DenseIntElementsAttr>(name);
  if (!matrix || matrix.getType().getRank() != 2)
    return makeError(ErrorCode::Unsupported, "{0} is not a matrix of numbers",
                     name);
  Ints values = intsOf(op, name);
  auto width = static_cast<size_t>(matrix.getType().getDimSize(1));
  for (size_t first = 0; first + width <= values.size() && width > 0;
       first += width) {
    rows.emplace_back();
    for (size_t i = first; i < first + width; ++i)
      if (values[i] >= 0)
        rows.back().push_back(values[i]);
  }
  return rows;
}

std::vector<ProcessId> membersOf(ProcessId process, const Grid &grid,
                                 GroupKind kind, llvm::ArrayRef<int64_t> row) {
  std::vector<ProcessId> members;
  switch (kind) {
  case GroupKind::CrossReplica:
    for (int64_t id : row)
      members.push_back({id, process.partition});
    break;
  case GroupKind::CrossPartition:
    for (int64_t id : row)
      members.push_back({process.replica, id});
    break;
  case GroupKind::CrossReplicaAndPartition:
    for (int64_t partition = 0; partition < grid.partitions(); ++partition)
      for (int64_t id : row)
        members.push_back({id, partition});
    break;
  case GroupKind::FlattenedIds:
    for (int64_t id : row)
      members.push_back({id / grid.partitions(), id % grid.partitions()});
    break;
  }
  return members;
}

llvm::Expected<std::vector<ProcessId>>
groupOf(ProcessId process, const Grid &grid, GroupKind kind,
        const std::vector<std::vector<int64_t>> &rows) {
  std::vector<std::vector<int64_t>> all = rows;
  if (all.empty()) {
    int64_t count = kind == GroupKind::CrossPartition ? grid.partitions()
                    : kind == GroupKind::FlattenedIds
                        ? grid.replicas() * grid.partitions()
                        : grid.replicas();
    all.emplace_back(static_cast<size_t>(count));
    std::iota(all[0].begin(), all[0].end(), 0);
  }
  for (const std::vector<int64_t> &row : all) {
    std::vector<ProcessId> members = membersOf(process, grid, kind, row);
    if (!llvm::is_contained(members, process))
      continue;
    for (ProcessId member : members)
      if (!grid.has(member))
        return makeError(
            ErrorCode::InvalidArgument,
            "process {0} is not in the grid of {1} x {2} processes; programs "
            "of several processes run under interpreter.run_parallel",
            program::toString(member), grid.replicas(), grid.partitions());
    return members;
  }
  return std::vector<ProcessId>();
}

} // namespace assay::reference
