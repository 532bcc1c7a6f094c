// Programs that run in this process, on an engine, for `assay.load` and
// `assay.run`. Arguments are passed as addresses of dense row-major elements;
// results are arrays that own their memory.
#include "Binding.h"
#include "assay/engine/CustomLibrary.h"
#include "assay/engine/all/LoadedProgram.h"
#include "assay/program/DynamicStep.h"
#include "assay/verify/Offers.h"

#include <nanobind/ndarray.h>

#include <cstring>
#include <optional>

namespace nb = nanobind;
using namespace assay;
using tensor::Tensor;

/// A Python function as one for custom_call: it gets (dtype, shape, bytes) of
/// each operand, (dtype, shape) of each result and the configuration as JSON,
/// and returns the bytes of each result.
static llvm::Error callPython(const nb::callable &function, mlir::Operation *op,
                              llvm::ArrayRef<Tensor> operands,
                              llvm::MutableArrayRef<Tensor *> results) {
  nb::gil_scoped_acquire locked;
  try {
    nb::list given, wanted;
    for (const Tensor &operand : operands) {
      auto [dtype, shape] = python::textOf(operand.type());
      given.append(
          nb::make_tuple(dtype, shape,
                         nb::bytes(operand.bytes(),
                                   static_cast<size_t>(operand.denseBytes()))));
    }
    for (const Tensor *result : results) {
      auto [dtype, shape] = python::textOf(result->type());
      wanted.append(nb::make_tuple(dtype, shape));
    }
    nb::list made = nb::cast<nb::list>(
        function(given, wanted, engine::configurationOf(op)));
    for (size_t i = 0; i < results.size(); ++i) {
      auto bytes = nb::cast<nb::bytes>(made[i]);
      if (static_cast<int64_t>(bytes.size()) != results[i]->denseBytes())
        return makeError(ErrorCode::Internal, "result {0} has {1} bytes", i,
                         bytes.size());
      std::memcpy(results[i]->mutableBytes(), bytes.data(), bytes.size());
    }
  } catch (const std::exception &error) {
    return makeError(ErrorCode::Mismatch, "the Python function raised {0}",
                     error.what());
  }
  return llvm::Error::success();
}

/// The functions of a dictionary {target: function}; the last owner may release
/// them in any thread.
static std::shared_ptr<const program::CustomFunctions>
functionsOf(const nb::dict &byTarget) {
  auto functions = std::make_shared<program::CustomFunctions>();
  for (auto [target, function] : byTarget) {
    std::shared_ptr<nb::callable> kept(
        new nb::callable(nb::cast<nb::callable>(function)),
        [](nb::callable *callable) {
          nb::gil_scoped_acquire locked;
          delete callable;
        });
    (*functions)[nb::cast<std::string>(target)] =
        [kept](mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
               llvm::MutableArrayRef<Tensor *> results) {
          return callPython(*kept, op, operands, results);
        };
  }
  return functions;
}

using Bytes = nb::ndarray<nb::numpy, uint8_t, nb::ndim<1>>;

/// The elements, which the array then owns: copied only if they have another
/// owner, too (an argument, a constant of the program).
static Bytes ownedBytes(Tensor &&result) {
  auto count = static_cast<size_t>(result.denseBytes());
  auto *kept = new Tensor(std::move(result));
  if (!kept->unique() || kept->buffer()->isView()) {
    Tensor copy = python::valueOf(Tensor::allocate(kept->type()));
    std::memcpy(copy.mutableBytes(), kept->bytes(), count);
    *kept = std::move(copy);
  }
  nb::capsule owner(kept, [](void *tensor) noexcept {
    delete static_cast<Tensor *>(tensor);
  });
  return Bytes(kept->mutableBytes(), {count}, owner);
}

namespace {
class PlannedProgram {
public:
  /// `source`: the text of a program, or with `isPath` its path. `kept`:
  /// numbers of the arguments that keep() sets for all runs until it is called
  /// again.
  PlannedProgram(const std::string &source, bool isPath,
                 const std::string &entry, const std::string &engine,
                 int threads, int64_t maxMemory, const nb::dict &customCalls,
                 const std::string &algorithm, std::vector<size_t> kept,
                 bool foldsScales)
      : kept_(std::move(kept)),
        loaded_(python::valueOf(engine::LoadedProgram::create(
            python::valueOf(isPath ? program::Program::load(source)
                                   : program::Program::parse(source, "<text>")),
            {entry, engine, threads, maxMemory, functionsOf(customCalls),
             algorithm, !kept_.empty(), verify::offersFor, foldsScales}))),
        arguments_(loaded_->inputs().size()) {
    for (size_t i = 0; i < arguments_.size(); ++i)
      if (!llvm::is_contained(kept_, i))
        given_.push_back(i);
  }

