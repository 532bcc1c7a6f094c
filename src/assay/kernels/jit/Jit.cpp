// From a key to a function pointer: emit LLVM IR, verify it, lower it with a
// target machine for the instruction set found at run time, link the object
// with ORC. Objects are stored on disk under a key that names the processor,
// its features, LLVM's version and the emitters' version. A kernel is checked
// before anyone gets its address.
#include "assay/kernels/jit/Jit.h"

#include "assay/kernels/jit/Emitter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <atomic>
#include <map>
#include <mutex>

namespace assay::kernels {

/// Raise this when the emitters change, so that old cache entries are not used.
static constexpr int kEmitterVersion = 22;

namespace {
struct Entry {
  std::mutex mutex; // held while the kernel is made
  MicroFunction function = nullptr;
  std::optional<ErrorText> failure;
};
} // namespace

struct Jit::State {
  /// A module that is not a micro-kernel.
  struct ModuleEntry {
    std::mutex mutex; // held while the module is made
    void *function = nullptr;
  };
  Isa isa;
  ObjectCache cache;
  Check check;
  std::mutex mutex; // guards entries and engine
  std::map<std::string, std::unique_ptr<Entry>> entries;
  std::map<std::string, std::unique_ptr<ModuleEntry>> modules;
  std::unique_ptr<llvm::orc::LLJIT> engine;
  std::atomic<int64_t> compiled{0};

  State(Isa isa, std::string directory, bool diskCache, Check check)
      : isa(std::move(isa)), cache(std::move(directory), diskCache),
        check(check) {}

  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makeTarget() const;
  llvm::Expected<std::unique_ptr<llvm::Module>>
  emit(const MicroKey &key, llvm::LLVMContext &context,
       llvm::TargetMachine &target) const;
  using Emit = llvm::function_ref<llvm::Expected<std::unique_ptr<llvm::Module>>(
      llvm::LLVMContext &, llvm::TargetMachine &)>;
  llvm::Expected<llvm::SmallString<0>> lower(Emit emit,
                                             llvm::CodeGenFileType type) const;
  llvm::Expected<llvm::SmallString<0>> lower(const MicroKey &key,
                                             llvm::CodeGenFileType type) const {
    return lower(
        [&](llvm::LLVMContext &context, llvm::TargetMachine &target) {
          return emit(key, context, target);
        },
        type);
  }
  llvm::Expected<void *> link(const std::string &name,
                              std::unique_ptr<llvm::MemoryBuffer> object);
  llvm::Expected<MicroFunction>
  link(const MicroKey &key, std::unique_ptr<llvm::MemoryBuffer> object) {
    auto symbol = link(key.text(), std::move(object));
    if (!symbol)
      return symbol.takeError();
    return reinterpret_cast<MicroFunction>(*symbol);
  }
  llvm::Expected<MicroFunction> make(const MicroKey &key);
  std::string cacheKey(const std::string &text) const;
};

static void initialiseTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
Jit::State::makeTarget() const {
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string text;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, text);
  if (!target)
    return makeError(ErrorCode::Internal,
                     "LLVM has no code generator for {0}: {1}", triple.str(),
                     text);
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, isa.cpu, isa.features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Aggressive, /*JIT=*/true));
  if (!machine)
    return makeError(ErrorCode::Internal,
                     "LLVM made no target machine for {0} ({1})", isa.cpu,
                     isa.features);
  return machine;
}

llvm::Expected<std::unique_ptr<llvm::Module>>
Jit::State::emit(const MicroKey &key, llvm::LLVMContext &context,
                 llvm::TargetMachine &target) const {
  auto module = std::make_unique<llvm::Module>(key.text(), context);
  module->setTargetTriple(target.getTargetTriple());
  module->setDataLayout(target.createDataLayout());
  Emitter emitter(*module, key, isa);
  if (isAmx(key.math))
    emitAmx(emitter);
  else if (key.form == MicroForm::Tile)
    emitTile(emitter);
  else if (key.form == MicroForm::Depthwise)
    emitDepthwise(emitter);
  else
    emitDot(emitter);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (llvm::verifyModule(*module, &os))
    return makeError(ErrorCode::Internal,
                     "the generated code of {0} is malformed: {1}", key.text(),
                     text);
  return module;
}

llvm::Expected<llvm::SmallString<0>>
Jit::State::lower(Emit emit, llvm::CodeGenFileType type) const {
  auto target = makeTarget();
  if (!target)
    return target.takeError();
  llvm::LLVMContext context;
  auto module = emit(context, **target);
  if (!module)
    return module.takeError();
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager passes;
  if ((*target)->addPassesToEmitFile(passes, os, nullptr, type))
    return makeError(ErrorCode::Internal, "LLVM cannot emit code for {0}",
                     isa.cpu);
  passes.run(**module);
  return bytes;
}

std::string Jit::State::cacheKey(const std::string &text) const {
  return llvm::formatv("{0}|{1}|{2}|{3}|LLVM {4}|emitter {5}", text, isa.name,
                       isa.cpu, isa.features, LLVM_VERSION_STRING,
                       kEmitterVersion)
      .str();
}

