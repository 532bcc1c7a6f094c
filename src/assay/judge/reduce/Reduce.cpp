// The order of the cuts, the sentence, and the files. Cuts are repeated until
// none helps: a smaller value can allow a smaller size.
#include "assay/judge/reduce/Reduce.h"
#include "assay/formats/Npz.h"
#include "assay/judge/reduce/Shrink.h"
#include "assay/support/AtomicFile.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace assay;
using namespace assay::judge;
using tensor::Tensor;

static constexpr int kMostRounds = 4;

/// "tensor<1x2xf32>, tensor<2x1xf32>".
static std::string typesText(llvm::ArrayRef<Tensor> tensors) {
  std::string text;
  for (const Tensor &tensor : tensors)
    text += (text.empty() ? "" : ", ") + tensor::toString(tensor.type());
  return text;
}

static std::string operationsText(const TestCase &test) {
  std::vector<std::string> names;
  for (mlir::Operation &op : test.main().getBody().front().without_terminator())
    if (op.getName().getStringRef() != "stablehlo.constant")
      names.push_back(op.getName().getStringRef().str());
  if (names.empty())
    return "a constant";
  if (names.size() > 3)
    return std::to_string(names.size()) + " operations";
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

static std::string sentenceOf(const ReducedTest &reduced, Trial &trial) {
  const Finding &finding = reduced.finding;
  std::string who = reduced.test.recorded.empty() ? trial.subject().name()
                                                  : "the recording",
              what = operationsText(reduced.test);
  if (!reduced.test.inputs.empty())
    what += " of " + typesText(reduced.test.inputs);
  switch (finding.symptom) {
  case Symptom::WrongValue:
  case Symptom::NotFinite: {
    const WorstPoint &worst = finding.worst;
    std::string where =
        finding.expected.size() > finding.result
            ? indexText(finding.expected[finding.result].shape(), worst.index)
            : std::string();
    return llvm::formatv("{0} computes {1} wrongly: out{2}{3} is {4}, right is "
                         "{5} (error {6}, a correct result is off by {7} at "
                         "most)",
                         who, what, finding.result, where,
                         numberText(worst.got), numberText(worst.expected),
                         numberText(worst.error), numberText(worst.bound))
        .str();
  }
  case Symptom::None:
    return who + " computes " + what + " within the bound";
  default:
    return who + ": " + nameOf(finding.symptom) + " in " + what;
  }
}

ReducedTest judge::shrink(FailingPart part, Trial &trial) {
  Shrinking work{std::move(part.test), part.symptom, trial};
  for (int round = 0; round < kMostRounds && !trial.spent(); ++round) {
    bool changed = shrinkResults(work);
    changed |= shrinkSizes(work);
    changed |= shrinkAttributes(work);
    changed |= shrinkValues(work);
    if (!changed)
      break;
  }
  ReducedTest reduced;
  reduced.test = std::move(work.test);
  reduced.finding = trial.judge(reduced.test);
  reduced.operation = std::move(part.operation);
  reduced.location = std::move(part.location);
  reduced.execution = part.execution;
  reduced.sentence = sentenceOf(reduced, trial);
  return reduced;
}

static int64_t operationsOf(mlir::ModuleOp module) {
  int64_t count = 0;
  module.walk([&](mlir::Operation *op) {
    count += op->getName().getDialectNamespace() != "func" &&
             op->getName().getDialectNamespace() != "builtin" &&
             op->getName().getStringRef() != "stablehlo.constant" &&
             !op->hasTrait<mlir::OpTrait::IsTerminator>();
  });
  return count;
}

llvm::Expected<Reduction> judge::reduce(const ReduceRequest &request,
                                        Trial &trial) {
  llvm::Expected<GraphSearch> found = searchGraph(
      request.program, request.entry, request.inputs, request.plan, trial);
  if (!found)
    return found.takeError();
  Reduction reduction;
  reduction.operations = operationsOf(request.program->module());
  for (const Tensor &input : request.inputs)
    reduction.elements += input.size();
  reduction.note = std::move(found->note);
  std::set<std::string> seen;
  for (FailingPart &part : found->parts) {
    ReducedTest reduced = shrink(std::move(part), trial);
    if (seen.insert(reduced.test.key()).second)
      reduction.tests.push_back(std::move(reduced));
  }
  reduction.trials = trial.count();
  reduction.isComplete = !trial.spent();
  return reduction;
}

std::string ReducedTest::text() const {
  llvm::Expected<std::shared_ptr<const program::Program>> marked =
      editedProgram(*test.program, [](mlir::ModuleOp module) {
        auto *context = module.getContext();
        mlir::SymbolTable::lookupSymbolIn(module, "main")
            ->setAttr(kRuleAttribute, mlir::StringAttr::get(context, "bound"));
      });
  std::string text;
  llvm::raw_string_ostream os(text);
  mlir::ModuleOp module = marked ? (*marked)->module() : test.program->module();
  module.print(os, mlir::OpPrintingFlags().enableDebugInfo(false));
  if (!marked)
    llvm::consumeError(marked.takeError());
  return text + "\n";
}

static llvm::Error writeData(const ReducedTest &reduced, llvm::StringRef path) {
  llvm::Expected<formats::NpzWriter> data = formats::NpzWriter::create(path);
  if (!data)
    return data.takeError();
  auto add = [&](llvm::StringRef name,
                 llvm::ArrayRef<Tensor> tensors) -> llvm::Error {
    for (auto [i, tensor] : llvm::enumerate(tensors)) {
      llvm::Expected<Tensor> dense = tensor.dense();
      if (!dense)
        return dense.takeError();
      if (llvm::Error error = data->add(name.str() + std::to_string(i), *dense))
        return error;
    }
    return llvm::Error::success();
  };
  for (auto [name, tensors] :
       {std::pair<const char *, const std::vector<Tensor> *>{
            "in", &reduced.test.inputs},
        {"out", &reduced.finding.expected},
        {"got", &reduced.test.recorded}})
    if (llvm::Error error = add(name, *tensors))
      return error;
  return data->finish();
}

llvm::Error judge::writeTest(const ReducedTest &reduced, llvm::StringRef path) {
  llvm::SmallString<256> data(path);
  llvm::sys::path::replace_extension(data, ".npz");
  if (llvm::Error error = writeData(reduced, data))
    return error;
  std::string text = "// " + reduced.sentence + "\n// First seen at " +
                     reduced.location + ", execution " +
                     std::to_string(reduced.execution) + " of that " +
                     reduced.operation + ".\n// Inputs and right results: " +
                     llvm::sys::path::filename(data).str() +
                     "; run with `assay test`.\n" + reduced.text();
  return writeAtomically(path, text);
}
