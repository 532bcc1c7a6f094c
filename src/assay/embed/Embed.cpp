// The C interface to LoadedProgram: errors become codes and texts, and results
// are copied into the caller's memory.
#include "Answer.h"
#include "assay.h"
#include "assay/engine/all/LoadedProgram.h"
#include "assay/program/DynamicStep.h"
#include "assay/support/ExitCode.h"

#include <cstdio>
#include <cstring>

using namespace assay;
using embed::fail;

struct assay_program {
  std::unique_ptr<engine::LoadedProgram> loaded;
  std::vector<std::string> inputs, outputs; ///< names of element types
};

int embed::fail(llvm::Error error, char *message, size_t size) {
  ErrorText text = takeError(std::move(error));
  if (message && size > 0)
    std::snprintf(message, size, "%s", text.message.c_str());
  return static_cast<int>(exitCodeFor(text.code));
}

/// Reads the options that the caller's structure contains. The structure is
/// shorter if the caller was built with an older version.
static engine::LoadedProgram::Options optionsOf(const assay_options_t *given) {
  engine::LoadedProgram::Options options;
  if (!given)
    return options;
  assay_options_t all = {};
  std::memcpy(&all, given, std::min<size_t>(given->struct_size, sizeof all));
  options.threads = all.threads;
  options.maxMemory = all.max_memory;
  if (all.entry)
    options.entry = all.entry;
  if (all.engine)
    options.engine = all.engine;
  if (all.alg)
    options.algorithm = all.alg;
  return options;
}

static int make(llvm::Expected<std::shared_ptr<const program::Program>> source,
                const assay_options_t *options, assay_program_t **program,
                char *message, size_t messageSize) {
  *program = nullptr;
  if (!source)
    return fail(source.takeError(), message, messageSize);
  engine::LoadedProgram::Options all = optionsOf(options);
  if (all.engine != "reference" && all.engine != "native")
    return fail(makeError(ErrorCode::Unsupported,
                          "engine '{0}' runs in a worker process, which "
                          "another program does not have; here are reference "
                          "and native",
                          all.engine),
                message, messageSize);
  auto loaded = engine::LoadedProgram::create(*source, all);
  if (!loaded)
    return fail(loaded.takeError(), message, messageSize);
  for (llvm::ArrayRef<tensor::TensorType> types :
       {(*loaded)->inputs(), (*loaded)->outputs()})
    if (llvm::any_of(types, program::isDynamic))
      return fail(makeError(ErrorCode::Unsupported,
                            "the program's arguments or results have `?` "
                            "dimensions; here shapes are static"),
                  message, messageSize);
  auto made = std::make_unique<assay_program>();
  made->loaded = std::move(*loaded);
  for (const tensor::TensorType &type : made->loaded->inputs())
    made->inputs.push_back(numerics::toString(type.element));
  for (const tensor::TensorType &type : made->loaded->outputs())
    made->outputs.push_back(numerics::toString(type.element));
  *program = made.release();
  return ASSAY_OK;
}

int assay_program_load(const char *path, const assay_options_t *options,
                       assay_program_t **program, char *message,
                       size_t message_size) {
  return make(program::Program::load(path), options, program, message,
              message_size);
}

int assay_program_parse(const char *text, const assay_options_t *options,
                        assay_program_t **program, char *message,
                        size_t message_size) {
  return make(program::Program::parse(text, "<text>"), options, program,
              message, message_size);
}

void assay_program_free(assay_program_t *program) { delete program; }

size_t assay_program_input_count(const assay_program_t *program) {
  return program->inputs.size();
}

size_t assay_program_output_count(const assay_program_t *program) {
  return program->outputs.size();
}

static assay_type_t typeAt(const tensor::TensorType &type,
                           const std::string &name) {
  int64_t count = llvm::cantFail(tensor::elementCount(type.shape));
  return {name.c_str(), static_cast<int64_t>(type.shape.size()),
          type.shape.data(),
          static_cast<size_t>(count * type.element.storageBytes())};
}

assay_type_t assay_program_input(const assay_program_t *program, size_t index) {
  return typeAt(program->loaded->inputs()[index], program->inputs[index]);
}

assay_type_t assay_program_output(const assay_program_t *program,
                                  size_t index) {
  return typeAt(program->loaded->outputs()[index], program->outputs[index]);
}

int assay_program_run(assay_program_t *program, const void *const *arguments,
                      void *const *results, char *message,
                      size_t message_size) {
  std::vector<tensor::Tensor> values;
  for (size_t i = 0; i < program->inputs.size(); ++i) {
    const tensor::TensorType &type = program->loaded->inputs()[i];
    auto bytes =
        static_cast<int64_t>(assay_program_input(program, i).size_bytes);
    llvm::Expected<tensor::Tensor> view = tensor::Tensor::fromBuffer(
        type,
        tensor::Buffer::view(arguments[i], bytes, std::make_shared<int>(0)));
    if (!view)
      return fail(view.takeError(), message, message_size);
    values.push_back(std::move(*view));
  }
  llvm::Expected<std::vector<tensor::Tensor>> made =
      program->loaded->run(values);
  if (!made)
    return fail(made.takeError(), message, message_size);
  for (size_t i = 0; i < made->size(); ++i)
    std::memcpy(results[i], (*made)[i].bytes(),
                static_cast<size_t>((*made)[i].denseBytes()));
  return ASSAY_OK;
}

const char *assay_version(void) { return ASSAY_VERSION; }
