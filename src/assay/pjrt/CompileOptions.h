/// A framework's compile options: a serialized protocol buffer, from which the
/// plugin reads the devices.
#pragma once

#include "assay/support/Error.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace assay::pjrt {

struct CompileOptions {
  int64_t replicas = 1, partitions = 1;
  bool portable = false; ///< runs on any device that a call names
  /// Device ids, ordered by replica; empty: consecutive devices from `ordinal`
  /// on.
  std::vector<int64_t> devices;
  int64_t ordinal = -1;

  /// Reads these fields, by number: in CompileOptionsProto
  /// (executable_build_options 3, compile_portable_executable 4),
  /// ExecutableBuildOptionsProto (device_ordinal 1, num_replicas 4,
  /// num_partitions 5, device_assignment 9) and DeviceAssignmentProto
  /// (replica_count 1, computation_count 2, computation_devices 3, in each
  /// replica_device_ids 1). Other fields are skipped. Errors: DataLoss.
  static llvm::Expected<CompileOptions> read(llvm::StringRef bytes);
};

} // namespace assay::pjrt
