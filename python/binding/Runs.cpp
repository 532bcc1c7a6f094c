// Programs that run in this process, on an engine, for `assay.load` and
// `assay.run`. Arguments come as addresses of dense row-major elements, results
// go as bytes.
#include "Binding.h"
#include "assay/engine/all/Engines.h"
#include "assay/program/DynamicStep.h"
#include "assay/program/Executor.h"
#include "assay/program/Types.h"
#include "assay/support/MemorySize.h"

#include <mutex>

namespace nb = nanobind;
using namespace assay;
using tensor::Tensor;

namespace {
class PlannedProgram {
public:
  /// `source`: the text of a program, or with `isPath` where it is.
  PlannedProgram(const std::string &source, bool isPath,
                 const std::string &entry, const std::string &engine,
                 int threads, int64_t maxMemory)
      : threads_(threads),
        budget_(std::make_shared<MemoryBudget>(
            maxMemory > 0 ? maxMemory : defaultMemoryBytes())) {
    auto program =
        python::valueOf(isPath ? program::Program::load(source)
                               : program::Program::parse(source, "<text>"));
    mlir::func::FuncOp function = python::valueOf(program->function(entry));
    for (mlir::Type type : function.getArgumentTypes())
      inputs_.push_back(python::valueOf(program::dynamicTypeOf(type)));
    for (mlir::Type type : function.getResultTypes())
      outputs_.push_back(python::valueOf(program::dynamicTypeOf(type)));
    engine::EngineOptions options;
    options.fastReference = true;
    options.threads = threads;
    engine_ = python::valueOf(engine::makeEngine(engine, options));
    engine::PlanRequest request;
    request.entry = entry;
    // The caller may write to its arrays between two calls.
    request.keepsArguments = false;
    plan_ = python::valueOf(engine_->makePlan(program, request));
  }

  std::vector<python::TypeText> inputs() const { return texts(inputs_); }
  std::vector<python::TypeText> outputs() const { return texts(outputs_); }

  using Sizes = std::vector<std::vector<int64_t>>;

  nb::list run(const std::vector<uintptr_t> &addresses, const Sizes &sizes) {
    std::vector<Tensor> arguments = viewsOf(
        addresses, sizes); // of memory that the caller keeps for this call
    std::optional<llvm::Expected<std::vector<Tensor>>> results;
    python::unlocked([&] { results.emplace(execute(arguments)); });
    nb::list out;
    for (const Tensor &result : python::valueOf(std::move(*results)))
      out.append(nb::make_tuple(
          nb::bytes(result.bytes(), static_cast<size_t>(result.denseBytes())),
          result.shape().vec()));
    return out;
  }

private:
  static std::vector<python::TypeText>
  texts(llvm::ArrayRef<tensor::TensorType> types) {
    std::vector<python::TypeText> out;
    for (const tensor::TensorType &type : types)
      out.push_back(python::textOf(type));
    return out;
  }

  std::vector<Tensor> viewsOf(const std::vector<uintptr_t> &addresses,
                              const Sizes &sizes) const {
    if (addresses.size() != inputs_.size() || sizes.size() != inputs_.size())
      throw nb::value_error("one address for each argument is needed");
    std::vector<Tensor> values;
    for (size_t i = 0; i < addresses.size(); ++i) {
      tensor::TensorType type{inputs_[i].element,
                              tensor::Shape(sizes[i].begin(), sizes[i].end())};
      if (!program::fits(inputs_[i], type))
        throw nb::value_error(
            llvm::formatv("argument {0} is {1}, the program takes {2}", i,
                          tensor::toString(type), tensor::toString(inputs_[i]))
                .str()
                .c_str());
      values.push_back(python::valueOf(python::viewAt(type, addresses[i])));
    }
    return values;
  }

  /// Dense results; the first failed check is an error, as in a program that
  /// stops there.
  llvm::Expected<std::vector<Tensor>>
  execute(llvm::ArrayRef<Tensor> arguments) {
    std::lock_guard<std::mutex> alone(mutex_);
    program::RunContext context(threads_);
    context.budget = budget_;
    llvm::Expected<std::vector<program::Value>> values =
        program::execute(*plan_, arguments, context);
    if (!values)
      return values.takeError();
    for (const program::CheckResult &check : context.checks)
      if (!check.passed)
        return makeError(ErrorCode::Mismatch, "{0}: check failed: {1}",
                         check.location, check.message);
    std::vector<Tensor> out;
    for (const program::Value &value : *values) {
      llvm::Expected<Tensor> dense = value.tensor().dense();
      if (!dense)
        return dense.takeError();
      out.push_back(std::move(*dense));
    }
    return out;
  }

  ThreadPool threads_;
  std::shared_ptr<MemoryBudget> budget_;
  std::vector<tensor::TensorType> inputs_, outputs_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<program::Plan> plan_;
  std::mutex mutex_; ///< one run at a time: a plan has one set of threads
};
} // namespace

void python::bindRuns(nb::module_ &module) {
  nb::class_<PlannedProgram>(module, "PlannedProgram",
                             "A program planned for an engine.")
      .def(nb::init<const std::string &, bool, const std::string &,
                    const std::string &, int, int64_t>(),
           nb::arg("source"), nb::arg("is_path"), nb::arg("entry") = "",
           nb::arg("engine") = "reference", nb::arg("threads") = 0,
           nb::arg("max_memory") = 0)
      .def_prop_ro("inputs", &PlannedProgram::inputs,
                   "(NumPy dtype, sizes) of each; a negative size is any.")
      .def_prop_ro("outputs", &PlannedProgram::outputs)
      .def("run", &PlannedProgram::run, nb::arg("addresses"), nb::arg("sizes"),
           "(bytes, sizes) of each result.");
}
