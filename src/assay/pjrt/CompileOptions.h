/// What a framework says about a compilation: a serialized protocol buffer, of
/// which the plugin reads the devices.
#pragma once

#include "assay/support/Error.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace assay::pjrt {

struct CompileOptions {
  int64_t replicas = 1, partitions = 1;
  bool portable = false; ///< runs on whatever device a call names
  /// Replica by replica; empty: from device `ordinal` on.
  std::vector<int64_t> devices;
  int64_t ordinal = -1;

  /// Fields by number of CompileOptionsProto (executable_build_options 3,
  /// compile_portable_executable 4), ExecutableBuildOptionsProto
  /// (device_ordinal 1, num_replicas 4, num_partitions 5, device_assignment 9)
  /// and DeviceAssignmentProto (replica_count 1, computation_count 2,
  /// computation_devices 3, in each replica_device_ids 1); others are passed
  /// over. Errors: DataLoss.
  static llvm::Expected<CompileOptions> read(llvm::StringRef bytes);
};

} // namespace assay::pjrt
