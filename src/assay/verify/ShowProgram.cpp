// --show-program: the words and the bindings as comments, then the program.
#include "assay/verify/ShowProgram.h"
#include "assay/program/Types.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/Options.h"

using namespace assay;
using namespace assay::verify;

static std::string typeText(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  return text;
}

static std::string bindingLine(const Binding &binding, mlir::Type type,
                               const std::string &use) {
  auto shaped = mlir::dyn_cast<mlir::RankedTensorType>(type);
  Dims strides = binding.strides;
  if (strides.empty() && shaped)
    strides =
        rowMajor(Dims(shaped.getShape().begin(), shaped.getShape().end()));
  std::string list;
  for (int64_t stride : strides)
    list += (list.empty() ? "" : ", ") + std::to_string(stride);
  return llvm::formatv("//   {0,-12} {1,-28} tag {2}, strides [{3}], {4}\n",
                       binding.role, typeText(type),
                       binding.tag.empty() ? "any" : binding.tag, list, use)
      .str();
}

std::string verify::showProgram(const Problem &problem,
                                const BoundProgram &bound) {
  llvm::Expected<mlir::func::FuncOp> function =
      bound.program->function(bound.entry);
  if (!function) {
    llvm::consumeError(function.takeError());
    return {};
  }
  std::string fills, text = "// " + problem.repro + "\n";
  for (FillKind fill : fillsOf(*problem.options))
    fills += std::string(fills.empty() ? "" : ",") + nameOf(fill);
  auto use = [&](const Binding &binding) {
    switch (binding.values) {
    case Binding::Values::Constant:
      return llvm::formatv("filled with {0}", binding.value).str();
    case Binding::Values::Previous:
      return std::string("what the output held before");
    case Binding::Values::Positive:
      return "filled with " + fills + ", positive";
    case Binding::Values::Integers:
      return std::string("filled with small integers");
    case Binding::Values::Softmax:
    case Binding::Values::LogSoftmax:
      return llvm::formatv("filled with the {0}softmax of {1} along "
                           "dimension {2}",
                           binding.values == Binding::Values::Softmax ? ""
                                                                      : "log",
                           fills, binding.axis)
          .str();
    case Binding::Values::NonZero:
      return "filled with " + fills + ", not zero";
    case Binding::Values::Factors:
      return "filled with " + fills + ", brought near 1";
    case Binding::Values::Any:
      break;
    }
    return "filled with " + fills;
  };
  for (size_t i = 0; i < bound.inputs.size(); ++i)
    text += bindingLine(bound.inputs[i], function->getArgumentTypes()[i],
                        use(bound.inputs[i]));
  for (size_t i = 0; i < bound.outputs.size(); ++i)
    text +=
        bindingLine(bound.outputs[i], function->getResultTypes()[i], "output");
  llvm::raw_string_ostream os(text);
  (*function)->print(
      os, mlir::OpPrintingFlags().enableDebugInfo(false).printNameLocAsPrefix(
              !problem.driver->readsFile));
  return text + "\n";
}
