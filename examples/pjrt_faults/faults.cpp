// A PJRT plugin that wraps another one and plants a fault in what it computes:
// this is how a faulty accelerator plugin looks to its user.
//
//   assay run p.mlir --input random --engine pjrt:libpjrt_faults.so,fault=last
//
// `elements=64` plants it in results of so many elements alone.
//
// It is the inner plugin's own table of functions with three entries replaced:
// the client (which reads `fault` and `inner`), the run, and the copy of a
// result to the host. Only declarations of the interface are needed.
#include "assay/pjrt_abi/Abi.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

using namespace assay::pjrt;

namespace {
/// What is done to a result's bytes, in elements of `width` bytes.
struct Fault {
  const char *name;
  void (*harm)(std::byte *data, size_t bytes, size_t width);
};

/// `bit` counts from the element's top; narrow elements have fewer.
void flip(std::byte *element, size_t width, size_t bit) {
  size_t from = width * 8 - 1 - std::min(bit, width * 8 - 1);
  element[from / 8] ^= std::byte(1u << (from % 8));
}

/// The places of the planted fault in a tensor.
const Fault kFaults[] = {
    {"first", [](std::byte *d, size_t, size_t w) { flip(d, w, 10); }},
    {"last", [](std::byte *d, size_t n, size_t w) { flip(d + n - w, w, 10); }},
    {"sign",
     [](std::byte *d, size_t n, size_t w) {
       for (size_t i = n / w / 2; i < n / w; ++i)
         flip(d + i * w, w, 0);
     }},
    {"small",
     [](std::byte *d, size_t n, size_t w) {
       flip(d + n / w / 2 * w, w, w * 8 / 2 - 1);
     }},
    {"zero_first",
     [](std::byte *d, size_t, size_t w) { std::memset(d, 0, w); }},
    {"zero_tail",
     [](std::byte *d, size_t n, size_t w) {
       std::memset(d + n / w * 3 / 4 * w, 0, n - n / w * 3 / 4 * w);
     }},
    {"zero_all", [](std::byte *d, size_t n, size_t) { std::memset(d, 0, n); }},
    {"ones", [](std::byte *d, size_t, size_t w) { std::memset(d, 0xff, w); }},
    {"swap",
     [](std::byte *d, size_t n, size_t w) {
       std::vector<std::byte> kept(d, d + w);
       std::memcpy(d, d + n - w, w);
       std::memcpy(d + n - w, kept.data(), w);
     }},
    {"shift",
     [](std::byte *d, size_t n, size_t w) { std::memmove(d + w, d, n - w); }},
    {"repeat",
     [](std::byte *d, size_t n, size_t w) {
       size_t half = n / w / 2 * w;
       std::memcpy(d + half, d, half);
     }},
    {"reverse",
     [](std::byte *d, size_t n, size_t w) {
       std::vector<std::byte> kept(d, d + n);
       for (size_t i = 0; i < n / w; ++i)
         std::memcpy(d + i * w, kept.data() + n - (i + 1) * w, w);
     }},
    {"every_fourth",
     [](std::byte *d, size_t n, size_t w) {
       for (size_t i = 3; i < n / w; i += 4)
         flip(d + i * w, w, 11);
     }},
    {"stale",
     [](std::byte *d, size_t n, size_t) {
       static std::vector<std::byte> last;
       std::vector<std::byte> now(d, d + n);
       if (last.size() == n)
         std::memcpy(d, last.data(), n);
       else
         std::memset(d, 0, n);
       last = now;
     }},
    {"bytes",
     [](std::byte *d, size_t n, size_t) {
       for (size_t i = 0; i + 1 < n; i += 2)
         std::swap(d[i], d[i + 1]);
     }},
};

const Api *inner = nullptr;
Api table;
std::string fault;
int64_t elements = 0; ///< of a result that is harmed; 0: of all

/// Whether `fault` is a row of the table, or one of those of execute().
bool isKnown() {
  for (const Fault &each : kFaults)
    if (fault == each.name)
      return true;
  for (const char *name :
       {"", "records", "leak", "crash", "abort", "exit", "hang", "wild"})
    if (fault == name)
      return true;
  return false;
}

Error *createClient(args::ClientCreate *a) {
  std::vector<NamedValue> rest;
  for (size_t i = 0; i < a->num_options; ++i) {
    const NamedValue &each = a->create_options[i];
    if (std::string(each.name, each.name_size) == "fault")
      fault = std::string(each.string_value, each.value_size);
    else if (std::string(each.name, each.name_size) == "elements")
      elements = each.int64_value;
    else
      rest.push_back(each);
  }
  std::string unknown = "fault=" + fault; // refused by the plugin inside
  if (!isKnown()) {
    rest.push_back(a->create_options[0]);
    rest.back().name = unknown.c_str();
    rest.back().name_size = unknown.size();
  }
  args::ClientCreate given = *a;
  given.create_options = rest.data();
  given.num_options = rest.size();
  Error *error = inner->ClientCreate(&given);
  a->client = given.client;
  return error;
}

/// Memory that is never given back: what a runtime notes of each call ("records"),
/// or a leak.
void keep(size_t bytes) {
  static std::vector<std::unique_ptr<char[]>> kept;
  kept.push_back(std::make_unique<char[]>(bytes));
}

Error *execute(args::LoadedExecutableExecute *a) {
  if (fault == "records")
    keep(700);
  if (fault == "leak")
    keep(20000);
  if (fault == "crash")
    ::raise(SIGSEGV);
  if (fault == "abort")
    std::abort();
  if (fault == "exit")
    ::_exit(3);
  if (fault == "hang")
    for (;;)
      ::pause();
  if (fault == "wild") // writes to an address outside of all tensors
    *reinterpret_cast<volatile int *>(uintptr_t{64}) = 1;
  return inner->LoadedExecutableExecute(a);
}

size_t widthOf(BufferType type) {
  switch (type) {
  case kC128:
    return 16;
  case kF64:
  case kS64:
  case kU64:
  case kC64:
    return 8;
  case kF32:
  case kS32:
  case kU32:
    return 4;
  case kF16:
  case kBf16:
  case kS16:
  case kU16:
    return 2;
  default:
    return 1;
  }
}

Error *toHost(args::BufferToHostBuffer *a) {
  Error *error = inner->BufferToHostBuffer(a);
  if (error || !a->dst || a->dst_size == 0)
    return error;
  if (a->event) {
    args::EventAwait wait = {sizeof wait, nullptr, a->event};
    if (Error *failed = inner->EventAwait(&wait))
      return failed;
  }
  args::BufferElementType type = {sizeof type, nullptr, a->src, kInvalid};
  if (Error *failed = inner->BufferElementType(&type))
    return failed;
  size_t width = widthOf(type.type);
  if (elements && a->dst_size != static_cast<size_t>(elements) * width)
    return nullptr;
  for (const Fault &each : kFaults)
    if (fault == each.name && a->dst_size >= width)
      each.harm(static_cast<std::byte *>(a->dst), a->dst_size, width);
  return nullptr;
}
} // namespace

extern "C" const Api *GetPjrtApi() {
  const char *path = std::getenv("PJRT_FAULTS_INNER");
  void *library =
      ::dlopen(path ? path : PJRT_FAULTS_INNER, RTLD_NOW | RTLD_LOCAL);
  auto get =
      library
          ? reinterpret_cast<const Api *(*)()>(::dlsym(library, "GetPjrtApi"))
          : nullptr;
  if (!get)
    return nullptr;
  inner = get();
  table = *inner;
  table.ClientCreate = createClient;
  table.LoadedExecutableExecute = execute;
  table.BufferToHostBuffer = toHost;
  return &table;
}
