// The engine `onednn`: a shared module with the plugin interface over oneDNN's
// C++ API, loaded only when a command names the engine. A problem becomes a
// plan of primitives (Primitive.h). Tensors in another layout than a primitive
// expects are reordered before or after it; the reported time excludes that.
// Builds against 2.x (Debian) and 3.x (Version.h).
#include "assay/engine/onednn/Primitive.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <malloc.h>
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
/// A memory that steps read or write. It is one of the problem's tensors in the
/// user's layout, with a copy where the primitive expects another layout; or
/// memory that only the steps know.
struct Binding {
  int tensor = -1; ///< -1: only the steps know it
  bool isOutput = false;
  std::string role;
  Desc layout;
  dnnl::memory user, inner; ///< inner is empty when the two layouts agree
  const dnnl::memory &argument() const { return inner ? inner : user; }
};

struct Kernel {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  Problem problem;
  Plan plan;
  std::vector<Binding> bindings;
  std::vector<std::vector<std::pair<int, size_t>>>
      places; ///< for each step: argument and its binding
  double seconds = 0;
  std::string description; ///< for assay_plugin_describe
};
} // namespace

/// The binding for a role and layout; all steps share it.
static size_t bindingOf(Kernel &kernel, const Argument &argument) {
  for (size_t i = 0; i < kernel.bindings.size(); ++i)
    if (kernel.bindings[i].role == argument.role &&
        kernel.bindings[i].layout == argument.layout)
      return i;
  Binding binding;
  binding.role = argument.role;
  binding.layout = argument.layout;
  const std::vector<Tensor> &tensors = kernel.problem.tensors;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].role == argument.role) {
      size_t rank = dimsOf(argument.layout).size();
      Desc user = tensors[i].dims.size() == rank ? tensors[i].plain()
                                                 : tensors[i].withRank(rank);
      binding.tensor = static_cast<int>(i);
      binding.isOutput = tensors[i].isOutput;
      binding.user = dnnl::memory(user, kernel.engine, nullptr);
      if (user != argument.layout)
        binding.inner = dnnl::memory(argument.layout, kernel.engine);
    }
  if (binding.tensor < 0)
    binding.inner = dnnl::memory(argument.layout, kernel.engine);
  kernel.bindings.push_back(std::move(binding));
  return kernel.bindings.size() - 1;
}

static void bind(Kernel &kernel) {
  for (const Step &step : kernel.plan.steps) {
    kernel.places.emplace_back();
    for (const Argument &argument : step.arguments)
      kernel.places.back().emplace_back(argument.number,
                                        bindingOf(kernel, argument));
  }
}

static void setThreads(int threads) {
  if (threads <= 0)
    return;
  if (auto *set = reinterpret_cast<void (*)(int)>(
          dlsym(RTLD_DEFAULT, "omp_set_num_threads")))
    set(threads);
}

/// `not_kept`: the inputs for which oneDNN promises nothing. Its "Input
/// validation notes" (developer guide, C and C++ APIs) leave it to the user to
/// avoid NaN, and large u8 and s8 numbers whose sums overflow. Instructions for
/// 16-bit types may flush subnormal numbers ("Rounding mode and denormal
/// handling").
static std::string describeKernel(const Kernel &kernel) {
  llvm::json::Array notKept{"nan", "integer_ends"};
  if (llvm::any_of(kernel.problem.tensors, [](const auto &tensor) {
        return tensor.type == DataType::bf16 ||
               tensor.type == DataType::f16;
      }))
    notKept.push_back("subnormal");
  llvm::json::Array taken;
  for (const std::string &key : kernel.problem.taken)
    taken.push_back(key);
  llvm::json::Object said{
      {"implementation", kernel.plan.steps.back().implementation},
      {"taken", std::move(taken)},
      {"not_kept", std::move(notKept)}};
  return llvm::formatv("{0}", llvm::json::Value(std::move(said))).str();
}

/// Every problem allocates and frees primitives and blocked copies of its
/// tensors. Freed memory is kept for the next problem, because memory from the
/// system would have to be cleared again. oneDNN's own cache of a thousand
/// primitives with their code would exceed the worker's memory limit, and a
/// problem repeats only while it is checked.
static void keepMemory() {
  dnnl::set_primitive_cache_capacity(32);
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 16 << 20);
#endif
}

static constexpr const char *kNoImplementation = "oneDNN has no implementation";

