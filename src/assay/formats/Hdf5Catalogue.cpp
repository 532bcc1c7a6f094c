// Builds the catalogue of an HDF5 file. One walk over groups and datasets notes
// type, shape, offset and attributes, so that later code works on plain records
// and reads data by offset. Hard links appear as datasets with equal object
// addresses. Groups that were already visited are not entered again, so that
// cycles of links end.
#include "assay/formats/Hdf5Catalogue.h"
#include "assay/formats/Hdf5Types.h"

#include <algorithm>
#include <set>

namespace assay::formats::hdf5 {

static constexpr int kMaxDepth = 64;
static constexpr size_t kMaxTextBytes = 1 << 20;

static std::optional<std::string> readText(hid_t attribute, hid_t type) {
  if (H5Tis_variable_str(type) > 0) {
    char *text = nullptr;
    Handle memory(H5Tcopy(H5T_C_S1));
    H5Tset_size(memory, H5T_VARIABLE);
    H5Tset_cset(memory, H5Tget_cset(type));
    if (H5Aread(attribute, memory, &text) < 0 || !text)
      return std::nullopt;
    std::string result = text;
    H5free_memory(text);
    return result;
  }
  size_t bytes = H5Tget_size(type);
  if (bytes > kMaxTextBytes)
    return std::nullopt;
  std::string result(bytes, '\0');
  if (H5Aread(attribute, type, result.data()) < 0)
    return std::nullopt;
  result.resize(std::min(result.find('\0'), result.size()));
  return result;
}

static herr_t addAttribute(hid_t object, const char *name, const H5A_info_t *,
                           void *out) {
  Handle attribute(H5Aopen(object, name, H5P_DEFAULT));
  Handle type(H5Aget_type(attribute)), space(H5Aget_space(attribute));
  if (!attribute.valid() || !type.valid() ||
      H5Sget_simple_extent_npoints(space) != 1)
    return 0;
  auto &attributes = *static_cast<Attributes *>(out);
  if (H5Tget_class(type) == H5T_STRING) {
    if (std::optional<std::string> text = readText(attribute, type))
      attributes.emplace_back(name, std::move(*text));
  } else if (H5Tget_class(type) == H5T_INTEGER) {
    long long value = 0;
    if (H5Aread(attribute, H5T_NATIVE_LLONG, &value) >= 0)
      attributes.emplace_back(name, std::to_string(value));
  }
  return 0;
}

Attributes readAttributes(hid_t object) {
  Attributes result;
  hsize_t at = 0;
  H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, addAttribute, &result);
  return result;
}

bool writeAttribute(hid_t object, const std::string &name,
                    const std::string &value) {
  // A string of variable length, which h5py returns as str.
  Handle type(H5Tcopy(H5T_C_S1)), space(H5Screate(H5S_SCALAR));
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  Handle attribute(
      H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT));
  const char *text = value.c_str();
  return attribute.valid() && H5Awrite(attribute, type, &text) >= 0;
}

static void describeStorage(hid_t dataset, Hdf5Dataset &out) {
  // Undefined unless the data are contiguous and in this file.
  haddr_t offset = H5Dget_offset(dataset);
  if (offset == HADDR_UNDEF || out.sizeBytes == 0)
    return;
  if (H5Dget_storage_size(dataset) != static_cast<hsize_t>(out.sizeBytes))
    out.unsupported =
        "its storage does not have the size of its shape: the file is damaged";
  out.offset = static_cast<int64_t>(offset);
}

static void applyAttributes(hid_t dataset, const H5O_info_t &info,
                            Hdf5Dataset &out) {
  for (auto &[name, value] :
       info.num_attrs > 0 ? readAttributes(dataset) : Attributes()) {
    if (name == "hash") {
      out.hash = value;
      continue;
    }
    if (name != "dtype") {
      out.attributes.emplace_back(name, value);
      continue;
    }
    std::optional<ElementType> named = elementFromName(value);
    if (named && named->storageBytes() == out.type.element.storageBytes()) {
      out.type.element = *named;
      out.opaque = false;
    }
  }
  // h5py writes ml_dtypes.bfloat16 as two raw bytes.
  if (out.opaque && out.type.element.bits == 16) {
    out.type.element = ElementType::floating(numerics::FloatFormat::BF16);
    out.opaque = false;
  }
}

