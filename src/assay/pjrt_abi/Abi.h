/// The PJRT C API as Assay's own structures, which a framework (JAX) and a
/// device's plugin exchange. Every structure begins with its size, so that
/// either side may be older. Fields and functions have the names of the
/// interface, without its prefix. The table of functions is Calls.def.
/// Source: facts of openxla's PJRT C API, version 0.90.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::pjrt {

inline constexpr int kApiMajor = 0, kApiMinor = 90;

struct Extension {
  size_t struct_size;
  int type; ///< a PJRT_Extension_Type
  Extension *next;
};

struct ApiVersion {
  size_t struct_size;
  Extension *extension_start;
  int major_version, minor_version;
};

/// Status codes of absl.
enum ErrorCode : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kNotFound = 5,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kUnimplemented = 12,
  kInternal = 13,
  kDataLoss = 15,
};

struct NamedValue {
  enum Type : int { String, Int64, Int64List, Float, Bool };
  size_t struct_size;
  Extension *extension_start;
  const char *name;
  size_t name_size;
  Type type;
  union {
    const char *string_value;
    int64_t int64_value;
    const int64_t *int64_array_value;
    float float_value;
    bool bool_value;
  };
  size_t value_size; ///< elements of a string or list, else 1
};

enum BufferType : int {
  kInvalid,
#define ASSAY_BUFFER_TYPE(code, spelling, number) code,
#include "assay/pjrt_abi/BufferTypes.def"
};

/// How the plugin may use the caller's bytes.
enum HostBufferSemantics : int {
  kImmutableOnlyDuringCall,
  kImmutableUntilTransferCompletes,
  kImmutableZeroCopy,
  kMutableZeroCopy,
};

struct MemoryLayout {
  enum Type : int { Tiled, Strides };
  struct TiledLayout {
    size_t struct_size;
    Extension *extension_start;
    const int64_t *minor_to_major;
    size_t minor_to_major_size;
    const int64_t *tile_dims;
    const size_t *tile_dim_sizes;
    size_t num_tiles;
  };
  struct StridesLayout {
    size_t struct_size;
    Extension *extension_start;
    const int64_t *byte_strides;
    size_t num_byte_strides;
  };
  size_t struct_size;
  Extension *extension_start;
  union {
    TiledLayout tiled;
    StridesLayout strides;
  };
  Type type;
};

struct Program {
  size_t struct_size;
  Extension *extension_start;
  char *code;
  size_t code_size;
  const char *format; ///< "mlir": bytecode, usually a portable artifact
  size_t format_size;
};

struct ExecuteOptions {
  size_t struct_size;
  Extension *extension_start;
  void **send_callbacks, **recv_callbacks;
  size_t num_send_ops, num_recv_ops;
  int launch_id;
  const int64_t *non_donatable_input_indices;
  size_t num_non_donatable_input_indices;
  struct ExecuteContext *context;
  const char *call_location;
  size_t num_tasks;
  int *task_ids;
  int64_t *incarnation_ids;
};

// The plugin's own objects (Objects.h), opaque to the caller.
struct Error;
struct Event;
struct Client;
struct Device;
struct DeviceDescription;
struct Memory;
struct TopologyDescription;
struct Executable;
struct LoadedExecutable;
struct Buffer;
struct ExecuteContext;
struct SerializedExecutable;
struct SerializedTopology;
struct SerializedCompileOptions;
struct DeviceAssignmentSerialized;
// Arguments of functions that the plugin does not have.
struct CopyToDeviceStream;
struct Chunk;
struct AsyncHostToDeviceTransferManager;
struct AsyncTrackingEvent;
struct FulfillAliasBufferCallback;
struct ProcessInfo;
struct ShapeSpec;

/// Receives an error, which it must destroy, or null.
using EventCallback = void (*)(Error *error, void *user_arg);
/// A key-value store shared by several hosts, which a single host does not
/// need.
using KeyValueGetCallback = void *;
using KeyValuePutCallback = void *;
using KeyValueTryGetCallback = void *;

/// The arguments of each function; the same structure holds its results.
namespace args {
#define CALL(NAME, ...)                                                        \
  struct NAME {                                                                \
    size_t struct_size;                                                        \
    Extension *extension_start;                                                \
    __VA_ARGS__;                                                               \
  };
#define ABSENT CALL
#include "assay/pjrt_abi/Calls.def"
#undef ABSENT
#undef CALL
} // namespace args

/// The table of functions. ErrorDestroy and ErrorMessage return nothing.
struct Api {
  size_t struct_size;
  Extension *extension_start;
  ApiVersion pjrt_api_version;
#define CALL(NAME, ...) Error *(*NAME)(args::NAME *);
#define ABSENT CALL
#include "assay/pjrt_abi/Calls.def"
#undef ABSENT
#undef CALL
};

} // namespace assay::pjrt
