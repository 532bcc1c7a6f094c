/// Another library's device behind the PJRT C API: loaded, given programs and
/// tensors. Its errors are errors here, in its words; the isolation
/// around it handles what it does to the process.
#pragma once

#include "assay/pjrt_abi/Abi.h"
#include "assay/program/Program.h"
#include "assay/tensor/Tensor.h"

namespace assay::engine {

class PluginClient {
public:
  /// `name`: "PATH.so[,OPTION=VALUE...]". Options go to the plugin: numbers as
  /// such, true and false too, else text. Errors: NotFound for a file that
  /// cannot be loaded or is not a plugin, Mismatch for what it says.
  static llvm::Expected<std::shared_ptr<PluginClient>>
  load(llvm::StringRef name);
  ~PluginClient();
  PluginClient(const PluginClient &) = delete;

  /// As a portable artifact of the version that the plugin reads; as text where
  /// that has no form for the program (CHLO). Errors: Unsupported, Mismatch.
  llvm::Expected<pjrt::LoadedExecutable *>
  compile(const program::Program &program, mlir::func::FuncOp function);
  void destroy(pjrt::LoadedExecutable *executable);

  /// Runs on the first device. `results`: their types. Errors: Mismatch.
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
