// Virtual devices and their memories; all of them are host memory.
#include "Answers.h"
#include "Objects.h"

namespace assay::pjrt {

static constexpr llvm::StringLiteral kDeviceKind = "assay";

Error *answer(args::DeviceDescriptionId *a) {
  a->id = a->device_description->id;
  return nullptr;
}

Error *answer(args::DeviceDescriptionProcessIndex *a) {
  a->process_index = 0;
  return nullptr;
}

Error *answer(args::DeviceDescriptionAttributes *a) {
  a->attributes = nullptr;
  a->num_attributes = 0;
  return nullptr;
}

Error *answer(args::DeviceDescriptionKind *a) {
  a->device_kind = kDeviceKind.data();
  a->device_kind_size = kDeviceKind.size();
  return nullptr;
}

Error *answer(args::DeviceDescriptionDebugString *a) {
  a->debug_string = a->device_description->text.data();
  a->debug_string_size = a->device_description->text.size();
  return nullptr;
}

Error *answer(args::DeviceDescriptionToString *a) {
  a->to_string = a->device_description->text.data();
  a->to_string_size = a->device_description->text.size();
  return nullptr;
}

Error *answer(args::DeviceGetDescription *a) {
  a->device_description = &a->device->description;
  return nullptr;
}

Error *answer(args::DeviceIsAddressable *a) {
  a->is_addressable = true;
  return nullptr;
}

Error *answer(args::DeviceLocalHardwareId *a) {
  a->local_hardware_id = a->device->description.id;
  return nullptr;
}

Error *answer(args::DeviceAddressableMemories *a) {
  a->memories = a->device->memories.data();
  a->num_memories = a->device->memories.size();
  return nullptr;
}

Error *answer(args::DeviceDefaultMemory *a) {
  a->memory = a->device->memories.front();
  return nullptr;
}

Error *answer(args::DeviceMemoryStats *a) {
  // The structure grows with each version, so only the known members are set.
  auto given = a->struct_size;
  auto *device = a->device;
  a->bytes_in_use = device->bytes;
  a->peak_bytes_in_use = device->peakBytes;
  a->peak_bytes_in_use_is_set = true;
  a->num_allocs = device->buffers;
  a->num_allocs_is_set = true;
  a->largest_alloc_size = device->largest;
  a->largest_alloc_size_is_set = true;
  a->bytes_limit = device->client->budget->limitBytes();
  a->bytes_limit_is_set = true;
  a->bytes_reserved_is_set = a->peak_bytes_reserved_is_set = false;
  a->bytes_reservable_limit_is_set = a->largest_free_block_bytes_is_set = false;
  a->pool_bytes_is_set = false;
  if (given >= offsetof(args::DeviceMemoryStats, peak_pool_bytes_is_set) + 1)
    a->peak_pool_bytes_is_set = false;
  return nullptr;
}

Error *answer(args::MemoryId *a) {
  a->id = a->memory->id;
  return nullptr;
}

Error *answer(args::MemoryKind *a) {
  llvm::StringRef kind = kMemoryKinds[a->memory->kind];
  a->kind = kind.data();
  a->kind_size = kind.size();
  return nullptr;
}

Error *answer(args::MemoryKindId *a) {
  a->kind_id = a->memory->kind;
  return nullptr;
}

Error *answer(args::MemoryDebugString *a) {
  a->debug_string = a->memory->text.data();
  a->debug_string_size = a->memory->text.size();
  return nullptr;
}

Error *answer(args::MemoryToString *a) {
  a->to_string = a->memory->text.data();
  a->to_string_size = a->memory->text.size();
  return nullptr;
}

Error *answer(args::MemoryAddressableByDevices *a) {
  a->devices = &a->memory->device;
  a->num_devices = 1;
  return nullptr;
}

} // namespace assay::pjrt
