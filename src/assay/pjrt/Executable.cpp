// Executables: properties of a compiled program, and its execution. A run is
// complete when the call returns, so its events are ready.
#include "Answers.h"
#include "Compiled.h"

#include "assay/support/HostInterrupt.h"

namespace assay::pjrt {

Error *answer(args::ExecutableDestroy *a) {
  delete a->executable;
  return nullptr;
}

Error *answer(args::ExecutableName *a) {
  a->executable_name = a->executable->compiled->name.data();
  a->executable_name_size = a->executable->compiled->name.size();
  return nullptr;
}

Error *answer(args::ExecutableNumReplicas *a) {
  a->num_replicas =
      static_cast<size_t>(a->executable->compiled->options.replicas);
  return nullptr;
}

Error *answer(args::ExecutableNumPartitions *a) {
  a->num_partitions =
      static_cast<size_t>(a->executable->compiled->options.partitions);
  return nullptr;
}

Error *answer(args::ExecutableNumOutputs *a) {
  a->num_outputs = a->executable->compiled->outputs.size();
  return nullptr;
}

// A plan contains no machine code.
Error *answer(args::ExecutableSizeOfGeneratedCodeInBytes *a) {
  a->size_in_bytes = 0;
  return nullptr;
}

Error *answer(args::ExecutableGetCostAnalysis *a) {
  a->num_properties = 0;
  a->properties = nullptr;
  return nullptr;
}

Error *answer(args::ExecutableOutputMemoryKinds *a) {
  const Compiled &compiled = *a->executable->compiled;
  a->num_outputs = compiled.outputs.size();
  a->memory_kinds = compiled.memoryKinds.data();
  a->memory_kind_sizes = compiled.memoryKindSizes.data();
  return nullptr;
}

Error *answer(args::ExecutableOutputElementTypes *a) {
  Compiled &compiled = *a->executable->compiled;
  a->output_types = compiled.outputTypes.data();
  a->num_output_types = compiled.outputTypes.size();
  return nullptr;
}

Error *answer(args::ExecutableOutputDimensions *a) {
  const Compiled &compiled = *a->executable->compiled;
  a->num_outputs = compiled.outputs.size();
  a->dims = compiled.outputDims.data();
  a->dim_sizes = compiled.outputRanks.data();
  return nullptr;
}

static int64_t bytesOf(llvm::ArrayRef<tensor::TensorType> types) {
  int64_t bytes = 0;
  for (const tensor::TensorType &type : types)
    bytes += llvm::cantFail(tensor::elementCount(type.shape)) *
             type.element.storageBytes();
  return bytes;
}

Error *answer(args::ExecutableGetCompiledMemoryStats *a) {
  const Compiled &compiled = *a->executable->compiled;
  a->generated_code_size_in_bytes = a->alias_size_in_bytes =
      a->temp_size_in_bytes = 0;
  a->argument_size_in_bytes = bytesOf(compiled.inputs);
  a->output_size_in_bytes = bytesOf(compiled.outputs);
  a->host_generated_code_size_in_bytes = a->host_argument_size_in_bytes =
      a->host_output_size_in_bytes = a->host_alias_size_in_bytes =
          a->host_temp_size_in_bytes = 0;
  int64_t all = a->argument_size_in_bytes + a->output_size_in_bytes;
  if (a->struct_size >=
      offsetof(args::ExecutableGetCompiledMemoryStats, total_size_in_bytes))
    a->peak_memory_in_bytes = all;
  if (a->struct_size >= sizeof(args::ExecutableGetCompiledMemoryStats))
    a->total_size_in_bytes = all;
  return nullptr;
}

static void giveFingerprint(const Compiled &compiled, const char *&text,
                            size_t &size) {
  text = compiled.fingerprint.data();
  size = compiled.fingerprint.size();
}

Error *answer(args::ExecutableFingerprint *a) {
  giveFingerprint(*a->executable->compiled, a->executable_fingerprint,
                  a->executable_fingerprint_size);
  return nullptr;
}

Error *answer(args::LoadedExecutableFingerprint *a) {
  giveFingerprint(*a->executable->compiled, a->executable_fingerprint,
                  a->executable_fingerprint_size);
  return nullptr;
}

// Called twice: for the size, then with a buffer of that size.
Error *answer(args::ExecutableOptimizedProgram *a) {
  static constexpr llvm::StringLiteral kFormat = "mlir";
  const Compiled &compiled = *a->executable->compiled;
  a->program->format = kFormat.data();
  a->program->format_size = kFormat.size();
  if (a->program->code && a->program->code_size >= compiled.optimized.size())
    llvm::copy(compiled.optimized, a->program->code);
  a->program->code_size = compiled.optimized.size();
  return nullptr;
}

Error *answer(args::LoadedExecutableDestroy *a) {
  delete a->executable;
  return nullptr;
}

Error *answer(args::LoadedExecutableGetExecutable *a) {
  a->executable = new Executable{a->loaded_executable->compiled};
  return nullptr;
}

Error *answer(args::LoadedExecutableAddressableDevices *a) {
  a->addressable_devices = a->executable->devices.data();
  a->num_addressable_devices = a->executable->devices.size();
  return nullptr;
}

Error *answer(args::LoadedExecutableDelete *a) {
  a->executable->deleted = true;
  return nullptr;
}

Error *answer(args::LoadedExecutableIsDeleted *a) {
  a->is_deleted = a->executable->deleted;
  return nullptr;
}

Error *answer(args::ExecuteContextCreate *a) {
  a->context = reinterpret_cast<ExecuteContext *>(new char);
  return nullptr;
}

Error *answer(args::ExecuteContextDestroy *a) {
  delete reinterpret_cast<char *>(a->context);
  return nullptr;
}

/// A serialized DeviceAssignmentProto.
Error *answer(args::LoadedExecutableGetDeviceAssignment *a) {
  const CompileOptions &options = a->executable->compiled->options;
  auto *text = new std::string();
  auto number = [&](std::string &out, uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
  };
  *text += '\x08';
  number(*text, static_cast<uint64_t>(options.replicas));
  *text += '\x10';
  number(*text, static_cast<uint64_t>(options.partitions));
  for (int64_t partition = 0; partition < options.partitions; ++partition) {
    std::string ids;
    for (int64_t replica = 0; replica < options.replicas; ++replica)
      number(ids, static_cast<uint64_t>(
                      a->executable
                          ->devices[static_cast<size_t>(
                              replica * options.partitions + partition)]
                          ->description.id));
    std::string inner = "\x0a";
    number(inner, ids.size());
    inner += ids;
    *text += '\x1a';
    number(*text, inner.size());
    *text += inner;
  }
  a->serialized_bytes = text->data();
  a->serialized_bytes_size = text->size();
  a->serialized_device_assignment =
      reinterpret_cast<DeviceAssignmentSerialized *>(text);
  a->serialized_device_assignment_deleter =
      [](DeviceAssignmentSerialized *gone) {
        delete reinterpret_cast<std::string *>(gone);
      };
  return nullptr;
}

/// Appends the tensors of one argument, one per device.
static Error *partsOf(const args::LoadedExecutableExecute &a,
                      const Compiled &compiled, size_t argument,
                      std::vector<tensor::Tensor> &parts) {
  tensor::TensorType expected = compiled.argumentPlacements[argument].part();
  for (size_t device = 0; device < a.num_devices; ++device) {
    auto given = a.argument_lists[device][argument]->rowMajorTensor();
    if (!given)
      return fail(given.takeError());
    tensor::Tensor tensor = std::move(*given);
    if (!tensor.valid())
      return fail(kInvalidArgument, "argument " + llvm::Twine(argument) +
                                        " has been deleted or donated");
    if (!(tensor.type() == expected))
      return fail(kInvalidArgument,
                  "argument " + llvm::Twine(argument) + " is " +
                      tensor::toString(tensor.type()) + ", expected " +
                      tensor::toString(expected));
    parts.push_back(std::move(tensor));
  }
  return nullptr;
}

/// Makes whole values from the arguments; donated ones are taken out of their
/// buffers.
static Error *takeArguments(const args::LoadedExecutableExecute &a,
                            const Compiled &compiled,
                            std::vector<tensor::Tensor> &out) {
  if (a.num_args != compiled.inputs.size())
    return fail(kInvalidArgument,
                "the program takes " + llvm::Twine(compiled.inputs.size()) +
                    " arguments, it was given " + llvm::Twine(a.num_args));
  for (size_t i = 0; i < a.num_args; ++i) {
    std::vector<tensor::Tensor> parts;
    if (Error *error = partsOf(a, compiled, i, parts))
      return error;
    llvm::Expected<tensor::Tensor> whole =
        compiled.argumentPlacements[i].join(parts, compiled.client.budget);
    if (!whole)
      return fail(whole.takeError());
    out.push_back(std::move(*whole));
  }
  llvm::ArrayRef<int64_t> kept(a.options->non_donatable_input_indices,
                               a.options->num_non_donatable_input_indices);
  llvm::SmallVector<size_t, 4> given;
  for (size_t i = 0; i < a.num_args; ++i)
    if (compiled.donated[i] &&
        !llvm::is_contained(kept, static_cast<int64_t>(i)))
      given.push_back(i);
  llvm::ArrayRef<Buffer *> first(a.argument_lists[0], a.num_args);
  for (size_t i : given)
    if (llvm::count(first, first[i]) > 1)
      return fail(kInvalidArgument, "argument " + llvm::Twine(i) +
                                        " is donated and given once more");
  for (size_t i : given)
    for (size_t device = 0; device < a.num_devices; ++device)
      a.argument_lists[device][i]->take();
  return nullptr;
}

/// The program for these arguments: a variant if devices have their own values
/// of some.
static llvm::Expected<std::shared_ptr<Compiled>>
compiledFor(const args::LoadedExecutableExecute &a) {
  const std::shared_ptr<Compiled> &compiled = a.executable->compiled;
  std::vector<bool> own(compiled->inputs.size(), false);
  bool some = false, fits = a.num_args == own.size() && a.num_devices > 1;
  for (size_t device = 0; fits && device < a.num_devices; ++device)
    for (size_t i = 0; i < a.num_args; ++i)
      if (a.argument_lists[device][i]->isOwn)
        own[i] = some = true;
  return some ? compiled->forOwn(own) : compiled;
}

Error *answer(args::LoadedExecutableExecute *a) {
  LoadedExecutable &executable = *a->executable;
  if (executable.deleted)
    return fail(kFailedPrecondition, "the executable has been deleted");
  if (a->num_devices != executable.devices.size())
    return fail(kInvalidArgument, "the program runs on " +
                                      llvm::Twine(executable.devices.size()) +
                                      " devices, not on " +
                                      llvm::Twine(a->num_devices));
  llvm::Expected<std::shared_ptr<Compiled>> chosen = compiledFor(*a);
  if (!chosen)
    return fail(chosen.takeError());
  Compiled &compiled = **chosen;
  std::vector<tensor::Tensor> arguments;
  if (Error *error = takeArguments(*a, compiled, arguments))
    return error;
  auto results = [&] {
    HostInterrupt cancels; // Python raises KeyboardInterrupt after return
    return compiled.run(std::move(arguments));
  }();
  if (!results)
    return fail(results.takeError());
  // Cut all parts before making the first buffer, so that an error leaves
  // nothing half done.
  std::vector<std::vector<tensor::Tensor>> parts;
  std::vector<bool> own;
  for (size_t i = 0; i < results->size(); ++i) {
    auto cut =
        compiled.resultPlacements[i].cut((*results)[i], compiled.client.budget);
    if (!cut)
      return fail(cut.takeError());
    const Placement &placement = compiled.resultPlacements[i];
    own.push_back(placement.isOwn() && placement.differ(*cut));
    const Layout &layout = compiled.resultLayouts[i];
    for (tensor::Tensor &part : *cut)
      if (llvm::Error error = reordered(part, rowMajor(layout.size()), layout,
                                        compiled.client.budget)
                                  .moveInto(part))
        return fail(std::move(error));
    parts.push_back(std::move(*cut));
  }
  for (size_t device = 0; device < a->num_devices; ++device) {
    Device *place = a->execute_device && a->num_devices == 1
                        ? a->execute_device
                        : executable.devices[device];
    for (size_t i = 0; i < parts.size(); ++i) {
      auto kind = static_cast<size_t>(compiled.resultMemories[i]);
      auto *made =
          new Buffer(std::move(parts[i][device]), place->memories[kind],
                     compiled.resultLayouts[i]);
      made->isOwn = own[i];
      a->output_lists[device][i] = made;
    }
    if (a->device_complete_events)
      a->device_complete_events[device] = readyEvent();
  }
  return nullptr;
}

} // namespace assay::pjrt
