// The part of protocol buffers' wire format that these fields need: a key
// (field number and kind), then a number of variable length, 4 or 8 bytes, or a
// length and that many bytes.
#include "CompileOptions.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay::pjrt {

namespace {
/// One field: a number, or the bytes of a message, string or packed list.
struct Field {
  uint64_t number = 0, value = 0;
  bool isBytes = false;
  llvm::StringRef bytes;
};
} // namespace

static llvm::Error damaged() {
  return makeError(assay::ErrorCode::DataLoss,
                   "the compile options are not a protocol buffer");
}

static bool readVarint(llvm::StringRef &in, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !in.empty(); shift += 7) {
    auto byte = static_cast<uint8_t>(in.front());
    in = in.drop_front();
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

static bool readField(llvm::StringRef &in, Field &field) {
  uint64_t key, size;
  if (!readVarint(in, key))
    return false;
  field = {};
  field.number = key >> 3;
  switch (key & 7) {
  case 0:
    return readVarint(in, field.value);
  case 1:
    size = 8;
    break;
  case 2:
    if (!readVarint(in, size))
      return false;
    field.isBytes = true;
    break;
  case 5:
    size = 4;
    break;
  default:
    return false;
  }
  if (size > in.size())
    return false;
  field.bytes = in.take_front(size);
  in = in.drop_front(size);
  return true;
}

static llvm::Error
eachField(llvm::StringRef in,
          llvm::function_ref<llvm::Error(const Field &)> take) {
  Field field;
  while (!in.empty()) {
    if (!readField(in, field))
      return damaged();
    if (llvm::Error error = take(field))
      return error;
  }
  return llvm::Error::success();
}

/// Appends the numbers of one field, which may be single or packed.
static llvm::Error takeNumbers(const Field &field,
                               std::vector<int64_t> &numbers) {
  if (!field.isBytes) {
    numbers.push_back(static_cast<int64_t>(field.value));
    return llvm::Error::success();
  }
  llvm::StringRef in = field.bytes;
  uint64_t value;
  while (!in.empty()) {
    if (!readVarint(in, value))
      return damaged();
    numbers.push_back(static_cast<int64_t>(value));
  }
  return llvm::Error::success();
}

// The message lists replicas by partition; the result lists partitions by
// replica.
static llvm::Error readAssignment(llvm::StringRef bytes,
                                  CompileOptions &options) {
  std::vector<std::vector<int64_t>> partitions;
  if (llvm::Error error =
          eachField(bytes, [&](const Field &field) -> llvm::Error {
            if (field.number != 3)
              return llvm::Error::success();
            partitions.emplace_back();
            return eachField(
                field.bytes, [&](const Field &inner) -> llvm::Error {
                  return inner.number == 1
                             ? takeNumbers(inner, partitions.back())
                             : llvm::Error::success();
                });
          }))
    return error;
  if (partitions.empty())
    return llvm::Error::success();
  for (size_t replica = 0; replica < partitions[0].size(); ++replica)
    for (const std::vector<int64_t> &replicas : partitions) {
      if (replicas.size() != partitions[0].size())
        return damaged();
      options.devices.push_back(replicas[replica]);
    }
  return llvm::Error::success();
}

static llvm::Error readBuild(llvm::StringRef bytes, CompileOptions &options) {
  return eachField(bytes, [&](const Field &field) -> llvm::Error {
    if (field.number == 9)
      return readAssignment(field.bytes, options);
    auto value = static_cast<int64_t>(field.value);
    if (field.number == 1)
      options.ordinal = value;
    else if (field.number == 4)
      options.replicas = value;
    else if (field.number == 5)
      options.partitions = value;
    return llvm::Error::success();
  });
}

llvm::Expected<CompileOptions> CompileOptions::read(llvm::StringRef bytes) {
  CompileOptions options;
  if (llvm::Error error =
          eachField(bytes, [&](const Field &field) -> llvm::Error {
            if (field.number == 3 && field.isBytes)
              return readBuild(field.bytes, options);
            if (field.number == 4)
              options.portable = field.value != 0;
            return llvm::Error::success();
          }))
    return error;
  constexpr int64_t kMost = 4096;
  if (options.replicas < 1 || options.partitions < 1 ||
      options.replicas > kMost || options.partitions > kMost)
    return damaged();
  return options;
}

} // namespace assay::pjrt
