// Operations without arithmetic: tokens, tuples, barriers, identities,
// supported custom calls, printing and probing.
#include "assay/dialect/Stablehlo.h"
#include "assay/formats/Npy.h"
#include "assay/program/Print.h"
#include "assay/reference/custom/CustomCalls.h"

#include "llvm/Support/FileSystem.h"

namespace assay::reference {

using program::Token;
using program::Tuple;

// Returns each operand as the result of the same number.
std::unique_ptr<Step> forwardOperands() {
  return program::makeOwningStep([](StepContext &context) -> llvm::Error {
    for (size_t i = 0; i < context.results.size(); ++i) {
      if (context.shadowRun)
        context.setOut(i, context.operand(i));
      else
        context.setResult(i, context.operandValue(i));
    }
    return llvm::Error::success();
  });
}

llvm::Expected<std::unique_ptr<Step>> optimizationBarrier(const StepSpec &) {
  return forwardOperands();
}

llvm::Expected<std::unique_ptr<Step>> makeToken(const StepSpec &) {
  return program::makeOwningStep([](StepContext &context) -> llvm::Error {
    context.setResult(0, Value(Token()));
    return llvm::Error::success();
  });
}

llvm::Expected<std::unique_ptr<Step>> makeTuple(const StepSpec &) {
  return program::makeOwningStep([](StepContext &context) -> llvm::Error {
    auto values = std::make_shared<std::vector<Value>>();
    for (size_t i = 0; i < context.operandCount(); ++i)
      values->push_back(context.operandValue(i));
    context.setResult(0, Value(Tuple(std::move(values))));
    return llvm::Error::success();
  });
}

llvm::Expected<std::unique_ptr<Step>> getTupleElement(const StepSpec &spec) {
  return program::makeOwningStep(
      [index = intOf(spec.op, "index")](StepContext &context) -> llvm::Error {
        const Value &element =
            context.operandValue(0).tuple()[static_cast<size_t>(index)];
        if (context.shadowRun)
          context.setOut(0, element.shadowOrTensor());
        else
          context.setResult(0, element);
        return llvm::Error::success();
      });
}

// A future is the tuple of the results of the computation that async_start ran.
llvm::Expected<std::unique_ptr<Step>> asyncDone(const StepSpec &spec) {
  if (spec.shadow)
    return makeError(ErrorCode::Unsupported, "a shadow travels with its value");
  return program::makeOwningStep([](StepContext &context) -> llvm::Error {
    const std::vector<Value> &values = context.operandValue(0).tuple();
    for (size_t i = 0; i < context.results.size(); ++i)
      context.setResult(i, values[i]);
    return llvm::Error::success();
  });
}

// Checks in the form of custom calls (ops/Check.cpp).
std::unique_ptr<Step> makeCheckCall(const StepSpec &spec,
                                    llvm::StringRef target);
std::unique_ptr<Step> makeShapeAssertion(const StepSpec &spec);

llvm::Expected<std::unique_ptr<Step>> customCall(const StepSpec &spec) {
  llvm::StringRef target = stringOf(spec.op, "call_target_name");
  if (std::unique_ptr<Step> check = makeCheckCall(spec, target))
    return check;
  if (target == "shape_assertion")
    return makeShapeAssertion(spec);
  return customCallStep(spec, target);
}

// Prints "%name = tensor<...> { ... }" like the upstream interpreter.
llvm::Expected<std::unique_ptr<Step>> print(const StepSpec &) {
  return program::makeOwningStep([](StepContext &context) -> llvm::Error {
    llvm::raw_ostream &os =
        context.run.printStream ? *context.run.printStream : llvm::outs();
    std::string name;
    llvm::raw_string_ostream nameStream(name);
    context.op->getOperand(0).printAsOperand(nameStream,
                                             mlir::OpPrintingFlags());
    os << name << " = ";
    program::printTensor(os, context.operandValue(0).tensor());
    os << "\n";
    return llvm::Error::success();
  });
}

// Writes probeN.npy and a line "probe_id,type,path" to index.csv, and returns
// its operand.
llvm::Expected<std::unique_ptr<Step>> probe(const StepSpec &spec) {
  return program::makeOwningStep([id = stringOf(spec.op, "probe_id").str()](
                                     StepContext &context) -> llvm::Error {
    if (context.shadowRun) {
      context.setOut(0, context.operand(0));
      return llvm::Error::success();
    }
    context.setResult(0, context.operandValue(0));
    if (context.run.probeDirectory.empty())
      return makeError(
          ErrorCode::InvalidArgument,
          "there is no probe directory: give one with --probe-output-dir");
    if (std::error_code code =
            llvm::sys::fs::create_directories(context.run.probeDirectory))
      return makeError(ErrorCode::NotFound,
                       "cannot make the probe directory '{0}': {1}",
                       context.run.probeDirectory, code.message());
    const Tensor &tensor = context.operandValue(0).tensor();
    std::string path =
        llvm::formatv("{0}/probe{1}.npy", context.run.probeDirectory,
                      ++context.run.probeCount)
            .str();
    llvm::Expected<Tensor> dense = tensor.dense();
    if (!dense)
      return dense.takeError();
    if (llvm::Error error = formats::writeNpy(path, *dense))
      return error;
    std::error_code code;
    bool first = context.run.probeCount == 1;
    llvm::raw_fd_ostream index(
        context.run.probeDirectory + "/index.csv", code,
        first ? llvm::sys::fs::CD_CreateAlways : llvm::sys::fs::CD_OpenAlways,
        llvm::sys::fs::FA_Write,
        first ? llvm::sys::fs::OF_None : llvm::sys::fs::OF_Append);
    if (code)
      return makeError(ErrorCode::NotFound, "cannot write '{0}/index.csv': {1}",
                       context.run.probeDirectory, code.message());
    index << id << "," << tensor::toString(tensor.type()) << "," << path
          << "\n";
    return llvm::Error::success();
  });
}

} // namespace assay::reference
