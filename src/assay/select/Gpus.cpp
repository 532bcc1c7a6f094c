// Finds the GPUs that plugins and Python kernels could use: through libcuda of
// NVIDIA's driver, loaded by name, or, where that is missing, from the list of
// the driver's kernel module. Assay itself computes on none of them.
#include "assay/select/Doctor.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <dlfcn.h>

using namespace assay;
using namespace assay::select;

namespace {
/// The few functions of libcuda that describe a device; they return 0 on
/// success.
struct Cuda {
  int (*init)(unsigned) = nullptr;
  int (*count)(int *) = nullptr;
  int (*name)(char *, int, int) = nullptr;
  int (*bytes)(size_t *, int) = nullptr;
  int (*attribute)(int *, int, int) = nullptr;

  bool load() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library && take(library, "cuInit", init) &&
           take(library, "cuDeviceGetCount", count) &&
           take(library, "cuDeviceGetName", name) &&
           take(library, "cuDeviceTotalMem_v2", bytes) &&
           take(library, "cuDeviceGetAttribute", attribute);
  }

private:
  template <typename Function>
  static bool take(void *library, const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function;
  }
};
} // namespace

/// Lists the devices through libcuda; sets `why` to the reason if there are
/// none.
static std::vector<Finding> cudaDevices(std::string &why) {
  constexpr int kMajor = 75, kMinor = 76; // attributes: the compute capability
  std::vector<Finding> found;
  Cuda cuda;
  int count = 0;
  if (!cuda.load()) {
    why = "no libcuda.so.1";
    return found;
  }
  int code = cuda.init(0);
  if (!code)
    code = cuda.count(&count);
  if (code || count == 0)
    why = llvm::formatv("libcuda finds none, error {0}", code).str();
  for (int device = 0; device < count; ++device) {
    char name[256] = {};
    size_t bytes = 0;
    int major = 0, minor = 0;
    cuda.name(name, sizeof name - 1, device);
    cuda.bytes(&bytes, device);
    cuda.attribute(&major, kMajor, device);
    cuda.attribute(&minor, kMinor, device);
    found.push_back(
        {"GPU", "cuda:" + std::to_string(device),
         llvm::formatv("{0}, {1:f1} GiB, compute capability {2}.{3}", name,
                       static_cast<double>(bytes) / 0x1p30, major, minor)
             .str()});
  }
  return found;
}

std::vector<Finding> select::findGpus(llvm::StringRef listFolder) {
  std::string why;
  std::vector<Finding> found = cudaDevices(why);
  if (!found.empty())
    return found;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator at(listFolder, code), end;
       !code && at != end; at.increment(code)) {
    auto text =
        llvm::MemoryBuffer::getFileAsStream(at->path() + "/information");
    if (!text)
      continue;
    llvm::StringRef rest = (*text)->getBuffer().split("Model:").second;
    found.push_back({"GPU", "nvidia",
                     (rest.split('\n').first.trim() +
                      " (no program can use it: " + why + ")")
                         .str()});
  }
  if (found.empty())
    found.push_back({"GPU", "none", why});
  return found;
}
