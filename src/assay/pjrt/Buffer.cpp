// Buffers: tensors that the framework holds. Their bytes are readable by the
// host, with one byte per element narrower than a byte, as in JAX, so that
// NumPy can use them without a copy.
#include "Answers.h"
#include "Objects.h"

#include <cstring>

namespace assay::pjrt {

static void note(std::atomic<int64_t> &most, int64_t value) {
  int64_t seen = most;
  while (value > seen && !most.compare_exchange_weak(seen, value)) {
  }
}

Buffer::Buffer(tensor::Tensor tensor, Memory *memory, Layout layout)
    : memory(memory), type(tensor.type()), layout(std::move(layout)),
      tensor_(std::move(tensor)) {
  int64_t size = tensor_.denseBytes();
  Device *device = memory->device;
  note(device->peakBytes, device->bytes += size);
  note(device->largest, size);
  ++device->buffers;
}

Buffer::~Buffer() { take(); }

tensor::Tensor Buffer::take() {
  std::lock_guard<std::mutex> lock(mutex_);
  deleted = true;
  if (tensor_.valid())
    memory->device->bytes -= tensor_.denseBytes();
  return std::exchange(tensor_, {});
}

tensor::Tensor Buffer::tensor() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return tensor_;
}

bool Buffer::hold() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!tensor_.valid())
    return false;
  held_ = tensor_;
  ++holders_;
  return true;
}

void Buffer::release() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (holders_ > 0 && --holders_ == 0)
    held_ = {};
}

llvm::Expected<tensor::Tensor> Buffer::rowMajorTensor() const {
  return reordered(tensor(), layout, rowMajor(layout.size()),
                   memory->device->client->budget);
}

static Error *deletedError() {
  return fail(kInvalidArgument, "the buffer has been deleted or donated");
}

static llvm::Expected<tensor::TensorType>
typeOf(BufferType code, const int64_t *dims, size_t count) {
  std::optional<numerics::ElementType> element = elementTypeOf(code);
  if (!element)
    return makeError(assay::ErrorCode::Unsupported,
                     "the plugin assay has no element type {0} of PJRT",
                     static_cast<int>(code));
  return tensor::TensorType{*element, tensor::Shape(dims, dims + count)};
}

static Memory *memoryOf(Client *client, Device *device, Memory *memory) {
  if (memory)
    return memory;
  return (device ? device : client->devices.front())->memories.front();
}

/// A view of the caller's dense bytes, which do not change until `whenFree`
/// completes. Null if they have to be copied.
static std::shared_ptr<tensor::Buffer>
viewOf(const args::ClientBufferFromHostBuffer &a, int64_t bytes,
       std::shared_ptr<Completion> &whenFree) {
  constexpr uintptr_t kAlignment = 64;
  if (a.host_buffer_semantics != kImmutableZeroCopy ||
      reinterpret_cast<uintptr_t>(a.data) % kAlignment != 0 || bytes == 0)
    return nullptr;
  auto completion = std::make_shared<Completion>();
  whenFree = completion;
  return tensor::Buffer::view(
      a.data, bytes,
      std::shared_ptr<const void>(a.data, [completion](const void *) {
        completion->set(std::nullopt);
      }));
}

/// The caller's elements in this layout; a view where they already have it.
static llvm::Expected<tensor::Tensor>
takeBytes(const args::ClientBufferFromHostBuffer &a,
          const tensor::TensorType &type, const Layout &layout,
          std::shared_ptr<Completion> &whenFree) {
  auto elementBytes = type.element.storageBytes();
  tensor::Shape strides = tensor::rowMajorStrides(type.shape),
                dense = stridesOf(type.shape, layout);
  bool isDense = true;
  for (size_t d = 0; d < strides.size(); ++d) {
    strides[d] = a.byte_strides && a.num_byte_strides == strides.size()
                     ? a.byte_strides[d]
                     : strides[d] * elementBytes;
    isDense &= type.shape[d] <= 1 || strides[d] == dense[d] * elementBytes;
  }
  llvm::Expected<int64_t> count = tensor::elementCount(type.shape);
  if (!count)
    return count.takeError();
  std::shared_ptr<tensor::Buffer> view =
      isDense ? viewOf(a, *count * elementBytes, whenFree) : nullptr;
  if (view)
    return tensor::Tensor::fromBuffer(type, view);
  auto made = tensor::Tensor::allocate(type, a.client->budget);
  if (!made || *count == 0)
    return made;
  if (isDense)
    std::memcpy(made->mutableBytes(), a.data,
                static_cast<size_t>(*count * elementBytes));
  else
    gather(made->mutableBytes(), static_cast<const std::byte *>(a.data),
           static_cast<size_t>(elementBytes), type.shape, strides, layout);
  return made;
}

