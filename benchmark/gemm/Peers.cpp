// OpenBLAS (Debian), MKL (the `mkl` wheel of .venv) and oneDNN (Debian), opened
// with dlopen and local symbols, so that two libraries with the same C
// interface (cblas) can be loaded together.
#include "Peers.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <dlfcn.h>
#include <glob.h>
#include <oneapi/dnnl/dnnl.h>

namespace assay::bench {

using kernels::DataType;
using kernels::GemmProblem;

static void *openFirst(std::initializer_list<const char *> patterns) {
  for (const char *pattern : patterns) {
    glob_t found;
    if (glob(pattern, GLOB_NOCHECK, nullptr, &found) == 0) {
      void *handle = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_LOCAL);
      globfree(&found);
      if (handle)
        return handle;
    }
  }
  return nullptr;
}

template <typename F> static F symbol(void *handle, const char *name) {
  return reinterpret_cast<F>(dlsym(handle, name));
}

// The constants of cblas.
static constexpr int kRowMajor = 101, kNoTranspose = 111, kTranspose = 112,
                     kFixedOffset = 173;

using Sgemm = void (*)(int, int, int, int, int, int, float, const float *, int,
                       const float *, int, float, float *, int);
using Bf16Gemm = void (*)(int, int, int, int, int, int, float, const void *,
                          int, const void *, int, float, float *, int);
using ByteGemm = void (*)(int, int, int, int, int, int, int, float,
                          const void *, int, signed char, const void *, int,
                          signed char, float, int32_t *, int, const int32_t *);

namespace {
/// MKL and OpenBLAS share the interface.
class Cblas final : public Peer {
public:
  Cblas(const char *name, void *handle, const char *threadsSymbol,
        const char *bf16Symbol, const char *byteSymbol)
      : name_(name), threads_(symbol<void (*)(int)>(handle, threadsSymbol)),
        sgemm_(symbol<Sgemm>(handle, "cblas_sgemm")),
        bf16_(symbol<Bf16Gemm>(handle, bf16Symbol)),
        byte_(byteSymbol ? symbol<ByteGemm>(handle, byteSymbol) : nullptr) {}
  const char *name() const override { return name_; }
  void setThreads(int threads) override {
    if (threads_)
      threads_(threads);
  }
  Call prepare(const GemmProblem &p, const Operands &o) override {
    int m = int(p.m), n = int(p.n), k = int(p.k);
    if (p.a == DataType::F32 && sgemm_)
      return [=, f = sgemm_] {
        f(kRowMajor, kNoTranspose, kTranspose, m, n, k, 1,
          static_cast<const float *>(o.a), k, static_cast<const float *>(o.b),
          k, 0, static_cast<float *>(o.c), n);
      };
    if (p.a == DataType::BF16 && bf16_)
      return [=, f = bf16_] {
        f(kRowMajor, kNoTranspose, kTranspose, m, n, k, 1, o.a, k, o.b, k, 0,
          static_cast<float *>(o.c), n);
      };
    if (p.a == DataType::U8 && byte_)
      return [=, f = byte_] {
        static const int32_t kZero = 0;
        f(kRowMajor, kNoTranspose, kTranspose, kFixedOffset, m, n, k, 1, o.a, k,
          0, o.b, k, 0, 0, static_cast<int32_t *>(o.c), n, &kZero);
      };
    return {};
  }

private:
  const char *name_;
  void (*threads_)(int);
  Sgemm sgemm_;
  Bf16Gemm bf16_;
  ByteGemm byte_;
};

/// oneDNN's matmul primitive on plain layouts.
class OneDnn final : public Peer {
public:
  explicit OneDnn(void *handle) : handle_(handle) {
    ready_ = get(engineCreate_, "dnnl_engine_create") &&
             get(streamCreate_, "dnnl_stream_create") &&
             get(memoryDesc_, "dnnl_memory_desc_init_by_strides") &&
             get(matmulDesc_, "dnnl_matmul_desc_init") &&
             get(primitiveDesc_, "dnnl_primitive_desc_create") &&
             get(primitive_, "dnnl_primitive_create") &&
             get(memory_, "dnnl_memory_create") &&
             get(execute_, "dnnl_primitive_execute") &&
             get(wait_, "dnnl_stream_wait") &&
             engineCreate_(&engine_, dnnl_cpu, 0) == dnnl_success &&
             streamCreate_(&stream_, engine_, dnnl_stream_default_flags) ==
                 dnnl_success;
    // The OpenMP run-time library that oneDNN loaded.
    threads_ = symbol<void (*)(int)>(RTLD_DEFAULT, "omp_set_num_threads");
    if (!threads_)
      if (void *gomp = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL))
        threads_ = symbol<void (*)(int)>(gomp, "omp_set_num_threads");
  }
  const char *name() const override { return "oneDNN"; }
  void setThreads(int threads) override {
    if (threads_)
      threads_(threads);
  }
  Call prepare(const GemmProblem &p, const Operands &o) override;

private:
  template <typename F> bool get(F &function, const char *name) {
    function = symbol<F>(handle_, name);
    return function != nullptr;
  }
  void *handle_;
  bool ready_ = false;
  void (*threads_)(int) = nullptr;
  dnnl_engine_t engine_ = nullptr;
  dnnl_stream_t stream_ = nullptr;
  decltype(&dnnl_engine_create) engineCreate_;
  decltype(&dnnl_stream_create) streamCreate_;
  decltype(&dnnl_memory_desc_init_by_strides) memoryDesc_;
  decltype(&dnnl_matmul_desc_init) matmulDesc_;
  decltype(&dnnl_primitive_desc_create) primitiveDesc_;
  decltype(&dnnl_primitive_create) primitive_;
  decltype(&dnnl_memory_create) memory_;
  decltype(&dnnl_primitive_execute) execute_;
  decltype(&dnnl_stream_wait) wait_;
};
} // namespace