llvm::Expected<void *>
Jit::State::link(const std::string &name,
                 std::unique_ptr<llvm::MemoryBuffer> object) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!engine) {
    auto made = llvm::orc::LLJITBuilder().create();
    if (!made)
      return makeError(ErrorCode::Internal, "ORC did not start: {0}",
                       llvm::toString(made.takeError()));
    engine = std::move(*made);
  }
  // Each kernel has its own library, so that an object from a damaged cache
  // entry can be replaced by a new one.
  static std::atomic<int64_t> number{0};
  auto library =
      engine->createJITDylib(name + "." + std::to_string(number++));
  if (!library)
    return makeError(ErrorCode::Internal, "{0}",
                     llvm::toString(library.takeError()));
  library->addToLinkOrder(*engine->getProcessSymbolsJITDylib());
  if (llvm::Error error = engine->addObjectFile(*library, std::move(object)))
    return makeError(ErrorCode::Internal, "linking {0}: {1}", name,
                     llvm::toString(std::move(error)));
  auto symbol = engine->lookup(*library, name);
  if (!symbol)
    return makeError(ErrorCode::Internal, "linking {0}: {1}", name,
                     llvm::toString(symbol.takeError()));
  return symbol->toPtr<void *>();
}

llvm::Expected<MicroFunction> Jit::State::make(const MicroKey &key) {
  std::string name = cacheKey(key.text());
  bool checked = false;
  if (std::unique_ptr<llvm::MemoryBuffer> object = cache.load(name, checked))
    if (checked || !check)
      return link(key, std::move(object));
  auto bytes = lower(key, llvm::CodeGenFileType::ObjectFile);
  if (!bytes)
    return bytes.takeError();
  ++compiled;
  auto function =
      link(key, llvm::MemoryBuffer::getMemBufferCopy(bytes->str(), key.text()));
  if (!function)
    return function;
  if (check)
    if (llvm::Error error = check(key, *function, isa))
      return error;
  cache.store(name, bytes->str(), check != nullptr);
  return function;
}

Jit::Jit(Isa isa, std::string cacheDirectory, bool diskCache, Check check)
    : state_(std::make_unique<State>(std::move(isa), std::move(cacheDirectory),
                                     diskCache, check)) {
  initialiseTarget();
}

Jit::~Jit() = default;

llvm::Expected<MicroFunction> Jit::get(const MicroKey &key) {
  Entry *entry;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    std::unique_ptr<Entry> &slot = state_->entries[key.text()];
    if (!slot)
      slot = std::make_unique<Entry>();
    entry = slot.get();
  }
  std::lock_guard<std::mutex> lock(entry->mutex);
  if (entry->failure)
    return llvm::make_error<Error>(entry->failure->code,
                                   entry->failure->message);
  if (entry->function)
    return entry->function;
  auto function = state_->make(key);
  if (!function) {
    entry->failure = takeError(function.takeError());
    return llvm::make_error<Error>(entry->failure->code,
                                   entry->failure->message);
  }
  return entry->function = *function;
}

llvm::Expected<void *> Jit::getModule(
    const std::string &name, const std::string &text,
    llvm::function_ref<void(llvm::Module &, const Isa &)> emit) {
  State::ModuleEntry *entry;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    auto &slot = state_->modules[text];
    if (!slot)
      slot = std::make_unique<State::ModuleEntry>();
    entry = slot.get();
  }
  std::lock_guard<std::mutex> lock(entry->mutex);
  if (entry->function)
    return entry->function;
  std::string key = state_->cacheKey(text);
  bool checked = false;
  std::unique_ptr<llvm::MemoryBuffer> object = state_->cache.load(key, checked);
  if (!object) {
    auto bytes = state_->lower(
        [&](llvm::LLVMContext &context, llvm::TargetMachine &target)
            -> llvm::Expected<std::unique_ptr<llvm::Module>> {
          auto module = std::make_unique<llvm::Module>(name, context);
          module->setTargetTriple(target.getTargetTriple());
          module->setDataLayout(target.createDataLayout());
          emit(*module, state_->isa);
          std::string problem;
          llvm::raw_string_ostream os(problem);
          if (llvm::verifyModule(*module, &os))
            return makeError(ErrorCode::Internal,
                             "the generated code of {0} is malformed: {1}",
                             name, problem);
          return module;
        },
        llvm::CodeGenFileType::ObjectFile);
    if (!bytes)
      return bytes.takeError();
    ++state_->compiled;
    state_->cache.store(key, bytes->str(), /*checked=*/false);
    object = llvm::MemoryBuffer::getMemBufferCopy(bytes->str(), name);
  }
  auto function = state_->link(name, std::move(object));
  if (!function)
    return function;
  return entry->function = *function;
}

llvm::Expected<std::string> Jit::emitAssembly(const MicroKey &key) {
  auto bytes = state_->lower(key, llvm::CodeGenFileType::AssemblyFile);
  if (!bytes)
    return bytes.takeError();
  return bytes->str().str();
}

int64_t Jit::compiled() const { return state_->compiled; }
ObjectCache &Jit::cache() { return state_->cache; }
const Isa &Jit::isa() const { return state_->isa; }

} // namespace assay::kernels