Error *answer(args::ClientBufferFromHostBuffer *a) {
  llvm::Expected<tensor::TensorType> type =
      typeOf(a->type, a->dims, a->num_dims);
  if (!type)
    return fail(type.takeError());
  llvm::Expected<Layout> layout = layoutOf(a->device_layout, a->num_dims);
  if (!layout)
    return fail(layout.takeError());
  std::shared_ptr<Completion> whenFree = Completion::done();
  auto made = takeBytes(*a, *type, *layout, whenFree);
  if (!made)
    return fail(made.takeError());
  a->buffer =
      new Buffer(std::move(*made), memoryOf(a->client, a->device, a->memory),
                 std::move(*layout));
  a->done_with_host_buffer = new Event{std::move(whenFree)};
  return nullptr;
}

Error *answer(args::ClientCreateUninitializedBuffer *a) {
  llvm::Expected<tensor::TensorType> type =
      typeOf(a->shape_element_type, a->shape_dims, a->shape_num_dims);
  if (!type)
    return fail(type.takeError());
  llvm::Expected<Layout> layout = layoutOf(a->shape_layout, a->shape_num_dims);
  if (!layout)
    return fail(layout.takeError());
  auto made = tensor::Tensor::allocate(*type, a->client->budget);
  if (!made)
    return fail(made.takeError());
  // Memory may contain earlier data of the process, which must not be exposed.
  std::memset(made->mutableBytes(), 0, static_cast<size_t>(made->denseBytes()));
  a->buffer =
      new Buffer(std::move(*made), memoryOf(a->client, a->device, a->memory),
                 std::move(*layout));
  return nullptr;
}

Error *answer(args::ClientCreateErrorBuffer *a) {
  return fail(a->error_code,
              llvm::StringRef(a->error_message, a->error_message_size));
}

Error *answer(args::BufferDestroy *a) {
  delete a->buffer;
  return nullptr;
}

Error *answer(args::BufferElementType *a) {
  a->type = bufferTypeOf(a->buffer->type.element);
  return nullptr;
}

Error *answer(args::BufferDimensions *a) {
  a->dims = a->buffer->type.shape.data();
  a->num_dims = a->buffer->type.shape.size();
  return nullptr;
}

Error *answer(args::BufferUnpaddedDimensions *a) {
  a->unpadded_dims = a->buffer->type.shape.data();
  a->num_dims = a->buffer->type.shape.size();
  return nullptr;
}

Error *answer(args::BufferDynamicDimensionIndices *a) {
  a->dynamic_dim_indices = nullptr;
  a->num_dynamic_dims = 0;
  return nullptr;
}

Error *answer(args::BufferGetMemoryLayout *a) {
  a->layout = {};
  a->layout.struct_size = sizeof(MemoryLayout);
  a->layout.type = MemoryLayout::Tiled;
  a->layout.tiled.struct_size = sizeof(MemoryLayout::TiledLayout);
  a->layout.tiled.minor_to_major = a->buffer->layout.data();
  a->layout.tiled.minor_to_major_size = a->buffer->layout.size();
  return nullptr;
}

Error *answer(args::BufferOnDeviceSizeInBytes *a) {
  tensor::Tensor tensor = a->buffer->tensor();
  a->on_device_size_in_bytes =
      tensor.valid() ? static_cast<size_t>(tensor.denseBytes()) : 0;
  return nullptr;
}

Error *answer(args::BufferDevice *a) {
  a->device = a->buffer->memory->device;
  return nullptr;
}

