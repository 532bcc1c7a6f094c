// Shared by the commands on dumps: output files that are complete or absent.
#include "Output.h"
#include "assay/tensor/AtomicFile.h"
#include "llvm/Support/raw_ostream.h"

namespace assay::tools {

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