  std::vector<python::TypeText> inputs() const {
    return texts(loaded_->inputs());
  }
  std::vector<python::TypeText> outputs() const {
    return texts(loaded_->outputs());
  }

  using Sizes = std::vector<std::vector<int64_t>>;

  void keep(const std::vector<uintptr_t> &addresses, const Sizes &sizes) {
    setViews(kept_, addresses, sizes, arguments_);
  }

  /// Takes the addresses and sizes of the arguments that are not kept; the
  /// caller holds their memory during this call.
  nb::list run(const std::vector<uintptr_t> &addresses, const Sizes &sizes) {
    std::vector<Tensor> arguments = arguments_;
    setViews(given_, addresses, sizes, arguments);
    for (size_t i : kept_)
      if (!arguments[i].valid())
        throw nb::value_error("keep() was not called");
    std::optional<llvm::Expected<std::vector<Tensor>>> results;
    python::unlocked([&] { results.emplace(loaded_->run(arguments)); });
    nb::list out;
    for (Tensor &result : python::valueOf(std::move(*results))) {
      std::vector<int64_t> shape = result.shape().vec();
      out.append(nb::make_tuple(ownedBytes(std::move(result)), shape));
    }
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

  /// Sets the arguments of these numbers to views of the caller's memory.
  void setViews(llvm::ArrayRef<size_t> numbers,
                const std::vector<uintptr_t> &addresses, const Sizes &sizes,
                std::vector<Tensor> &arguments) const {
    llvm::ArrayRef<tensor::TensorType> inputs = loaded_->inputs();
    if (addresses.size() != numbers.size() || sizes.size() != numbers.size())
      throw nb::value_error("one address for each argument is needed");
    for (auto [i, address, size] : llvm::zip(numbers, addresses, sizes)) {
      tensor::TensorType type{inputs[i].element,
                              tensor::Shape(size.begin(), size.end())};
      if (!program::fits(inputs[i], type))
        throw nb::value_error(
            llvm::formatv("argument {0} is {1}, the program takes {2}", i,
                          tensor::toString(type), tensor::toString(inputs[i]))
                .str()
                .c_str());
      arguments[i] = python::valueOf(python::viewAt(type, address));
    }
  }

  std::vector<size_t> kept_, given_; ///< numbers of arguments
  std::unique_ptr<engine::LoadedProgram> loaded_;
  std::vector<Tensor> arguments_; ///< the kept ones; the others are invalid
};
} // namespace

void python::bindRuns(nb::module_ &module) {
  nb::class_<PlannedProgram>(module, "PlannedProgram",
                             "A program planned for an engine.")
      .def(nb::init<const std::string &, bool, const std::string &,
                    const std::string &, int, int64_t, const nb::dict &,
                    const std::string &, std::vector<size_t>, bool>(),
           nb::arg("source"), nb::arg("is_path"), nb::arg("entry") = "",
           nb::arg("engine") = "reference", nb::arg("threads") = 0,
           nb::arg("max_memory") = 0, nb::arg("custom_calls") = nb::dict(),
           nb::arg("alg") = "direct", nb::arg("kept") = std::vector<size_t>(),
           nb::arg("folds_scales") = true)
      .def_prop_ro("inputs", &PlannedProgram::inputs,
                   "(NumPy dtype, sizes) of each; a negative size is any.")
      .def_prop_ro("outputs", &PlannedProgram::outputs)
      .def("keep", &PlannedProgram::keep, nb::arg("addresses"),
           nb::arg("sizes"),
           "Sets the kept arguments: memory that stays as it is until the next keep().")
      .def("run", &PlannedProgram::run, nb::arg("addresses"), nb::arg("sizes"),
           "(bytes, an array of one dimension that owns them, and sizes) of each result, for the arguments that are not kept.");
}
