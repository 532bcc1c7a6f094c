// Kernels in their own processes. The parent's side: a worker with its shared
// memory, in which tensors are between guard pages. The worker's side: serve(),
// which runs the protocol (engine/WorkerMain.cpp) with a host that calls back
// into Python (python/assay/kernel_host.py).
#include "Binding.h"
#include "assay/engine/PythonWorker.h"
#include "assay/support/HostInterrupt.h"

namespace nb = nanobind;
using namespace assay;
using engine::WorkerResult;

namespace {
/// Role, NumPy's dtype, sizes, strides in elements, whether it is an output.
using TensorText = std::tuple<std::string, std::string, std::vector<int64_t>,
                              std::vector<int64_t>, bool>;
/// How a request ended ("ok", "crashed", ...), why, seconds, and the output of
/// the kernel that bypassed Python.
using Ended = std::tuple<std::string, std::string, double, std::string>;
/// The contents of outputs before a run, by name.
static engine::Unwritten unwrittenNamed(const std::string &name) {
  return name == "garbage" ? engine::Unwritten::Garbage
         : name == "other" ? engine::Unwritten::OtherGarbage
         : name == "zeros" ? engine::Unwritten::Zeros
                           : engine::Unwritten::Marks;
}

/// Waits without the interpreter's lock. Ctrl-C ends the wait and the process;
/// Python raises KeyboardInterrupt once it is back.
template <typename Ask> WorkerResult answered(Ask ask) {
  HostInterrupt stops;
  return python::unlocked(ask);
}

class KernelWorker {
public:
  explicit KernelWorker(const std::string &python) {
    engine::WorkerOptions options;
    options.program = python;
    options.module = "python:";
    options.timeoutFlag = "timeout=";
    options.subject = "the kernel";
    options.stopsAtInterrupt = true;
    llvm::Expected<engine::Arena> arena =
        engine::Arena::create(int64_t{1} << 40);
    if (!arena)
      python::raise(arena.takeError());
    arena_ = std::make_unique<engine::Arena>(std::move(*arena));
    worker_ = std::make_unique<engine::Worker>(*arena_, options);
  }

  /// Starts the process, unless it runs, without waiting for it.
  void prepare() { worker_->prepare(); }

  Ended create(const std::string &driver, const std::string &json,
               const std::vector<TensorText> &tensors, double timeout) {
    engine::ProblemDescription problem;
    problem.driver = driver;
    problem.json = json;
    extents_.clear(), kinds_.clear();
    for (const auto &[role, dtype, dims, strides, isOutput] : tensors) {
      problem.tensors.push_back({role, dtype, dims, strides, isOutput});
      numerics::ElementType element =
          python::valueOf(python::typeOf(dtype, dims)).element;
      kinds_.push_back({isOutput, element.isFloat() || element.isComplex()});
      int64_t width = element.storageBytes(), last = 0;
      bool isEmpty = llvm::is_contained(dims, 0);
      for (size_t d = 0; d < dims.size(); ++d)
        last += (dims[d] - 1) * strides[d];
      extents_.push_back({isEmpty ? 0 : (last + 1) * width, width});
    }
    worker_->setTimeout(timeout);
    return ended(answered([&] { return worker_->create(problem); }));
  }

  /// Puts the tensors of the last create() in front of a guard page, or after
  /// one; `slack`: elements left free in front of the page, so that tensors
  /// with round sizes do not begin at a round address. Returns the address of
  /// each.
  std::vector<uintptr_t> place(bool atEnd, int64_t slack) {
    std::vector<engine::Extent> extents = extents_;
    for (engine::Extent &extent : extents)
      extent.bytes += slack * extent.alignment;
    placements_ = engine::placeTensors(
        extents, atEnd ? engine::Guard::AtEnd : engine::Guard::AtStart, 0);
    if (llvm::Error error = arena_->grow(engine::endOf(placements_)))
      python::raise(std::move(error));
    std::vector<uintptr_t> addresses;
    for (const engine::Placement &place : placements_)
      addresses.push_back(reinterpret_cast<uintptr_t>(
          arena_->data() + place.fileOffset + place.dataOffset));
    return addresses;
  }

  /// Fills the outputs and the rest of their pages.
  void fillOutputs(const std::string &name) {
    unwritten_ = unwrittenNamed(name);
    for (size_t i = 0; i < placements_.size(); ++i)
      if (kinds_[i].isOutput)
        engine::fillUnwritten(arena_->data() + placements_[i].fileOffset,
                              placements_[i].regionBytes, unwritten_,
                              kinds_[i].isFloat);
  }

  /// The number of an output around which something was written since, or -1.
  int64_t writtenOutside() const {
    for (size_t i = 0; i < placements_.size(); ++i) {
      const engine::Placement &place = placements_[i];
      const std::byte *region = arena_->data() + place.fileOffset;
      for (int64_t at = 0; kinds_[i].isOutput && at < place.regionBytes; ++at) {
        if (at == place.dataOffset &&
            (at += extents_[i].bytes) >= place.regionBytes)
          break;
        if (region[at] !=
            engine::unwrittenByte(at, unwritten_, kinds_[i].isFloat))
          return static_cast<int64_t>(i);
      }
    }
    return -1;
  }

  /// `dirty`: heap and stack are filled before the run like the outputs.
  Ended run(double timeout, bool dirty) {
    worker_->setTimeout(timeout);
    engine::RunRequest request{
        static_cast<uint32_t>(placements_.size()), 0, 0, 0, 0, 0};
    if (dirty)
      request.unwritten = unwritten_;
    return ended(
        answered([&] { return worker_->run(request, placements_); }));
  }

