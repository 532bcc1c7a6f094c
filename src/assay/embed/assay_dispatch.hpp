/// The C++ form of assay_dispatch.h: C++17, one header.
///
///   assay::Dispatcher dispatcher;
///   assay::Gemm gemm("f32", "rcr", m, n, k);
///   dispatcher.choose(gemm).run(a, b, c);
#pragma once

#include "assay.hpp"
#include "assay_dispatch.h"

namespace assay {

/// A problem with dense operands, see assay_gemm_dense(). Throws Failure.
struct Gemm : assay_gemm_t {
  Gemm(const std::string &types, const std::string &layout, int64_t m,
       int64_t n, int64_t k, int64_t batch = 1) {
    char message[1024] = "";
    if (int code = assay_gemm_dense(types.c_str(), layout.c_str(), m, n, k,
                                    batch, this, message, sizeof message))
      throw Failure(code, message);
  }
};

/// A prepared kernel; its dispatcher must outlive it.
class Kernel {
public:
  explicit Kernel(const assay_kernel_t *kernel) : kernel_(kernel) {}
  std::string name() const { return assay_kernel_name(kernel_); }
  std::string chosenBy() const { return assay_kernel_chosen_by(kernel_); }
  void run(const void *a, const void *b, void *c,
           const void *bias = nullptr) const {
    assay_kernel_run(kernel_, a, b, c, bias);
  }

private:
  const assay_kernel_t *kernel_;
};

struct Candidate {
  std::string name;
  double score;
};

/// Chooses kernels; all members may be called from several threads.
class Dispatcher {
public:
  /// `modelDir` empty: the models that `assay` itself uses. Throws Failure.
  explicit Dispatcher(const std::string &modelDir = "", bool analytic = false) {
    assay_dispatch_options_t options = {};
    options.struct_size = sizeof options;
    options.analytic = analytic;
    options.model_dir = modelDir.empty() ? nullptr : modelDir.c_str();
    assay_dispatcher_t *made = nullptr;
    check([&](char *message, size_t size) {
      return assay_dispatcher_create(&options, &made, message, size);
    });
    dispatcher_.reset(made, assay_dispatcher_free);
  }

  /// Throws Failure.
  Kernel choose(const assay_gemm_t &gemm) {
    const assay_kernel_t *kernel = nullptr;
    check([&](char *message, size_t size) {
      return assay_dispatch(dispatcher_.get(), &gemm, &kernel, message, size);
    });
    return Kernel(kernel);
  }
  Kernel named(const assay_gemm_t &gemm, const std::string &name) {
    const assay_kernel_t *kernel = nullptr;
    check([&](char *message, size_t size) {
      return assay_dispatch_named(dispatcher_.get(), &gemm, name.c_str(),
                                  &kernel, message, size);
    });
    return Kernel(kernel);
  }
  std::vector<Candidate> candidates(const assay_gemm_t &gemm, size_t count) {
    std::vector<assay_candidate_t> rows(count);
    size_t found = 0;
    check([&](char *message, size_t size) {
      return assay_dispatch_candidates(dispatcher_.get(), &gemm, rows.data(),
                                       count, &found, message, size);
    });
    std::vector<Candidate> all;
    for (size_t i = 0; i < found; ++i)
      all.push_back({rows[i].name, rows[i].score});
    return all;
  }

private:
  template <typename Call> static void check(Call call) {
    char message[1024];
    message[0] = 0;
    if (int code = call(message, sizeof message))
      throw Failure(code, message);
  }
  std::shared_ptr<assay_dispatcher_t> dispatcher_;
};

} // namespace assay
