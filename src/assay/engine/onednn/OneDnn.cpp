// The engine `onednn`: a shared module with the plugin interface over oneDNN's
// C++ API, loaded only when a command names the engine. A problem becomes one
// primitive; tensors whose tag is "any" are reordered to whatever layout the
// primitive prefers, outside of the time that is reported. Builds against 2.x
// (Debian) and 3.x: the two differ in how descriptors are made and in how
// scales are passed, which Primitives.h hides.
//
// 2.x has one output scale in front of the bias, so there the bias is divided
// by it, and dst's own scale becomes a last linear post-op. Both are exact for
// powers of two; Limits.cpp refuses the others.
#include "assay/engine/onednn/Primitives.h"

#include <cstring>
#include <dlfcn.h>
#include <malloc.h>
#include <string>
#include <time.h>

using namespace assay::engine::onednn;

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void say(char *why, size_t size, const std::string &text) {
  if (!size)
    return;
  std::strncpy(why, text.c_str(), size - 1);
  why[size - 1] = 0;
}

namespace {
/// One tensor of the problem, how the user stores it, how the primitive wants
/// it.
struct Binding {
  int argument = 0;
  bool isOutput = false;
  dnnl::memory user, inner; ///< inner is empty when the two layouts agree
  dnnl::reorder convert;
};

struct Kernel {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::primitive primitive;
  std::vector<Binding> bindings; ///< parallel to the problem's tensors;
                                 ///< argument 0 = not passed to the primitive
  Problem problem;
  std::vector<float> scales,
      scaledBias; ///< 2.x: the output scale and the bias divided by it
  double seconds = 0;
  bool readsOutput = false; ///< sum post-op
};
} // namespace

static void bind(Kernel &kernel, const PrimitiveHandle &handle) {
  for (size_t i = 0; i < kernel.problem.tensors.size(); ++i) {
    const Tensor &tensor = kernel.problem.tensors[i];
    Binding binding;
    binding.argument = handle.argument(tensor, kernel.problem);
    binding.isOutput = tensor.isOutput;
    if (binding.argument) {
      binding.user = dnnl::memory(tensor.descriptor(), kernel.engine, nullptr);
      dnnl::memory::desc wanted = handle.wanted(binding.argument, tensor);
      if (wanted != tensor.descriptor()) {
        binding.inner = dnnl::memory(wanted, kernel.engine);
        binding.convert = tensor.isOutput
                              ? dnnl::reorder(binding.inner, binding.user)
                              : dnnl::reorder(binding.user, binding.inner);
      }
    }
    kernel.bindings.push_back(std::move(binding));
  }
}

static void setThreads(int threads) {
  if (threads <= 0)
    return;
  if (auto *set = reinterpret_cast<void (*)(int)>(
          dlsym(RTLD_DEFAULT, "omp_set_num_threads")))
    set(threads);
}

/// Primitives and their blocked copies of the tensors come and go with every
/// problem: memory that was given back is kept for the next instead of being
/// returned to the system, which would have to clear it again. oneDNN's own
/// cache of a thousand primitives with their code would reach the worker's
/// memory limit; a problem comes again only while it is checked.
static void keepMemory() {
  dnnl::set_primitive_cache_capacity(32);
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 16 << 20);
#endif
}

extern "C" const assay_plugin_info_t *assay_plugin_info(void) {
  static const std::string version = std::to_string(DNNL_VERSION_MAJOR) + "." +
                                     std::to_string(DNNL_VERSION_MINOR);
  static const assay_plugin_info_t info = {sizeof(assay_plugin_info_t),
                                           ASSAY_PLUGIN_ABI_VERSION,
                                           "oneDNN",
                                           version.c_str(),
                                           0,
                                           0};
  return &info;
}

extern "C" int assay_plugin_create(const assay_problem_t *description,
                                   void **out, char *why, size_t whySize) {
  *out = nullptr;
  static const bool once = (keepMemory(), true);
  (void)once;
  try {
    auto kernel = std::make_unique<Kernel>();
    std::string text = readProblem(*description, kernel->problem);
    if (text.empty())
      text = whyInexact(kernel->problem);
    if (!text.empty())
      throw Unsupported(text);
    setThreads(description->threads);
    PrimitiveHandle handle = makePrimitive(kernel->engine, kernel->problem);
    kernel->primitive = handle.primitive;
    kernel->readsOutput = kernel->problem.hasSum();
    bind(*kernel, handle);
    *out = kernel.release();
    return ASSAY_PLUGIN_OK;
  } catch (const Unsupported &refusal) {
    say(why, whySize, refusal.what());
    return ASSAY_PLUGIN_UNSUPPORTED;
  } catch (const dnnl::error &error) {
    bool memory = error.status == dnnl_out_of_memory;
    // Assay has checked the problem before: what oneDNN calls invalid here is a
    // combination of types it does not take.
    bool unknown = error.status == dnnl_unimplemented ||
                   error.status == dnnl_invalid_arguments;
    std::string text = unknown  ? "oneDNN has no implementation"
                       : memory ? "oneDNN has not enough memory: "
                                : "oneDNN: ";
    say(why, whySize, unknown ? text : text + error.what());
    return unknown || memory ? ASSAY_PLUGIN_UNSUPPORTED : ASSAY_PLUGIN_FAILED;
  } catch (const std::exception &error) {
    say(why, whySize, error.what());
    return ASSAY_PLUGIN_FAILED;
  }
}