  /// How further calls on the same data ended, and the growth of the process's
  /// memory per call in bytes.
  std::pair<Ended, int64_t> watchMemory(double timeout) {
    worker_->setTimeout(timeout);
    WorkerResult result =
        answered([&] { return worker_->watchMemory(placements_); });
    int64_t grown = result.grownBytes;
    return {ended(std::move(result)), grown};
  }

private:
  static Ended ended(WorkerResult result) {
    static constexpr const char *kNames[] = {
        "ok",      "unsupported", "invalid",     "failed",
        "crashed", "timeout",     "unsupported", "unsupported"};
    bool isOk = result.kind == WorkerResult::Kind::Ok;
    return {kNames[static_cast<int>(result.kind)],
            isOk ? result.report : result.reason, result.seconds,
            result.printed};
  }

  std::unique_ptr<engine::Arena> arena_;
  std::unique_ptr<engine::Worker> worker_;
  struct Kind {
    bool isOutput, isFloat;
  };
  std::vector<engine::Extent> extents_;
  std::vector<Kind> kinds_;
  engine::Unwritten unwritten_ = engine::Unwritten::Marks;
  std::vector<engine::Placement> placements_;
};

/// create(driver, json, tensors) and run(addresses) of a Python object, each
/// returning (code, text).
class PythonHost final : public engine::Host {
public:
  explicit PythonHost(nb::object object) : object_(std::move(object)) {}

  int create(const engine::HostProblem &asked, std::string &text) override {
    nb::gil_scoped_acquire locked;
    const assay_problem_t &problem = asked.problem;
    nb::list tensors;
    tensors_ = 0;
    for (int i = 0; i < problem.n_inputs; ++i)
      tensors.append(describe(problem.inputs[i], false));
    for (int i = 0; i < problem.n_outputs; ++i)
      tensors.append(describe(problem.outputs[i], true));
    tensors_ = static_cast<size_t>(problem.n_inputs + problem.n_outputs);
    return call(text, "create", problem.driver, problem.problem_json, tensors);
  }

  int run(const assay_tensor_t *inputs, const assay_tensor_t *outputs,
          std::string &text) override {
    nb::gil_scoped_acquire locked;
    nb::list addresses; // outputs follow the inputs (WorkerMain.cpp)
    for (size_t i = 0; i < tensors_; ++i)
      addresses.append(reinterpret_cast<uintptr_t>(inputs[i].data));
    return call(text, "run", addresses);
  }

  void destroy() override {
    nb::gil_scoped_acquire locked;
    std::string text;
    call(text, "destroy");
  }

  void collectGarbage() override {
    nb::gil_scoped_acquire locked;
    nb::module_::import_("gc").attr("collect")();
  }
  int64_t leastGrowthBytes() const override { return kRuntimeGrowthBytes; }

private:
  static nb::tuple describe(const assay_tensor_t &tensor, bool isOutput) {
    nb::list dims, strides;
    for (int d = 0; d < tensor.rank; ++d) {
      dims.append(tensor.dims[d]);
      strides.append(tensor.strides[d]);
    }
    return nb::make_tuple(tensor.role, tensor.dtype, dims, strides, isOutput);
  }

  template <typename... Arguments>
  int call(std::string &text, const char *name, Arguments &&...arguments) {
    try {
      auto [code, said] = nb::cast<std::pair<int, std::string>>(
          object_.attr(name)(std::forward<Arguments>(arguments)...));
      text = said;
      return code;
    } catch (const std::exception &error) {
      text = error.what();
      return ASSAY_PLUGIN_FAILED;
    }
  }

  nb::object object_;
  size_t tensors_ = 0;
};
} // namespace

static int serve(nb::object host, int64_t memoryLimitBytes) {
  nb::gil_scoped_release released;
  return engine::workerMain("builtin:python", memoryLimitBytes,
                            [&](llvm::StringRef) {
                              nb::gil_scoped_acquire locked;
                              return std::make_unique<PythonHost>(host);
                            });
}

void python::bindWorkers(nb::module_ &module) {
  nb::class_<KernelWorker>(module, "KernelWorker",
                           "A Python process that runs one kernel after the "
                           "other on tensors in shared memory.")
      .def(nb::init<const std::string &>(), nb::arg("python"))
      .def("prepare", &KernelWorker::prepare,
           "Starts the process without waiting for it.")
      .def("create", &KernelWorker::create, nb::arg("driver"), nb::arg("json"),
           nb::arg("tensors"), nb::arg("timeout"),
           "Prepares a problem. Returns what run() does.")
      .def("place", &KernelWorker::place, nb::arg("at_end"),
           nb::arg("slack") = 0,
           "Puts the tensors between guard pages. Returns their addresses.")
      .def("fill_outputs", &KernelWorker::fillOutputs, nb::arg("how"),
           "Fills the outputs and the rest of their pages: marks (NaN), "
           "garbage, other (garbage of the other signs) or zeros.")
      .def("written_outside", &KernelWorker::writtenOutside,
           "The number of an output around which something was written since, "
           "or -1.")
      .def("run", &KernelWorker::run, nb::arg("timeout"), nb::arg("dirty"),
           "Runs the problem; dirty: on a dirty heap and stack. Returns (how "
           "it ended, text, seconds, what was printed past Python).")
      .def("watch_memory", &KernelWorker::watchMemory, nb::arg("timeout"),
           "Runs it further times. Returns what run() does, and bytes of "
           "memory that each call keeps.");
  module.def("serve", &serve, nb::arg("host"), nb::arg("memory_limit"),
             "The worker process itself: never returns unless it cannot "
             "start.");
}
