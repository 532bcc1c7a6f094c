// Memory is host memory and threads are the caller's: a task that a handler
// schedules runs at once. There are no device streams or contexts.
#include "FfiTable.h"

#include <atomic>
#include <cstdlib>

namespace assay::ffi {

static constexpr int kUnimplemented = 12, kResourceExhausted = 8;

static Error *absent(AbsentArgs *) {
  return new Error{kUnimplemented,
                   "the platform assay has no such thing for a function in C"};
}

static Error *createError(ErrorCreateArgs *a) {
  return new Error{a->errc, a->message ? a->message : ""};
}
static void detailsOf(ErrorGetDetailsArgs *a) {
  a->message = a->error->message.c_str();
  if (a->struct_size >= offsetof(ErrorGetDetailsArgs, errc) + sizeof a->errc)
    a->errc = a->error->code;
}
static void destroyError(ErrorDestroyArgs *a) { delete a->error; }

static Error *registerType(TypeRegisterArgs *a) {
  static std::atomic<int64_t> next{1};
  if (*a->type_id == 0)
    *a->type_id = next++;
  return nullptr;
}

static Error *setState(StateArgs *a) {
  (*a->ctx->states)[a->stage] = a->state;
  return nullptr;
}
static Error *getState(StateArgs *a) {
  auto found = a->ctx->states->find(a->stage);
  a->state = found == a->ctx->states->end() ? nullptr : found->second;
  return nullptr;
}

static Error *allocate(AllocateArgs *a) {
  size_t alignment = std::max(a->alignment, sizeof(void *));
  if (::posix_memalign(&a->data, alignment, std::max<size_t>(a->size, 1)) == 0)
    return nullptr;
  return new Error{kResourceExhausted,
                   "no memory for " + std::to_string(a->size) + " bytes"};
}
static Error *release(FreeArgs *a) {
  std::free(a->data);
  return nullptr;
}

static Error *schedule(ScheduleArgs *a) {
  a->task(a->data);
  return nullptr;
}
static Error *countThreads(NumThreadsArgs *a) {
  *a->num_threads = 1;
  return nullptr;
}

static Error *createFuture(FutureCreateArgs *a) {
  a->future = new Future;
  return nullptr;
}
static void finish(Future &future, Error *error) {
  std::lock_guard<std::mutex> lock(future.mutex);
  future.done = true;
  future.error.reset(error);
  future.changed.notify_all();
}
static Error *setAvailable(FutureSetAvailableArgs *a) {
  finish(*a->future, nullptr);
  return nullptr;
}
static Error *setError(FutureSetErrorArgs *a) {
  finish(*a->future, a->error);
  return nullptr;
}

static Error *runId(RunIdArgs *a) {
  static std::atomic<int64_t> next{1};
  a->run_id = next++;
  return nullptr;
}
static Error *deviceOrdinal(DeviceOrdinalArgs *a) {
  a->device_ordinal = 0;
  return nullptr;
}

/// A call has neither extensions nor custom options.
static Error *findExtension(FindExtensionArgs *a) {
  a->extension = nullptr;
  return nullptr;
}
static Error *customOptions(CustomOptionsArgs *a) {
  static const Attrs none = {sizeof none, nullptr, 0, nullptr, nullptr, nullptr};
  a->attrs = &none;
  return nullptr;
}

const Api &table() {
  static const Api api = {
      sizeof(Api),  nullptr,      {sizeof(ApiVersion), nullptr, kMajor, kMinor},
      nullptr,      createError,  detailsOf,
      destroyError, absent,       absent,
      registerType, absent,       setState,
      getState,     allocate,     release,
      schedule,     countThreads, createFuture,
      setAvailable, setError,     runId,
      deviceOrdinal, findExtension, customOptions};
  return api;
}

} // namespace assay::ffi
