// Makes arguments from specifications.
#include "assay/program/Inputs.h"
#include "assay/formats/Npz.h"
#include "assay/formats/TensorFile.h"
#include "assay/numerics/Quantization.h"
#include "assay/program/ComputedTensor.h"
#include "assay/program/DynamicStep.h"
#include "assay/program/Types.h"
#include "assay/support/Random.h"
#include "assay/support/Words.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"

namespace assay::program {

using numerics::ElementType;
using tensor::Tensor;
using tensor::TensorType;

llvm::Expected<Tensor> randomTensor(const TensorType &type, uint64_t seed,
                                    uint64_t argument) {
  CounterRandom random(seed, argument);
  ElementType element = type.element;
  if (element.isFloat())
    return computedTensor<double>(
        type, ElementType::floating(numerics::FloatFormat::F64), 1,
        [&](uint64_t i) { return random.normal(i); });
  if (element.isComplex())
    return computedTensor<double>(
        type, ElementType::complex(numerics::FloatFormat::F64), 2,
        [&](uint64_t i) { return random.normal(i); });
  int64_t low = 0, high = 1;
  if (const auto *parameters = element.quantization) {
    low = parameters->storageMin;
    high = parameters->storageMax;
  } else if (element.isInteger() && element.bits > 8) {
    low = element.isSigned() ? -1000 : 0;
    high = 1000;
  } else if (element.isInteger()) {
    low = element.isSigned() ? -(int64_t{1} << (element.bits - 1)) : 0;
    high = element.isSigned() ? -low - 1 : (int64_t{1} << element.bits) - 1;
  }
  return computedTensor<int64_t>(
      type, ElementType::integer(64), 1,
      [&](uint64_t i) { return random.integer(i, low, high); });
}

static llvm::Expected<Tensor> literalTensor(llvm::StringRef spec) {
  // Literals are parsed in a separate context, and the result is copied from
  // it.
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message = diagnostic.str();
                                          return mlir::success();
                                        });
  auto attribute = mlir::dyn_cast_or_null<mlir::ElementsAttr>(
      mlir::parseAttribute(spec, &context));
  if (!attribute)
    return makeError(ErrorCode::InvalidArgument, "not a tensor literal: {0}",
                     message.empty() ? "expected dense<...> : tensor<...>"
                                     : message);
  llvm::Expected<Tensor> view = tensorOf(attribute, std::make_shared<int>(0));
  if (!view)
    return view;
  if (view->isSplat())
    return view;
  llvm::Expected<Tensor> copy = Tensor::allocate(view->type());
  if (copy)
    std::copy_n(view->bytes(), view->denseBytes(), copy->mutableBytes());
  return copy;
}

/// Whether a spec is `dense<...` or `dense_resource<...`; "densenet.npz" is a
/// file.
static bool isLiteral(llvm::StringRef spec) {
  return spec.consume_front("dense") &&
         (spec.consume_front("_resource"), spec.ltrim().starts_with("<"));
}

static bool isMade(llvm::StringRef spec) {
  return spec == "zeros" || spec == "iota" || spec == "random" ||
         spec.starts_with("random:");
}

/// Errors: NotFound for a spec that is neither a file nor a keyword.
static llvm::Error checkFile(llvm::StringRef spec) {
  std::string path = formats::parseTensorSpec(spec).path;
  if (llvm::sys::fs::exists(path))
    return llvm::Error::success();
  return makeError(ErrorCode::NotFound,
                   "there is no file '{0}'; an input is a tensor file, "
                   "dense<...> : tensor<...>, random[:seed], zeros or iota",
                   path);
}