static dnnl_data_type_t typeOf(DataType type) {
  switch (type) {
  case DataType::BF16:
    return dnnl_bf16;
  case DataType::U8:
    return dnnl_u8;
  case DataType::S8:
    return dnnl_s8;
  case DataType::S32:
    return dnnl_s32;
  default:
    return dnnl_f32;
  }
}

Call OneDnn::prepare(const GemmProblem &p, const Operands &o) {
  if (!ready_)
    return {};
  dnnl_dims_t aDims = {p.m, p.k}, bDims = {p.k, p.n}, cDims = {p.m, p.n};
  dnnl_dims_t aStrides = {p.k, 1}, bStrides = {1, p.k}, cStrides = {p.n, 1};
  dnnl_memory_desc_t a, b, c;
  if (memoryDesc_(&a, 2, aDims, typeOf(p.a), aStrides) ||
      memoryDesc_(&b, 2, bDims, typeOf(p.b), bStrides) ||
      memoryDesc_(&c, 2, cDims, typeOf(p.c), cStrides))
    return {};
  dnnl_matmul_desc_t desc;
  dnnl_primitive_desc_t primitiveDesc;
  dnnl_primitive_t primitive;
  if (matmulDesc_(&desc, &a, &b, nullptr, &c) ||
      primitiveDesc_(&primitiveDesc, &desc, nullptr, engine_, nullptr) ||
      primitive_(&primitive, primitiveDesc))
    return {};
  dnnl_memory_t am, bm, cm;
  if (memory_(&am, &a, engine_, const_cast<void *>(o.a)) ||
      memory_(&bm, &b, engine_, const_cast<void *>(o.b)) ||
      memory_(&cm, &c, engine_, o.c))
    return {};
  return [this, primitive, am, bm, cm] {
    dnnl_exec_arg_t arguments[] = {
        {DNNL_ARG_SRC, am}, {DNNL_ARG_WEIGHTS, bm}, {DNNL_ARG_DST, cm}};
    execute_(primitive, stream_, 3, arguments);
    wait_(stream_);
  };
}

std::vector<std::unique_ptr<Peer>> loadPeers(llvm::StringRef names) {
  // Idle workers of one library must not occupy the cores while another is
  // measured.
  setenv("KMP_BLOCKTIME", "1", 0);
  setenv("GOMP_SPINCOUNT", "20000", 0);
  setenv("OPENBLAS_THREAD_TIMEOUT", "20", 0);
  auto wanted = [&](llvm::StringRef name) { return names.contains(name); };
  std::vector<std::unique_ptr<Peer>> peers;
  if (!wanted("MKL")) {
  } else if (void *mkl =
                 openFirst({".venv/lib/libmkl_rt.so.*", "libmkl_rt.so.3",
                            "libmkl_rt.so.2", "libmkl_rt.so"}))
    peers.push_back(std::make_unique<Cblas>("MKL", mkl, "MKL_Set_Num_Threads",
                                            "cblas_gemm_bf16bf16f32",
                                            "cblas_gemm_s8u8s32"));
  else
    llvm::errs() << "bench gemm: no MKL (pip install mkl in .venv)\n";
  if (!wanted("OpenBLAS")) {
  } else if (void *blas = openFirst({"libopenblas.so.0", "libopenblas.so"}))
    peers.push_back(std::make_unique<Cblas>(
        "OpenBLAS", blas, "openblas_set_num_threads", "cblas_sbgemm", nullptr));
  else
    llvm::errs() << "bench gemm: no OpenBLAS\n";
  if (!wanted("oneDNN")) {
  } else if (void *dnnl = openFirst({"libdnnl.so.2", "libdnnl.so"}))
    peers.push_back(std::make_unique<OneDnn>(dnnl));
  else
    llvm::errs() << "bench gemm: no oneDNN\n";
  return peers;
}

} // namespace assay::bench
