// The operators of a dump: a list of traced PyTorch calls (dump.json) or a
// StableHLO program, each call or operation as a small program.
#include "assay/trace/Operators.h"
#include "assay/formats/Hdf5Reader.h"
#include "assay/trace/OneOp.h"
#include "assay/trace/Ranks.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace assay::trace {

Operators::Operators() = default;
Operators::Operators(Operators &&) = default;
Operators::~Operators() = default;

/// dump.json of an operator dump, by the places where the recorder puts it.
static std::string descriptionBeside(llvm::StringRef dumpPath) {
  llvm::StringRef stem = dumpPath;
  stem.consume_back(".h5");
  std::string beside = stem.str() + "_operators.json";
  if (llvm::sys::fs::exists(beside))
    return beside;
  llvm::SmallString<256> up(llvm::sys::path::parent_path(dumpPath));
  if (up.empty())
    up = ".";
  llvm::sys::path::append(up, "..", "dump.json");
  bool recorders = llvm::sys::path::filename(dumpPath) == "operators.h5";
  return recorders && llvm::sys::fs::exists(up) ? up.str().str() : "";
}

llvm::Expected<Operators> Operators::of(llvm::StringRef dumpPath,
                                        llvm::StringRef description) {
  Operators result;
  result.description_ =
      description.empty() ? descriptionBeside(dumpPath) : description.str();
  if (result.description_.empty())
    return result;
  if (llvm::StringRef(result.description_).ends_with(".json")) {
    llvm::Expected<std::vector<TracedCall>> calls =
        readOperatorTrace(result.description_);
    if (!calls)
      return calls.takeError();
    result.calls_ = std::move(*calls);
    for (size_t i = 0; i < result.calls_.size(); ++i)
      result.byName_[result.calls_[i].name] = i;
    return result;
  }
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      program::Program::load(result.description_);
  if (!program)
    return program.takeError();
  OperationPaths paths;
  (*program)->module().walk([&](mlir::Operation *op) {
    if (!op->getParentOfType<mlir::func::FuncOp>() || op->getNumOperands() == 0)
      return;
    if (std::string bytes = oneOpProgram(op); !bytes.empty())
      result.programs_[paths.of(op) + "." +
                       op->getName().stripDialect().str()] = std::move(bytes);
  });
  return result;
}

llvm::Expected<Operators> Operators::ofRecording(std::string &path,
                                                 llvm::StringRef program) {
  llvm::SmallString<256> beside(path);
  llvm::sys::path::append(beside, "dump.json");
  if (llvm::sys::fs::exists(beside))
    path = beside.str().str();
  else if (llvm::Error error = oneDump(path).moveInto(path))
    return error;
  bool isJson = llvm::StringRef(path).ends_with(".json");
  llvm::Expected<Operators> operators =
      of(path, isJson ? llvm::StringRef(path) : program);
  if (!operators || !operators->description().empty())
    return operators;
  if (llvm::Error error = formats::Hdf5Reader::open(path).takeError())
    return error;
  return makeError(ErrorCode::InvalidArgument,
                   "'{0}' comes without a description of its operators; record "
                   "with begin_dump or dump_torch_api=True, or name the "
                   "program that was recorded with --program FILE.mlir",
                   path);
}

llvm::Expected<AtenProgram> Operators::program(const DumpName &name,
                                               Stages stages) const {
  if (auto call = byName_.find(name.module); call != byName_.end())
    return atenProgram(calls_[call->second], stages);
  auto bytes = programs_.find(name.module + "." + name.className);
  if (bytes == programs_.end())
    return makeError(ErrorCode::Unsupported, "'{0}' is not described",
                     name.callText());
  llvm::Expected<std::shared_ptr<const program::Program>> read =
      program::Program::fromBytecode(bytes->second, name.callText());
  if (!read)
    return read.takeError();
  llvm::Expected<mlir::func::FuncOp> function = (*read)->function("main");
  if (!function)
    return function.takeError();
  AtenProgram program;
  program.program = *read;
  for (unsigned i = 0; i < function->getNumArguments(); ++i)
    program.inputs.push_back(std::to_string(i));
  for (unsigned i = 0; i < function->getNumResults(); ++i)
    program.outputs.push_back(i);
  return program;
}