static llvm::Expected<Tensor> makeInput(llvm::StringRef spec,
                                        const TensorType &type, uint64_t seed,
                                        uint64_t argument) {
  if (isMade(spec) && isDynamic(type))
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' has no size for the ? of {1}: give a file or a "
                     "literal",
                     spec, tensor::toString(type));
  if (spec == "zeros") {
    std::byte zero[16] = {};
    return Tensor::splat(type, zero);
  }
  if (spec == "iota")
    return computedTensor<int64_t>(
        type, ElementType::integer(64), 1,
        [](uint64_t i) { return static_cast<int64_t>(i); });
  if (spec == "random" || spec.starts_with("random:")) {
    if (spec != "random" && spec.drop_front(7).getAsInteger(10, seed))
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}': the seed is not a number", spec);
    return randomTensor(type, seed, argument);
  }
  if (!isLiteral(spec) && !spec.contains('.'))
    if (llvm::Error error = checkFile(spec))
      return error;
  llvm::Expected<Tensor> tensor =
      isLiteral(spec) ? literalTensor(spec) : formats::readTensor(spec, type);
  // The literal of a quantised argument is written in the storage type.
  if (tensor && type.element.quantization &&
      tensor->elementType() == numerics::storageOf(type.element))
    *tensor = tensor->bitcast(type.element);
  if (tensor && !fits(type, tensor->type()))
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is {1}, the program takes {2}", spec,
                     tensor::toString(tensor->type()), tensor::toString(type));
  return tensor;
}

/// The error for a wrong number of inputs. A missing file is reported instead,
/// because it is the likelier mistake.
static llvm::Error wrongCount(mlir::func::FuncOp function,
                              llvm::ArrayRef<std::string> specs) {
  for (const std::string &spec : specs)
    if (!isMade(spec) && !isLiteral(spec))
      if (llvm::Error error = checkFile(spec))
        return error;
  return makeError(
      ErrorCode::InvalidArgument,
      "@{0} takes {1}, {2} given (--input, one each; or one FILE.npz with in0, "
      "in1, ...; or random)",
      function.getSymName(),
      counted(function.getNumArguments(), "argument"),
      specs.size() == 1 ? "1 input was"
                        : llvm::formatv("{0} inputs were", specs.size()).str());
}

llvm::Expected<std::vector<Tensor>>
makeInputs(const Program &program, mlir::func::FuncOp function,
           llvm::ArrayRef<std::string> specs, uint64_t seed) {
  std::vector<std::string> expanded(specs.begin(), specs.end());
  size_t parameters = function.getNumArguments();
  llvm::StringRef only =
      specs.size() == 1 ? llvm::StringRef(specs[0]) : llvm::StringRef();
  if (only == "random" || only.starts_with("random:")) {
    expanded.assign(parameters, only.str());
  } else if (only.ends_with(".npz")) {
    expanded.clear();
    for (size_t i = 0; i < parameters; ++i)
      expanded.push_back((only + ":in" + llvm::Twine(i)).str());
    if (llvm::Error error = formats::refuseSurplusMembers(
            only, "in", parameters,
            llvm::formatv("@{0} takes {1}", function.getSymName(),
                          counted(parameters, "argument"))
                .str()))
      return error;
  }
  if (expanded.size() != parameters)
    return wrongCount(function, expanded);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < parameters; ++i) {
    llvm::Expected<TensorType> type =
        dynamicTypeOf(function.getArgumentTypes()[i]);
    if (!type)
      return addContext(type.takeError(), "argument " + llvm::Twine(i) +
                                              " of @" + function.getSymName());
    llvm::Expected<Tensor> tensor = makeInput(expanded[i], *type, seed, i);
    if (!tensor) {
      ErrorText why = takeError(tensor.takeError());
      bool isNamed = why.code == ErrorCode::NotFound && only.ends_with(".npz");
      return makeError(why.code, "argument {0} of @{1}: {2}{3}", i,
                       function.getSymName(), why.message,
                       isNamed ? "; other names are given one by one: --input "
                                 "FILE.npz:NAME"
                               : "");
    }
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

llvm::Expected<std::vector<std::string>> splitArgs(llvm::StringRef given) {
  llvm::StringRef text = given.trim();
  if (!text.consume_front("[") || !text.consume_back("]"))
    return makeError(ErrorCode::InvalidArgument,
                     "--args takes [dense<...> : tensor<...>, ...], got '{0}'",
                     given);
  std::vector<std::string> parts;
  int depth = 0;
  std::string current;
  for (char c : text) {
    depth += c == '<' || c == '[' || c == '('   ? 1
             : c == '>' || c == ']' || c == ')' ? -1
                                                : 0;
    if (c == ',' && depth == 0) {
      parts.push_back(llvm::StringRef(current).trim().str());
      current.clear();
    } else {
      current += c;
    }
  }
  if (!llvm::StringRef(current).trim().empty())
    parts.push_back(llvm::StringRef(current).trim().str());
  return parts;
}

} // namespace assay::program
