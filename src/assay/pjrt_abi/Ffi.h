/// XLA's FFI as Assay's own structures, which a C function that a program calls
/// (jax.ffi) and the runner of the program exchange. Every structure begins
/// with its size. Fields and functions have the names of the interface, without
/// its prefix. Source: facts of openxla's FFI C API, versions 0.3 to 0.5. Later
/// versions only add: fields at the end of arguments, functions at the end of
/// the table, and a stage for command buffers, which CPUs do not have.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::ffi {

inline constexpr int kMajor = 0, kMinor = 5;

struct Extension {
  size_t struct_size;
  int type;
  Extension *next;
};

/// A status code of absl with its message; allocated and freed on this side.
struct Error;
struct ExecutionContext;
struct Future;
struct Api;

struct ApiVersion {
  size_t struct_size;
  Extension *extension_start;
  int major_version, minor_version;
};

struct ByteSpan {
  const char *ptr;
  size_t len;
};
struct Buffer {
  size_t struct_size;
  Extension *extension_start;
  int dtype;
  void *data;
  int64_t rank;
  int64_t *dims;
};
struct Scalar {
  int dtype;
  void *value;
};
struct Array {
  int dtype;
  size_t size;
  void *data;
};

enum AttrType : int { kArray = 1, kDictionary = 2, kScalar = 3, kString = 4 };
enum Stage : int { kInstantiate = 0, kPrepare = 1, kInitialize = 2, kExecute = 3 };
inline constexpr int kBuffer = 1; ///< the only type of arguments and results

struct Args {
  size_t struct_size;
  Extension *extension_start;
  int64_t size;
  int *types;
  void **args;
};
struct Attrs {
  size_t struct_size;
  Extension *extension_start;
  int64_t size;
  AttrType *types;
  ByteSpan **names;
  void **attrs;
};
struct CallFrame {
  size_t struct_size;
  Extension *extension_start;
  const Api *api;
  ExecutionContext *ctx;
  Stage stage;
  Args args, rets;
  Attrs attrs;
  Future *future; ///< set by a function that continues asynchronously
};
/// The size stored in a frame: in the interface it does not include the last
/// field.
inline constexpr size_t kCallFrameSize = offsetof(CallFrame, future);
using Handler = Error *(CallFrame *);

/// Asks a handler which version it was built for, in place of a call.
struct Metadata {
  size_t struct_size;
  ApiVersion api_version;
  uint32_t traits;
  int64_t state_type_id;
};
inline constexpr size_t kMetadataSize =
    offsetof(Metadata, traits) + sizeof(uint32_t); ///< as in the interface
struct MetadataExtension {
  static constexpr int kType = 1;
  Extension base;
  Metadata *metadata;
};

/// Declares the arguments of a function of the table. The fields may contain
/// commas.
#define ASSAY_FFI_ARGS(NAME, ...)                                              \
  struct NAME##Args {                                                          \
    size_t struct_size;                                                        \
    Extension *extension_start;                                                \
    __VA_ARGS__;                                                               \
  };
ASSAY_FFI_ARGS(ErrorCreate, const char *message; int errc)
ASSAY_FFI_ARGS(ErrorGetDetails, Error *error; const char *message; int errc)
ASSAY_FFI_ARGS(ErrorDestroy, Error *error)
ASSAY_FFI_ARGS(TypeRegister, ByteSpan name; int64_t *type_id; const void *type_info)
ASSAY_FFI_ARGS(State, ExecutionContext *ctx; Stage stage; int64_t *type_id; void *state)
ASSAY_FFI_ARGS(Allocate, ExecutionContext *ctx; size_t size; size_t alignment; void *data)
ASSAY_FFI_ARGS(Free, ExecutionContext *ctx; size_t size; void *data)
ASSAY_FFI_ARGS(Schedule, ExecutionContext *ctx; void (*task)(void *); void *data)
ASSAY_FFI_ARGS(NumThreads, ExecutionContext *ctx; int64_t *num_threads)
ASSAY_FFI_ARGS(FutureCreate, Future *future)
ASSAY_FFI_ARGS(FutureSetError, Future *future; Error *error)
ASSAY_FFI_ARGS(RunId, ExecutionContext *ctx; int64_t run_id)
ASSAY_FFI_ARGS(DeviceOrdinal, ExecutionContext *ctx; int32_t device_ordinal)
ASSAY_FFI_ARGS(FindExtension, ExecutionContext *ctx; int64_t extension_type; const void *extension)
ASSAY_FFI_ARGS(CustomOptions, ExecutionContext *ctx; const Attrs *attrs)
/// The arguments of functions that CPUs do not have.
ASSAY_FFI_ARGS(Absent, void *first)
#undef ASSAY_FFI_ARGS
using FutureSetAvailableArgs = FutureCreateArgs;

struct Api {
  size_t struct_size;
  Extension *extension_start;
  ApiVersion api_version;
  const void *internal_api;
  Error *(*Error_Create)(ErrorCreateArgs *);
  void (*Error_GetDetails)(ErrorGetDetailsArgs *); ///< 0.3: without the code
  void (*Error_Destroy)(ErrorDestroyArgs *);
  Error *(*Handler_Register)(AbsentArgs *);
  Error *(*Stream_Get)(AbsentArgs *);
  Error *(*Type_Register)(TypeRegisterArgs *);
  Error *(*ExecutionContext_Get)(AbsentArgs *);
  Error *(*State_Set)(StateArgs *);
  Error *(*State_Get)(StateArgs *);
  Error *(*DeviceMemory_Allocate)(AllocateArgs *);
  Error *(*DeviceMemory_Free)(FreeArgs *);
  Error *(*ThreadPool_Schedule)(ScheduleArgs *);
  Error *(*ThreadPool_NumThreads)(NumThreadsArgs *);
  Error *(*Future_Create)(FutureCreateArgs *);
  Error *(*Future_SetAvailable)(FutureSetAvailableArgs *);
  Error *(*Future_SetError)(FutureSetErrorArgs *);
  Error *(*RunId_Get)(RunIdArgs *);
  Error *(*DeviceOrdinal_Get)(DeviceOrdinalArgs *);
  Error *(*InvokeContext_FindExtension)(FindExtensionArgs *);
  Error *(*CustomOptions_Get)(CustomOptionsArgs *);
};

} // namespace assay::ffi
