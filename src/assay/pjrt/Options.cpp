// A table of options: each has a name, an environment variable, and a function
// that accepts or rejects a value. A framework's option overrides the
// environment.
#include "Options.h"

#include "assay/engine/Registry.h"
#include "assay/support/MemorySize.h"
#include "assay/support/Nearest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <unistd.h>

namespace assay::pjrt {

namespace {
struct Row {
  llvm::StringLiteral name;
  const char *variable; ///< null if there is none
  llvm::Error (*set)(Options &, llvm::StringRef text);
};
} // namespace

static llvm::Error setNumber(int &value, llvm::StringRef text, int least,
                             int most, llvm::StringRef what) {
  if (text.getAsInteger(10, value) || value < least || value > most)
    return makeError(assay::ErrorCode::InvalidArgument,
                     "{0} is '{1}', expected a number from {2} to {3}", what,
                     text, least, most);
  return llvm::Error::success();
}

static llvm::Error setEngine(Options &options, llvm::StringRef text) {
  if (text != "native" && text != "reference" && !engine::pjrtPlugin(text))
    return makeError(assay::ErrorCode::InvalidArgument,
                     "ASSAY_ENGINE is '{0}', expected native, reference or "
                     "pjrt:PATH.so",
                     text);
  options.engine = text.str();
  return llvm::Error::success();
}

static llvm::Error setCheck(Options &options, llvm::StringRef text) {
  if (text != "nan" && text != "bound" && text != "shadow")
    return makeError(assay::ErrorCode::InvalidArgument,
                     "ASSAY_CHECK is '{0}', expected nan, bound or shadow",
                     text);
  options.check = text.str();
  return llvm::Error::success();
}

/// Accepts what jax.distributed passes in addition to the number of processes.
static llvm::Error ignore(Options &, llvm::StringRef) {
  return llvm::Error::success();
}

static llvm::Error oneProcess(Options &, llvm::StringRef text) {
  if (text == "1")
    return llvm::Error::success();
  return makeError(assay::ErrorCode::Unsupported,
                   "{0} processes are to share the platform assay, which has "
                   "virtual devices in one: ASSAY_DEVICES",
                   text);
}

static constexpr Row kRows[] = {
    {"engine", "ASSAY_ENGINE", setEngine},
    {"check", "ASSAY_CHECK", setCheck},
    {"record", "ASSAY_RECORD",
     [](Options &options, llvm::StringRef text) -> llvm::Error {
       options.record = text.str();
       return llvm::sys::fs::is_regular_file(text)
                  ? makeError(assay::ErrorCode::InvalidArgument,
                              "ASSAY_RECORD is '{0}', a file; expected a folder",
                              text)
                  : llvm::Error::success();
     }},
    {"devices", "ASSAY_DEVICES",
     [](Options &options, llvm::StringRef text) {
       return setNumber(options.devices, text, 1, 64, "ASSAY_DEVICES");
     }},
    {"memory", "ASSAY_MEMORY",
     [](Options &options, llvm::StringRef text) -> llvm::Error {
       return addContext(parseSize(text).moveInto(options.memoryBytes),
                         "ASSAY_MEMORY");
     }},
    {"worker", nullptr,
     [](Options &options, llvm::StringRef text) -> llvm::Error {
       options.worker = text.str();
       return llvm::Error::success();
     }},
    {"num_nodes", nullptr, oneProcess},
    {"node_id", nullptr, ignore},
    {"partition_index", nullptr, ignore},
    {"threads", "ASSAY_THREADS",
     [](Options &options, llvm::StringRef text) {
       return setNumber(options.threads, text, 0, 4096, "ASSAY_THREADS");
     }},
};

static std::string textOf(const NamedValue &value) {
  switch (value.type) {
  case NamedValue::String:
    return std::string(value.string_value, value.value_size);
  case NamedValue::Int64:
    return std::to_string(value.int64_value);
  case NamedValue::Bool:
    return value.bool_value ? "1" : "0";
  default:
    return "";
  }
}

std::string unknownVariables(llvm::ArrayRef<llvm::StringRef> names) {
  std::vector<llvm::StringRef> known;
  for (const Row &row : kRows)
    if (row.variable)
      known.push_back(row.variable);
  std::string text;
  for (llvm::StringRef name : names) {
    llvm::StringRef near = nearestName(name, known);
    if (name.starts_with("ASSAY_") && !near.empty() && near != name)
      text += llvm::formatv("assay: the variable {0} is set and unknown; did "
                            "you mean {1}?\n",
                            name, near)
                  .str();
  }
  return text;
}

static std::vector<llvm::StringRef> variablesThatAreSet() {
  std::vector<llvm::StringRef> names;
  for (char **each = environ; *each; ++each)
    names.push_back(llvm::StringRef(*each).split('=').first);
  return names;
}

llvm::Expected<Options> Options::read(llvm::ArrayRef<NamedValue> given) {
  Options options;
  llvm::errs() << unknownVariables(variablesThatAreSet());
  for (const Row &row : kRows)
    if (const char *text = row.variable ? std::getenv(row.variable) : "";
        text && *text)
      if (llvm::Error error = row.set(options, text))
        return error;
  for (const NamedValue &value : given) {
    llvm::StringRef name(value.name, value.name_size);
    const Row *row = llvm::find_if(
        kRows, [&](const Row &each) { return each.name == name; });
    if (row == std::end(kRows))
      return makeError(assay::ErrorCode::InvalidArgument,
                       "the plugin assay has no option '{0}', only engine, "
                       "check, record, devices, threads and memory",
                       name);
    if (llvm::Error error = row->set(options, textOf(value)))
      return error;
  }
  if (engine::pjrtPlugin(options.engine) && options.worker.empty())
    return makeError(assay::ErrorCode::Unsupported,
                     "ASSAY_ENGINE is '{0}', but no program 'assay' was named "
                     "that runs it in a process of its own",
                     options.engine);
  return options;
}

} // namespace assay::pjrt