static const assay_tensor_t &tensorAt(const Kernel &kernel, size_t i,
                                      const assay_tensor_t *inputs,
                                      const assay_tensor_t *outputs) {
  size_t firstOutput = kernel.problem.inputCount;
  return i < firstOutput ? inputs[i] : outputs[i - firstOutput];
}

/// Scales, zero points and the bias that 2.x wants divided by the scale.
static void
addAttributeArguments(Kernel &kernel, const assay_tensor_t *inputs,
                      std::unordered_map<int, dnnl::memory> &arguments) {
  const Problem &problem = kernel.problem;
  for (const ValueEntry &entry : problem.zeroPoints)
    if (const assay_tensor_t *data =
            problem.find("zp_" + entry.argument, inputs))
      arguments[DNNL_ARG_ATTR_ZERO_POINTS | entry.dnnlArgument()] =
          dnnl::memory({{elementCount(*data)},
                        dnnl::memory::data_type::s32,
                        dnnl::memory::format_tag::a},
                       kernel.engine, data->data);
#if DNNL_VERSION_MAJOR >= 3
  for (const ValueEntry &entry : problem.scales)
    if (const assay_tensor_t *data =
            problem.find("scale_" + entry.argument, inputs))
      arguments[DNNL_ARG_ATTR_SCALES | entry.dnnlArgument()] =
          dnnl::memory({{elementCount(*data)},
                        dnnl::memory::data_type::f32,
                        dnnl::memory::format_tag::a},
                       kernel.engine, data->data);
#else
  if (!problem.hasOutputScale())
    return;
  kernel.scales = problem.outputScales(inputs);
  if (!problem.staticOutputScale())
    arguments[DNNL_ARG_ATTR_OUTPUT_SCALES] =
        dnnl::memory({{static_cast<int64_t>(kernel.scales.size())},
                      dnnl::memory::data_type::f32,
                      dnnl::memory::format_tag::a},
                     kernel.engine, kernel.scales.data());
  if (const assay_tensor_t *bias = problem.find("bia", inputs)) {
    kernel.scaledBias = readFloats(*bias);
    for (size_t i = 0; i < kernel.scaledBias.size(); ++i)
      kernel.scaledBias[i] /=
          kernel
              .scales[kernel.scales.size() == 1 ? 0 : i % kernel.scales.size()];
    arguments[DNNL_ARG_BIAS] =
        dnnl::memory(problem.scaledBiasDescriptor(), kernel.engine,
                     kernel.scaledBias.data());
  }
#endif
}

extern "C" int assay_plugin_run(void *opaque, const assay_tensor_t *inputs,
                                const assay_tensor_t *outputs, char *why,
                                size_t whySize) {
  Kernel &kernel = *static_cast<Kernel *>(opaque);
  try {
    std::unordered_map<int, dnnl::memory> arguments;
    for (size_t i = 0; i < kernel.bindings.size(); ++i) {
      Binding &binding = kernel.bindings[i];
      if (!binding.argument)
        continue;
      binding.user.set_data_handle(tensorAt(kernel, i, inputs, outputs).data);
      if (binding.inner && (!binding.isOutput || kernel.readsOutput)) {
        dnnl::reorder fill(binding.user, binding.inner);
        fill.execute(kernel.stream, binding.user, binding.inner);
      }
      arguments[binding.argument] =
          binding.inner ? binding.inner : binding.user;
    }
    addAttributeArguments(kernel, inputs, arguments);
    kernel.stream.wait();
    double start = now();
    kernel.primitive.execute(kernel.stream, arguments);
    kernel.stream.wait();
    kernel.seconds = now() - start;
    for (Binding &binding : kernel.bindings)
      if (binding.argument && binding.inner && binding.isOutput)
        binding.convert.execute(kernel.stream, binding.inner, binding.user);
    kernel.stream.wait();
    return ASSAY_PLUGIN_OK;
  } catch (const std::exception &error) {
    say(why, whySize, std::string("oneDNN: ") + error.what());
    return ASSAY_PLUGIN_FAILED;
  }
}

extern "C" void assay_plugin_destroy(void *kernel) {
  delete static_cast<Kernel *>(kernel);
}
extern "C" double assay_plugin_last_run_seconds(void *kernel) {
  return static_cast<Kernel *>(kernel)->seconds;
}