static Hdf5Dataset describe(hid_t dataset, std::string path,
                            const H5O_info_t &info) {
  Hdf5Dataset result;
  result.path = std::move(path);
  Handle type(H5Dget_type(dataset)), space(H5Dget_space(dataset));
  llvm::Expected<StoredElement> element = elementOf(type);
  if (!element) {
    result.unsupported = takeError(element.takeError()).message;
    return result;
  }
  result.type.element = element->type;
  result.opaque = element->opaque;
  result.swapBytes = element->swapBytes;
  int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0 || H5Sget_simple_extent_type(space) == H5S_NULL) {
    result.unsupported = "it has no data space";
    return result;
  }
  std::vector<hsize_t> dims(static_cast<size_t>(rank) + 1);
  H5Sget_simple_extent_dims(space, dims.data(), nullptr);
  for (int i = 0; i < rank; ++i)
    result.type.shape.push_back(
        static_cast<int64_t>(dims[static_cast<size_t>(i)]));
  llvm::Expected<int64_t> bytes = byteCount(result.type);
  if (!bytes) {
    result.unsupported = takeError(bytes.takeError()).message;
    return result;
  }
  result.sizeBytes = *bytes;
  applyAttributes(dataset, info, result);
  describeStorage(dataset, result);
  return result;
}

namespace {
struct Walk {
  std::vector<Hdf5Dataset> datasets;
  std::set<uint64_t> groups; // values from a damaged file; no DenseMap, which
                             // reserves some
  std::string failure;

  void group(hid_t id, const std::string &path, int depth);
  void member(hid_t id, const std::string &path, const std::string &name,
              int depth);
};

struct Member {
  std::string name;
  uint64_t address = 0;
};
} // namespace

static herr_t addMember(hid_t group, const char *name, const H5L_info_t *link,
                        void *out) {
  if (link->type != H5L_TYPE_EXTERNAL)
    static_cast<std::vector<Member> *>(out)->push_back(
        {name, link->type == H5L_TYPE_HARD ? link->u.address : 0});
  return 0;
}

void Walk::group(hid_t id, const std::string &path, int depth) {
  H5O_info_t info;
  if (depth > kMaxDepth || H5Oget_info2(id, &info, H5O_INFO_BASIC) < 0 ||
      !groups.insert(info.addr).second)
    return;
  Handle properties(H5Gget_create_plist(id));
  unsigned order = 0;
  H5Pget_link_creation_order(properties, &order);
  bool tracked = order & H5P_CRT_ORDER_TRACKED;
  std::vector<Member> members;
  hsize_t at = 0;
  if (H5Literate(id, tracked ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, H5_ITER_INC,
                 &at, addMember, &members) < 0)
    failure = "cannot list '" + path + "': " + lastError();
  if (!tracked)
    std::stable_sort(
        members.begin(), members.end(),
        [](const Member &a, const Member &b) { return a.address < b.address; });
  for (const Member &entry : members)
    member(id, path, entry.name, depth);
}

void Walk::member(hid_t id, const std::string &path, const std::string &name,
                  int depth) {
  std::string full = (path == "/" ? path : path + "/") + name;
  Handle object(H5Oopen(id, name.c_str(), H5P_DEFAULT));
  if (!object.valid()) {
    Hdf5Dataset broken;
    broken.path = full;
    broken.unsupported = "it cannot be opened: " + lastError();
    datasets.push_back(std::move(broken));
    return;
  }
  H5I_type_t kind = H5Iget_type(object);
  if (kind == H5I_GROUP)
    return group(object, full, depth + 1);
  H5O_info_t info;
  if (kind != H5I_DATASET ||
      H5Oget_info2(object, &info, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS) < 0)
    return;
  datasets.push_back(describe(object, std::move(full), info));
  datasets.back().object = info.addr;
}

llvm::Expected<std::vector<Hdf5Dataset>> listDatasets(hid_t file) {
  Walk walk;
  Handle root(H5Gopen2(file, "/", H5P_DEFAULT));
  walk.group(root, "/", 0);
  if (!walk.failure.empty())
    return makeError(ErrorCode::DataLoss, "{0}", walk.failure);
  return std::move(walk.datasets);
}

} // namespace assay::formats::hdf5