Error *answer(args::BufferMemory *a) {
  a->memory = a->buffer->memory;
  return nullptr;
}

Error *answer(args::BufferDelete *a) {
  a->buffer->take();
  return nullptr;
}

Error *answer(args::BufferIsDeleted *a) {
  a->is_deleted = a->buffer->deleted;
  return nullptr;
}

static Error *copyTo(Buffer *buffer, Memory *memory, Buffer *&out) {
  tensor::Tensor tensor = buffer->tensor();
  if (!tensor.valid())
    return deletedError();
  // the copy shares the bytes, because tensors are immutable
  out = new Buffer(std::move(tensor), memory, buffer->layout);
  return nullptr;
}

Error *answer(args::BufferCopyToDevice *a) {
  return copyTo(a->buffer, a->dst_device->memories.front(), a->dst_buffer);
}

Error *answer(args::BufferCopyToMemory *a) {
  return copyTo(a->buffer, a->dst_memory, a->dst_buffer);
}

Error *answer(args::BufferToHostBuffer *a) {
  tensor::Tensor tensor = a->src->tensor();
  if (!tensor.valid())
    return deletedError();
  auto size = static_cast<size_t>(tensor.denseBytes());
  if (!a->dst) {
    a->dst_size = size;
    return nullptr;
  }
  if (a->dst_size < size)
    return fail(kInvalidArgument,
                "the host buffer has " + llvm::Twine(a->dst_size) +
                    " bytes, the tensor " + llvm::Twine(size));
  const Layout &lies = a->src->layout;
  llvm::Expected<Layout> asked = layoutOf(a->host_layout, lies.size());
  if (!asked)
    return fail(asked.takeError());
  copyBytes(static_cast<std::byte *>(a->dst), tensor, lies,
            a->host_layout ? *asked : lies);
  a->event = readyEvent();
  return nullptr;
}

Error *answer(args::BufferCopyRawToHost *a) {
  tensor::Tensor tensor = a->buffer->tensor();
  if (!tensor.valid())
    return deletedError();
  if (a->offset < 0 || a->transfer_size < 0 ||
      a->offset > tensor.denseBytes() - a->transfer_size)
    return fail(kInvalidArgument,
                "bytes " + llvm::Twine(a->offset) + " to " +
                    llvm::Twine(a->offset + a->transfer_size) +
                    " are not in a tensor of " +
                    llvm::Twine(tensor.denseBytes()));
  std::memcpy(a->dst, tensor.bytes() + a->offset,
              static_cast<size_t>(a->transfer_size));
  a->event = readyEvent();
  return nullptr;
}

// True: JAX reads the bytes in place, as row-major. False: it asks for a copy.
Error *answer(args::BufferIsOnCpu *a) {
  a->is_on_cpu = isRowMajor(a->buffer->layout);
  return nullptr;
}

Error *answer(args::BufferReadyEvent *a) {
  a->event = readyEvent();
  return nullptr;
}

static Error *addressOf(Buffer *buffer, const std::byte *&address) {
  tensor::Tensor tensor = buffer->tensor();
  if (!tensor.valid())
    return deletedError();
  address = tensor.bytes();
  return nullptr;
}

Error *answer(args::BufferUnsafePointer *a) {
  const std::byte *address = nullptr;
  Error *error = addressOf(a->buffer, address);
  a->buffer_pointer = reinterpret_cast<uintptr_t>(address);
  return error;
}

Error *answer(args::BufferOpaqueDeviceMemoryDataPointer *a) {
  const std::byte *address = nullptr;
  Error *error = addressOf(a->buffer, address);
  a->device_memory_ptr = const_cast<std::byte *>(address);
  return error;
}

// A view of the bytes keeps the tensor alive, which deletion would otherwise
// free.
Error *answer(args::BufferIncreaseExternalReferenceCount *a) {
  return a->buffer->hold() ? nullptr : deletedError();
}

Error *answer(args::BufferDecreaseExternalReferenceCount *a) {
  a->buffer->release();
  return nullptr;
}

} // namespace assay::pjrt