/// An argument as text; empty for arguments that do not change the call's
/// meaning: tensors, types, devices, layouts.
static std::string argumentText(const llvm::json::Value &value) {
  if (const llvm::json::Array *list = value.getAsArray()) {
    std::string text;
    for (const llvm::json::Value &item : *list)
      text += (text.empty() ? "" : ", ") + argumentText(item);
    return "[" + text + "]";
  }
  if (const llvm::json::Object *object = value.getAsObject()) {
    const llvm::json::Value *number = object->get("float");
    return number ? argumentText(*number) : "";
  }
  if (std::optional<llvm::StringRef> text = value.getAsString())
    return text->str();
  if (value.kind() == llvm::json::Value::Null)
    return "None";
  // 1 and 1.0 are the same number.
  if (std::optional<double> number = value.getAsNumber())
    return llvm::formatv("{0}", llvm::format("%.9g", *number)).str();
  return llvm::formatv("{0}", value).str();
}

/// Takes over the meaningful arguments of `asked`; others become defaults.
static void takeNamed(llvm::json::Object &own, const llvm::json::Object &asked) {
  std::vector<std::string> defaults;
  for (const auto &[key, value] : own)
    if (!asked.get(key) && !argumentText(value).empty())
      defaults.push_back(key.str());
  for (const std::string &key : defaults)
    own.erase(key);
  for (const auto &[key, value] : asked)
    if (!argumentText(value).empty())
      own[key] = value;
}

llvm::Expected<AtenProgram>
Operators::programAskedBy(const Operators &bench, const DumpName &benchName,
                          const DumpName &name, Stages stages) const {
  auto mine = byName_.find(name.module);
  auto theirs = bench.byName_.find(benchName.module);
  if (mine == byName_.end() || theirs == bench.byName_.end())
    return bench.program(benchName, stages);
  TracedCall call = calls_[mine->second];
  const TracedCall &asked = bench.calls_[theirs->second];
  auto hasMeaning = [](const llvm::json::Value &value) {
    std::string text = argumentText(value);
    return llvm::any_of(text, [](char c) { return !llvm::StringRef("[], ").contains(c); });
  };
  while (call.args.size() > asked.args.size() && hasMeaning(call.args.back()))
    call.args.pop_back(); // the bench used the default
  for (size_t i = 0; i < asked.args.size(); ++i)
    if (i == call.args.size())
      call.args.push_back(asked.args[i]);
    else if (hasMeaning(asked.args[i]))
      call.args[i] = asked.args[i];
  takeNamed(call.kwargs, asked.kwargs);
  takeNamed(call.scalars, asked.scalars);
  return atenProgram(call, stages);
}

void ArgumentDifference::note(llvm::StringRef name,
                              const llvm::json::Value *target,
                              const llvm::json::Value *bench) {
  std::string left = target ? argumentText(*target) : "its default",
              right = bench ? argumentText(*bench) : "its default";
  if (left.empty() || right.empty() || left == right)
    return;
  text_ += text_.empty() ? std::string(verb_) + " " : "; with ";
  text_ += name.str() + (name.empty() ? "" : "=") + left + ", the bench with " +
           right;
}

std::string Operators::differenceFrom(const DumpName &name,
                                      const Operators &bench,
                                      const DumpName &benchName) const {
  auto mine = byName_.find(name.module);
  auto theirs = bench.byName_.find(benchName.module);
  if (mine == byName_.end() || theirs == bench.byName_.end())
    return "";
  const TracedCall &x = calls_[mine->second], &y = bench.calls_[theirs->second];
  ArgumentDifference found("called with");
  auto at = [](const llvm::json::Array &list, size_t i) {
    return i < list.size() ? &list[i] : nullptr;
  };
  auto noteNamed = [&](const llvm::json::Object &a,
                       const llvm::json::Object &b) {
    for (const auto &[key, value] : a)
      found.note(key.str(), &value, b.get(key));
    for (const auto &[key, value] : b)
      if (!a.get(key))
        found.note(key.str(), nullptr, &value);
  };
  if (!x.scalars.empty() && !y.scalars.empty()) {
    noteNamed(x.scalars, y.scalars);
    return found.text();
  }
  for (size_t i = 0; i < std::max(x.args.size(), y.args.size()); ++i)
    found.note("argument " + std::to_string(i), at(x.args, i), at(y.args, i));
  noteNamed(x.kwargs, y.kwargs);
  return found.text();
}

llvm::StringRef Operators::source(const DumpName &name) const {
  auto call = byName_.find(name.module);
  return call == byName_.end() ? ""
                               : llvm::StringRef(calls_[call->second].source);
}

} // namespace assay::trace