/// Whether the processor may be the reason that oneDNN does not implement a
/// problem: without AVX-512, it may lack anything with bfloat16.
static bool lacksInstructions(const assay_problem_t &problem) {
  if (__builtin_cpu_supports("avx512bw"))
    return false;
  auto isNarrow = [](const assay_tensor_t &tensor) {
    return std::string_view(tensor.dtype) == "bf16";
  };
  return std::any_of(problem.inputs, problem.inputs + problem.n_inputs,
                     isNarrow) ||
         std::any_of(problem.outputs, problem.outputs + problem.n_outputs,
                     isNarrow);
}

/// Runs `body` and turns exceptions into a code and a reason. While a problem
/// is made, oneDNN's "invalid arguments" means a combination of types that it
/// does not support: Assay has checked the problem before.
template <typename Body>
static int guarded(bool makes, char *why, size_t whySize, const Body &body) {
  try {
    body();
    return ASSAY_PLUGIN_OK;
  } catch (const Unsupported &refusal) {
    say(why, whySize, refusal.what());
    return ASSAY_PLUGIN_UNSUPPORTED;
  } catch (const dnnl::error &error) {
    bool memory = error.status == dnnl_out_of_memory;
    bool unknown = makes && (error.status == dnnl_unimplemented ||
                             error.status == dnnl_invalid_arguments);
    std::string text = unknown  ? kNoImplementation
                       : memory ? "oneDNN has not enough memory: "
                                : "oneDNN: ";
    say(why, whySize, unknown ? text : text + error.what());
    return unknown  ? ASSAY_PLUGIN_UNSUPPORTED
           : memory ? ASSAY_PLUGIN_NO_MEMORY
                    : ASSAY_PLUGIN_FAILED;
  } catch (const std::exception &error) {
    say(why, whySize, std::string("oneDNN: ") + error.what());
    return ASSAY_PLUGIN_FAILED;
  }
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
  int code = guarded(true, why, whySize, [&] {
    auto kernel = std::make_unique<Kernel>();
    kernel->problem = readProblem(*description);
    setThreads(description->threads);
    hintIsa(kernel->problem);
    kernel->plan = makePlan(kernel->engine, kernel->problem);
    bind(*kernel);
    kernel->description = describeKernel(*kernel);
    *out = kernel.release();
  });
  if (code != ASSAY_PLUGIN_UNSUPPORTED || std::strcmp(why, kNoImplementation) ||
      !lacksInstructions(*description))
    return code;
  say(why, whySize, "oneDNN has no bf16 on a processor without AVX-512");
  return ASSAY_PLUGIN_NOT_HERE;
}

static void reorder(Kernel &kernel, const dnnl::memory &from,
                    const dnnl::memory &to) {
  dnnl::memory source = from, target = to;
  dnnl::reorder(source, target).execute(kernel.stream, source, target);
}

static void run(Kernel &kernel, const assay_tensor_t *inputs,
                const assay_tensor_t *outputs) {
  bool readsOutput = kernel.problem.hasSum();
  for (Binding &binding : kernel.bindings) {
    if (binding.tensor < 0)
      continue;
    size_t i = binding.tensor, first = kernel.problem.inputCount;
    binding.user.set_data_handle(
        (i < first ? inputs[i] : outputs[i - first]).data);
    if (binding.inner && (!binding.isOutput || readsOutput))
      reorder(kernel, binding.user, binding.inner);
  }
  double start = 0;
  for (size_t s = 0; s < kernel.plan.steps.size(); ++s) {
    ArgumentMap arguments;
    for (auto [number, place] : kernel.places[s])
      arguments[number] = kernel.bindings[place].argument();
    if (s + 1 == kernel.plan.steps.size() && kernel.plan.attributeValues)
      kernel.plan.attributeValues(inputs, arguments);
    kernel.stream.wait();
    start = now();
    kernel.plan.steps[s].primitive.execute(kernel.stream, arguments);
    kernel.stream.wait();
  }
  kernel.seconds = now() - start;
  for (const Binding &binding : kernel.bindings)
    if (binding.tensor >= 0 && binding.inner && binding.isOutput)
      reorder(kernel, binding.inner, binding.user);
  kernel.stream.wait();
}

extern "C" int assay_plugin_run(void *opaque, const assay_tensor_t *inputs,
                                const assay_tensor_t *outputs, char *why,
                                size_t whySize) {
  return guarded(false, why, whySize,
                 [&] { run(*static_cast<Kernel *>(opaque), inputs, outputs); });
}

extern "C" void assay_plugin_destroy(void *kernel) {
  delete static_cast<Kernel *>(kernel);
}
extern "C" const char *assay_plugin_describe(void *kernel) {
  return static_cast<Kernel *>(kernel)->description.c_str();
}
extern "C" double assay_plugin_last_run_seconds(void *kernel) {
  return static_cast<Kernel *>(kernel)->seconds;
}
