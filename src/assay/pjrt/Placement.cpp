// A sharding gives, for each dimension, the mesh axes that divide it. A device
// has a place in the mesh; its coordinates along these axes determine which
// part it has.
#include "Placement.h"
#include "OwnValues.h"

#include "assay/dialect/Sdy.h"
#include "assay/program/Expansions.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <map>

namespace assay::pjrt {

using tensor::Shape;
using tensor::Tensor;

/// The start of each device's part.
static llvm::Expected<std::vector<Shape>>
startsOf(const program::ValueSharding &sharding, const Shape &whole,
         Shape &part, int64_t devices) {
  const program::Mesh &mesh = sharding.mesh;
  Shape parts(whole.size(), 1);
  for (size_t d = 0; d < sharding.dimensions.size() && d < whole.size(); ++d)
    for (const std::string &axis : sharding.dimensions[d])
      if (const program::Mesh::Axis *known = mesh.find(axis))
        parts[d] *= known->size;
  for (size_t d = 0; d < whole.size(); ++d) {
    if (whole[d] % parts[d] != 0)
      return makeError(assay::ErrorCode::InvalidArgument,
                       "dimension {0} of size {1} is not divided by {2} parts",
                       d, whole[d], parts[d]);
    part[d] = whole[d] / parts[d];
  }
  if (llvm::all_of(parts, [](int64_t count) { return count == 1; }))
    return std::vector<Shape>();
  if (mesh.size() != devices)
    return makeError(assay::ErrorCode::Unsupported,
                     "a value lies on a mesh of {0} devices, the program is "
                     "for {1}",
                     mesh.size(), devices);
  std::vector<Shape> starts(static_cast<size_t>(devices),
                            Shape(whole.size(), 0));
  for (int64_t place = 0; place < mesh.size(); ++place) {
    int64_t device = mesh.devices[static_cast<size_t>(place)];
    if (device >= devices)
      return makeError(assay::ErrorCode::InvalidArgument,
                       "a mesh names device {0} of {1}", device, devices);
    for (size_t d = 0; d < whole.size(); ++d) {
      int64_t index = 0;
      for (const std::string &axis : sharding.dimensions[d])
        if (const program::Mesh::Axis *known = mesh.find(axis))
          index = index * known->size + mesh.coordinate(place, axis);
      starts[static_cast<size_t>(device)][d] = index * part[d];
    }
  }
  return starts;
}

llvm::Expected<Placement> Placement::read(mlir::Operation *function,
                                          mlir::DictionaryAttr attributes,
                                          const tensor::TensorType &whole,
                                          int64_t devices) {
  Placement made;
  made.whole_ = made.part_ = whole;
  made.devices_ = devices;
  if (!attributes)
    return made;
  made.isSum_ = attributes.get(program::kSumAttribute) != nullptr;
  made.isOwn_ = attributes.get(kOwnAttribute) != nullptr;
  if (auto text = attributes.getAs<sdy::SdyTextAttr>("sdy.sharding")) {
    llvm::Expected<program::ValueSharding> sharding =
        program::parseSharding(text.getText(), function);
    if (!sharding)
      return sharding.takeError();
    if (llvm::Error error =
            startsOf(*sharding, whole.shape, made.part_.shape, devices)
                .moveInto(made.starts_))
      return error;
    return made;
  }
  if (auto text = attributes.getAs<mlir::StringAttr>("mhlo.sharding"))
    if (text.getValue() != "{replicated}" && devices > 1)
      return makeError(assay::ErrorCode::Unsupported,
                       "the sharding {0} is in GSPMD's form; Shardy's are "
                       "read (jax_use_shardy_partitioner)",
                       text.getValue());
  return made;
}

Placement Placement::of(const Cut &cut, const tensor::TensorType &whole,
                        int64_t devices) {
  Placement made;
  made.whole_ = made.part_ = whole;
  made.devices_ = devices;
  if (!cut.mesh)
    return made;
  Shape part = whole.shape;
  llvm::Expected<std::vector<Shape>> starts = startsOf(
      {*cut.mesh, cut.dimensions, {}, {}}, whole.shape, part, devices);
  if (!starts) {
    llvm::consumeError(starts.takeError());
    return made;
  }
  made.starts_ = std::move(*starts);
  made.part_.shape = part;
  return made;
}

tensor::TensorType Placement::part() const {
  tensor::TensorType type = part_;
  if (isSum_ || isOwn_)
    type.shape.erase(type.shape.begin());
  return type;
}

bool Placement::differ(llvm::ArrayRef<Tensor> parts) const {
  std::map<std::vector<int64_t>, const Tensor *> first;
  for (auto [part, start] : llvm::zip(parts, starts_)) {
    const Tensor *&other =
        first[std::vector<int64_t>(start.begin() + 1, start.end())];
    if (other && std::memcmp(other->bytes(), part.bytes(),
                             static_cast<size_t>(part.denseBytes())) != 0)
      return true;
    other = &part;
  }
  return false;
}

/// Copies a box between a whole tensor and a dense part, row by row.
static void
copyBox(const tensor::TensorType &whole, const Shape &part,
        llvm::ArrayRef<int64_t> start,
        llvm::function_ref<void(size_t inWhole, size_t inPart, size_t bytes)>
            copy) {
  auto elementBytes = static_cast<size_t>(whole.element.storageBytes());
  Shape strides = tensor::rowMajorStrides(whole.shape);
  size_t rank = part.size();
  int64_t rows = 1, row = part[rank - 1];
  for (size_t d = 0; d + 1 < rank; ++d)
    rows *= part[d];
  for (int64_t r = 0; r < rows; ++r) {
    int64_t rest = r, offset = start[rank - 1];
    for (size_t d = rank - 1; d-- > 0; rest /= part[d])
      offset += (start[d] + rest % part[d]) * strides[d];
    copy(static_cast<size_t>(offset) * elementBytes,
         static_cast<size_t>(r * row) * elementBytes,
         static_cast<size_t>(row) * elementBytes);
  }
}

llvm::Expected<Tensor>
Placement::join(llvm::ArrayRef<Tensor> parts,
                const std::shared_ptr<MemoryBudget> &budget) const {
  if (isReplicated())
    return parts.front();
  llvm::Expected<Tensor> made = Tensor::allocate(whole_, budget);
  if (!made || made->size() == 0)
    return made;
  std::byte *out = made->mutableBytes();
  for (size_t device = 0; device < parts.size(); ++device)
    copyBox(whole_, part_.shape, starts_[device],
            [&](size_t inWhole, size_t inPart, size_t bytes) {
              std::memcpy(out + inWhole, parts[device].bytes() + inPart, bytes);
            });
  return made;
}

llvm::Expected<std::vector<Tensor>>
Placement::cut(const Tensor &whole,
               const std::shared_ptr<MemoryBudget> &budget) const {
  std::vector<Tensor> parts;
  std::map<std::vector<int64_t>, Tensor> made; // devices with the same part
                                               // share it
  for (int64_t device = 0; device < devices_; ++device) {
    if (isReplicated()) {
      parts.push_back(whole);
      continue;
    }
    const Shape &start = starts_[static_cast<size_t>(device)];
    Tensor &part = made[std::vector<int64_t>(start.begin(), start.end())];
    if (!part.valid()) {
      if (llvm::Error error = Tensor::allocate(this->part(), budget).moveInto(part))
        return error;
      if (part.size() > 0) {
        std::byte *out = part.mutableBytes();
        copyBox(whole_, part_.shape, start,
                [&](size_t inWhole, size_t inPart, size_t bytes) {
                  std::memcpy(out + inPart, whole.bytes() + inWhole, bytes);
                });
      }
    }
    parts.push_back(part);
  }
  return parts;
}

std::string Placement::text() const {
  if (isReplicated())
    return "{replicated}";
  // Devices in the order of their parts, then of the terms of a sum; devices
  // with the same part are adjacent.
  std::map<std::vector<int64_t>, std::vector<int64_t>> byStart;
  for (int64_t device = 0; device < devices_; ++device) {
    const Shape &start = starts_[static_cast<size_t>(device)];
    std::vector<int64_t> key(start.begin(), start.end());
    if (isSum_)
      std::rotate(key.begin(), key.begin() + 1, key.end());
    if (isOwn_)
      key.erase(key.begin());
    byStart[key].push_back(device);
  }
  auto copies = devices_ / static_cast<int64_t>(byStart.size());
  std::vector<int64_t> tiles;
  for (size_t d = 0; d < part_.shape.size(); ++d)
    tiles.push_back(part_.shape[d] ? whole_.shape[d] / part_.shape[d] : 1);
  if (isSum_)
    std::rotate(tiles.begin(), tiles.begin() + 1, tiles.end());
  if (isOwn_)
    tiles.erase(tiles.begin());
  if (isOwn_ && byStart.size() == 1)
    return "{replicated}";
  if (copies > 1)
    tiles.push_back(copies);
  std::vector<int64_t> ids;
  for (const auto &[start, devices] : byStart)
    llvm::append_range(ids, devices);
  auto joined = [](const std::vector<int64_t> &numbers) {
    return llvm::join(
        llvm::map_range(numbers, [](int64_t n) { return std::to_string(n); }),
        ",");
  };
  std::string text = "{devices=[" + joined(tiles) + "]" + joined(ids);
  if (isSum_)
    return text + (copies > 1 ? " last_tile_dims={unreduced, replicated}}"
                              : " last_tile_dims={unreduced}}");
  return text + (copies > 1 ? " last_tile_dim_replicate}" : "}");
}

} // namespace assay::pjrt
