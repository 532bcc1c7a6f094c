/// Another library's device behind the PJRT C API: loads it, and passes it
/// programs and tensors. Its errors are errors here, in its words; the
/// isolation around it handles the harm that it does to the process.
#pragma once

#include "assay/pjrt_abi/Abi.h"
#include "assay/program/Program.h"
#include "assay/tensor/Tensor.h"

namespace assay::engine {

class PluginClient {
public:
  /// `name`: "PATH.so[,OPTION=VALUE...]". The plugin receives the options:
  /// numbers, true and false with their type, anything else as text. Errors:
  /// NotFound for a file that cannot be loaded or is not a plugin, Mismatch for
  /// the plugin's own errors.
  static llvm::Expected<std::shared_ptr<PluginClient>>
  load(llvm::StringRef name);
  ~PluginClient();
  PluginClient(const PluginClient &) = delete;

  /// Compiles the program as a portable artifact of the version that the plugin
  /// reads, or as text where an artifact cannot express it (CHLO). Errors:
  /// Unsupported, Mismatch.
  llvm::Expected<pjrt::LoadedExecutable *>
  compile(const program::Program &program, mlir::func::FuncOp function);
  void destroy(pjrt::LoadedExecutable *executable);

  /// Runs on the first device. `results`: the types of the results. Errors:
  /// Mismatch.
  llvm::Expected<std::vector<tensor::Tensor>>
  run(pjrt::LoadedExecutable *executable,
      llvm::ArrayRef<tensor::Tensor> arguments,
      llvm::ArrayRef<tensor::TensorType> results);

private:
  PluginClient() = default;
  llvm::Error errorOf(pjrt::Error *error, const char *doing) const;
  llvm::Error wait(pjrt::Event *event, const char *doing) const;
  llvm::Error initialize();
  llvm::Error create(llvm::ArrayRef<std::pair<std::string, std::string>> words);
  llvm::Expected<pjrt::Buffer *> upload(const tensor::Tensor &tensor);
  llvm::Expected<tensor::Tensor> download(pjrt::Buffer *buffer,
                                          const tensor::TensorType &type);
  void destroy(pjrt::Buffer *buffer);

  const pjrt::Api *api_ = nullptr;
  pjrt::Client *client_ = nullptr;
  pjrt::Device *device_ = nullptr;
  std::string version_; ///< of artifacts that the plugin reads
};

} // namespace assay::engine
