/// The plugin's own objects, to which the pointers of the PJRT C API refer.
#pragma once

#include "Layout.h"
#include "Options.h"
#include "assay/engine/all/Engines.h"
#include "assay/pjrt_abi/Types.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

namespace assay::pjrt {

/// An error in the form of the interface.
struct Error {
  ErrorCode code;
  std::string message;
};
Error *fail(ErrorCode code, const llvm::Twine &message);
/// Converts an error of Assay, with its code.
Error *fail(llvm::Error error);

/// The completion of an asynchronous action, shared by its event and the thread
/// that performs it. Threads: any.
class Completion {
public:
  /// A completion that has already happened.
  static std::shared_ptr<Completion> done();
  bool isDone() const;
  /// Waits; returns the error that the action ended with, if any.
  std::optional<Error> wait();
  /// Calls `callback` on completion, at once if that has already happened.
  void onDone(std::function<void(const std::optional<Error> &)> callback);
  void set(std::optional<Error> error);

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::optional<Error> error_;
  std::vector<std::function<void(const std::optional<Error> &)>> callbacks_;
};

struct Event {
  std::shared_ptr<Completion> completion;
};
/// An event that has already happened.
Event *readyEvent();

struct DeviceDescription {
  int id;
  std::string text;
};

/// The kinds of memory that frameworks request. All are host memory; a buffer
/// keeps the kind that it was made with. The first one is a device's default.
inline constexpr llvm::StringLiteral kMemoryKinds[] = {"device", "pinned_host",
                                                       "unpinned_host"};

/// A memory of one virtual device.
struct Memory {
  int id, kind; ///< `kind` is an index into kMemoryKinds
  std::string text;
  Device *device;
};

struct Device {
  DeviceDescription description;
  Client *client;
  std::vector<Memory *> memories; ///< one of each kind
  std::atomic<int64_t> bytes{0}, peakBytes{0}, buffers{0}, largest{0};
};

struct TopologyDescription {
  std::vector<DeviceDescription *> descriptions;
};

struct Client {
  Options options;
  std::string platformVersion;
  std::vector<std::unique_ptr<Device>> owned;
  std::vector<std::unique_ptr<Memory>> ownedMemories;
  std::vector<Device *> devices;
  std::vector<Memory *> memories;
  TopologyDescription topology;
  std::unique_ptr<engine::Engine> engine;
  /// The memory budget of all buffers and runs.
  std::shared_ptr<MemoryBudget> budget;
  std::unique_ptr<ThreadPool> threads;
  std::mutex threadsMutex; ///< its holder runs on `threads`; other runs use
                           ///< only their own thread
};

/// A tensor on a device. The tensor is immutable, with its bytes in the order
/// of `layout`; a buffer that is deleted or donated has none.
struct Buffer {
  Buffer(tensor::Tensor tensor, Memory *memory, Layout layout);
  ~Buffer();
  /// Takes the tensor out, because the buffer is deleted or donated to a run.
  tensor::Tensor take();

  Memory *memory;
  tensor::TensorType type;
  Layout layout;
  std::atomic<bool> deleted{false};
  /// Other devices have different values, although the program declares them
  /// equal.
  bool isOwn = false;

  /// A copy of the handle; invalid when deleted.
  tensor::Tensor tensor() const;
  /// The tensor in row-major order, whatever the layout. Errors: ResourceLimit.
  llvm::Expected<tensor::Tensor> rowMajorTensor() const;
  /// Keeps the bytes for an external reader until release() is called as often
  /// as hold(), even if the buffer is deleted. False if it is already deleted.
  bool hold();
  void release();

private:
  mutable std::mutex mutex_;
  tensor::Tensor tensor_, held_;
  int64_t holders_ = 0;
};

} // namespace assay::pjrt
