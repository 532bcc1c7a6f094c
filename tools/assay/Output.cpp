// Shared by the commands on dumps: flags, usage errors with exit code 2, and
// output files that are complete or absent.
#include "Output.h"
#include "assay/tensor/AtomicFile.h"
#include "llvm/Support/raw_ostream.h"

namespace assay::tools {

void CommonFlags::add(CLI::App &app) {
  app.add_option("--threads", threads, "worker threads (default: all cores)");
  app.add_flag("--quiet", quiet, "print verdicts and errors only");
  app.add_option(
      "--json", json,
      "write the same facts as JSON to a file, or - for standard output");
}

std::optional<ExitCode> parse(CLI::App &app,
                              llvm::ArrayRef<const char *> arguments) {
  app.name(arguments[0]);
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) {
      llvm::outs() << app.help();
      return ExitCode::Ok;
    }
    llvm::errs() << "assay: error: " << error.what() << "; `" << arguments[0]
                 << " --help` shows the usage\n";
    return ExitCode::BadInput;
  }
  return std::nullopt;
}

llvm::Error writeText(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> print) {
  if (path == "-") {
    print(llvm::outs());
    llvm::outs().flush();
    return llvm::Error::success();
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  llvm::Expected<std::unique_ptr<tensor::AtomicFile>> file =
      tensor::AtomicFile::create(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error = (*file)->write(text.data(), text.size()))
    return error;
  return (*file)->commit();
}

llvm::Error writeJson(llvm::StringRef path, const llvm::json::Value &value) {
  return writeText(path, [&](llvm::raw_ostream &os) {
    os << llvm::formatv("{0:2}", value) << "\n";
  });
}

} // namespace assay::tools
