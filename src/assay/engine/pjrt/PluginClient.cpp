// The calls of the PJRT C API in the order of a run: initialise, client,
// compile, buffers in, execute, buffers out. Every structure is zeroed and its
// size is set; every event is awaited and destroyed.
#include "assay/engine/pjrt/PluginClient.h"

#include "assay/dialect/vhlo/Vhlo.h"
#include "assay/pjrt_abi/Types.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <dlfcn.h>

namespace assay::engine {

using namespace pjrt;
using tensor::Tensor;
using tensor::TensorType;

/// The argument structure of a call, zeroed.
template <typename Args> static Args make() {
  Args args = {};
  args.struct_size = sizeof args;
  return args;
}

llvm::Error PluginClient::errorOf(pjrt::Error *error, const char *doing) const {
  if (!error)
    return llvm::Error::success();
  auto code = make<args::ErrorGetCode>();
  code.error = error;
  api_->ErrorGetCode(&code);
  auto message = make<args::ErrorMessage>();
  message.error = error;
  api_->ErrorMessage(&message);
  std::string text(message.message, message.message_size);
  auto gone = make<args::ErrorDestroy>();
  gone.error = error;
  api_->ErrorDestroy(&gone);
  return makeError(code.code == kUnimplemented ? assay::ErrorCode::Unsupported
                                               : assay::ErrorCode::Mismatch,
                   "the plugin says about {0}: {1}", doing, text);
}

llvm::Error PluginClient::wait(pjrt::Event *event, const char *doing) const {
  if (!event)
    return llvm::Error::success();
  auto await = make<args::EventAwait>();
  await.event = event;
  llvm::Error error = errorOf(api_->EventAwait(&await), doing);
  auto gone = make<args::EventDestroy>();
  gone.event = event;
  api_->EventDestroy(&gone);
  return error;
}

llvm::Error PluginClient::initialize() {
  auto initialize = make<args::PluginInitialize>();
  if (llvm::Error error =
          errorOf(api_->PluginInitialize(&initialize), "its start"))
    return error;
  auto attributes = make<args::PluginAttributes>();
  if (llvm::Error error =
          errorOf(api_->PluginAttributes(&attributes), "its attributes"))
    return error;
  version_ = vhlo::kUsual.text();
  for (size_t i = 0; i < attributes.num_attributes; ++i) {
    const NamedValue &each = attributes.attributes[i];
    if (llvm::StringRef(each.name, each.name_size) ==
            "stablehlo_current_version" &&
        each.type == NamedValue::Int64List && each.value_size == 3) {
      const int64_t *parts = each.int64_array_value;
      vhlo::Version theirs{{static_cast<unsigned>(parts[0]),
                            static_cast<unsigned>(parts[1]),
                            static_cast<unsigned>(parts[2])}};
      version_ = std::min(theirs, vhlo::kNewest).text();
    }
  }
  return llvm::Error::success();
}

llvm::Error PluginClient::create(
    llvm::ArrayRef<std::pair<std::string, std::string>> words) {
  std::vector<NamedValue> options;
  for (const auto &[name, value] : words) {
    NamedValue option = {};
    option.struct_size = sizeof option;
    option.name = name.data();
    option.name_size = name.size();
    option.value_size = 1;
    if (value == "true" || value == "false") {
      option.type = NamedValue::Bool;
      option.bool_value = value == "true";
    } else if (!llvm::StringRef(value).getAsInteger(10, option.int64_value)) {
      option.type = NamedValue::Int64;
    } else {
      option.type = NamedValue::String;
      option.string_value = value.data();
      option.value_size = value.size();
    }
    options.push_back(option);
  }
  auto create = make<args::ClientCreate>();
  create.create_options = options.data();
  create.num_options = options.size();
  if (llvm::Error error = errorOf(api_->ClientCreate(&create), "a client"))
    return error;
  client_ = create.client;
  auto devices = make<args::ClientAddressableDevices>();
  devices.client = client_;
  if (llvm::Error error =
          errorOf(api_->ClientAddressableDevices(&devices), "its devices"))
    return error;
  if (devices.num_addressable_devices == 0)
    return makeError(assay::ErrorCode::Mismatch, "the plugin has no device");
  device_ = devices.addressable_devices[0];
  return llvm::Error::success();
}

llvm::Expected<std::shared_ptr<PluginClient>>
PluginClient::load(llvm::StringRef name) {
  auto [path, rest] = name.split(',');
  std::vector<std::pair<std::string, std::string>> words;
  for (llvm::StringRef word : llvm::split(rest, ',')) {
    if (word.empty())
      continue;
    auto [key, value] = word.split('=');
    words.push_back({key.str(), value.str()});
  }
  // These variables are for our own plugin, when JAX runs on it and it runs on
  // this one. This one may also be ours, and must not read them.
  if (llvm::StringRef(std::getenv("ASSAY_ENGINE") ? std::getenv("ASSAY_ENGINE")
                                                  : "")
          .starts_with("pjrt:"))
    for (const char *own : {"ASSAY_ENGINE", "ASSAY_CHECK", "ASSAY_RECORD"})
      ::unsetenv(own);
  void *library = ::dlopen(path.str().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return makeError(assay::ErrorCode::NotFound, "cannot load '{0}': {1}", path,
                     ::dlerror());
  auto get = reinterpret_cast<const Api *(*)()>(::dlsym(library, "GetPjrtApi"));
  const Api *api = get ? get() : nullptr;
  if (!api)
    return makeError(assay::ErrorCode::NotFound,
                     "'{0}' is not a PJRT plugin: it has no GetPjrtApi", path);
  if (api->pjrt_api_version.major_version != kApiMajor ||
      api->struct_size < offsetof(Api, LoadedExecutableFingerprint))
    return makeError(assay::ErrorCode::Unsupported,
                     "'{0}' has version {1}.{2} of the PJRT C API, expected "
                     "{3}.20 or later",
                     path, api->pjrt_api_version.major_version,
                     api->pjrt_api_version.minor_version, kApiMajor);
  std::shared_ptr<PluginClient> made(new PluginClient());
  made->api_ = api;
  if (llvm::Error error = made->initialize())
    return error;
  if (llvm::Error error = made->create(words))
    return error;
  return made;
}

PluginClient::~PluginClient() {
  if (!client_)
    return;
  auto gone = make<args::ClientDestroy>();
  gone.client = client_;
  llvm::consumeError(errorOf(api_->ClientDestroy(&gone), "its end"));
}

/// The program for another reader: an artifact, or text where VHLO cannot
/// express an operation. The function to run is then called main.
static std::string codeOf(const program::Program &program,
                          mlir::func::FuncOp function,
                          llvm::StringRef version) {
  mlir::OwningOpRef<mlir::ModuleOp> copy(program.module().clone());
  auto entry = mlir::cast<mlir::func::FuncOp>(
      mlir::SymbolTable::lookupSymbolIn(*copy, function.getSymName()));
  if (entry.getSymName() != "main") {
    if (auto other = copy->lookupSymbol<mlir::func::FuncOp>("main"))
      other.setSymName("assay_other_main");
    entry.setSymName("main");
  }
  entry.setPublic();
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  mlir::ScopedDiagnosticHandler quiet(copy->getContext(),
                                      [](mlir::Diagnostic &) {});
  if (mlir::failed(
          vhlo::serialize(*copy, vhlo::Version::parse(version), out))) {
    bytes.clear();
    copy->print(out);
  }
  return bytes;
}

llvm::Expected<LoadedExecutable *>
PluginClient::compile(const program::Program &program,
                      mlir::func::FuncOp function) {
  std::string code = codeOf(program, function, version_);
  // executable_build_options {num_replicas: 1, num_partitions: 1}
  static constexpr char kOptions[] = "\x1a\x04\x20\x01\x28\x01";
  static constexpr llvm::StringLiteral kFormat = "mlir";
  pjrt::Program given = {sizeof given, nullptr,        code.data(),
                         code.size(),  kFormat.data(), kFormat.size()};
  auto compile = make<args::ClientCompile>();
  compile.client = client_;
  compile.program = &given;
  compile.compile_options = kOptions;
  compile.compile_options_size = sizeof kOptions - 1;
  if (llvm::Error error =
          errorOf(api_->ClientCompile(&compile), "compiling the program"))
    return error;
  return compile.executable;
}

void PluginClient::destroy(LoadedExecutable *executable) {
  auto gone = make<args::LoadedExecutableDestroy>();
  gone.executable = executable;
  llvm::consumeError(errorOf(api_->LoadedExecutableDestroy(&gone), "its end"));
}

void PluginClient::destroy(Buffer *buffer) {
  auto gone = make<args::BufferDestroy>();
  gone.buffer = buffer;
  llvm::consumeError(errorOf(api_->BufferDestroy(&gone), "its end"));
}

llvm::Expected<Buffer *> PluginClient::upload(const Tensor &tensor) {
  auto from = make<args::ClientBufferFromHostBuffer>();
  from.client = client_;
  from.data = tensor.bytes();
  from.type = bufferTypeOf(tensor.elementType());
  from.dims = tensor.shape().data();
  from.num_dims = tensor.shape().size();
  from.host_buffer_semantics = kImmutableOnlyDuringCall;
  from.device = device_;
  if (from.type == kInvalid)
    return makeError(assay::ErrorCode::Unsupported,
                     "PJRT has no element type {0}",
                     numerics::toString(tensor.elementType()));
  if (llvm::Error error =
          errorOf(api_->ClientBufferFromHostBuffer(&from), "an argument"))
    return error;
  if (llvm::Error error = wait(from.done_with_host_buffer, "an argument"))
    return error;
  return from.buffer;
}

llvm::Expected<Tensor> PluginClient::download(Buffer *buffer,
                                              const TensorType &type) {
  llvm::Expected<Tensor> made = Tensor::allocate(type);
  if (!made || made->size() == 0)
    return made;
  std::vector<int64_t> minorToMajor;
  for (size_t d = type.shape.size(); d > 0; --d)
    minorToMajor.push_back(static_cast<int64_t>(d) - 1);
  MemoryLayout layout = {};
  layout.struct_size = sizeof layout;
  layout.type = MemoryLayout::Tiled;
  layout.tiled.struct_size = sizeof layout.tiled;
  layout.tiled.minor_to_major = minorToMajor.data();
  layout.tiled.minor_to_major_size = minorToMajor.size();
  auto copy = make<args::BufferToHostBuffer>();
  copy.src = buffer;
  copy.host_layout = &layout;
  copy.dst = made->mutableBytes();
  copy.dst_size = static_cast<size_t>(made->denseBytes());
  if (llvm::Error error = errorOf(api_->BufferToHostBuffer(&copy), "a result"))
    return error;
  if (llvm::Error error = wait(copy.event, "a result"))
    return error;
  return made;
}

llvm::Expected<std::vector<Tensor>>
PluginClient::run(LoadedExecutable *executable,
                  llvm::ArrayRef<Tensor> arguments,
                  llvm::ArrayRef<TensorType> results) {
  std::vector<Buffer *> given, made(results.size(), nullptr);
  auto clear = llvm::make_scope_exit([&] {
    for (Buffer *buffer : llvm::concat<Buffer *>(given, made))
      if (buffer)
        destroy(buffer);
  });
  for (const Tensor &argument : arguments) {
    llvm::Expected<Buffer *> buffer = upload(argument);
    if (!buffer)
      return buffer.takeError();
    given.push_back(*buffer);
  }
  ExecuteOptions options = {};
  options.struct_size = sizeof options;
  Buffer *const *argumentLists[] = {given.data()};
  Buffer **resultLists[] = {made.data()};
  Event *done[] = {nullptr};
  auto execute = make<args::LoadedExecutableExecute>();
  execute.executable = executable;
  execute.options = &options;
  execute.argument_lists = argumentLists;
  execute.num_devices = 1;
  execute.num_args = given.size();
  execute.output_lists = resultLists;
  execute.device_complete_events = done;
  if (llvm::Error error =
          errorOf(api_->LoadedExecutableExecute(&execute), "the run"))
    return error;
  if (llvm::Error error = wait(done[0], "the run"))
    return error;
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < results.size(); ++i) {
    llvm::Expected<Tensor> tensor = download(made[i], results[i]);
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

} // namespace assay::engine
