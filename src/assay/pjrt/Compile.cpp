// Makes a plan from a program's bytes. JAX's own library wrote them, so they
// are read without a helper process. The options contain the number of devices.
#include "Answers.h"
#include "Callback.h"
#include "Compiled.h"
#include "OwnValues.h"

#include "assay/dialect/Register.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/program/DynamicStep.h"
#include "assay/program/Executor.h"
#include "assay/program/Expansions.h"
#include "assay/dialect/exporters/ExporterOps.h"
#include "assay/program/Types.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/xxhash.h"

#include <set>

namespace assay::pjrt {

/// Where the parts of operands begin, as JSON: [{"shape": [...], "starts":
/// [[...], ...]}, ...], with one start per device.
static std::string partsOf(llvm::ArrayRef<Placement> placements,
                           int64_t devices) {
  llvm::json::Array all;
  for (const Placement &placement : placements) {
    tensor::TensorType part = placement.part();
    tensor::Shape whole(part.shape.size(), 0);
    llvm::json::Array starts;
    for (size_t device = 0; device < static_cast<size_t>(devices); ++device)
      starts.push_back(llvm::json::Array(
          placement.isReplicated() ? whole : placement.starts()[device]));
    all.push_back(llvm::json::Object{{"shape", llvm::json::Array(part.shape)},
                                     {"starts", std::move(starts)}});
  }
  return llvm::formatv("{0}", llvm::json::Value(std::move(all)));
}

/// Answers the calls that ask for shardings. An inspection is removed from the
/// program and answered only once (not `again`).
static llvm::Error answerInspections(const Inspected &inspected,
                                     int64_t partitions, bool again) {
  for (const auto &[op, cuts] : inspected) {
    std::vector<Placement> placements;
    for (auto [value, cut] : llvm::zip_equal(op->getOperands(), cuts)) {
      auto type = program::tensorTypeOf(value.getType());
      if (!type)
        return type.takeError();
      placements.push_back(Placement::of(cut, *type, partitions));
    }
    mlir::Builder build(op->getContext());
    if (auto config = op->getAttrOfType<mlir::DictionaryAttr>("mhlo.backend_config")) {
      mlir::NamedAttrList more(config);
      more.set(kPartsAttribute, build.getStringAttr(partsOf(placements, partitions)));
      op->setAttr("mhlo.backend_config", more.getDictionary(op->getContext()));
      continue;
    }
    auto key = op->getAttrOfType<mlir::StringAttr>("backend_config");
    if (key && !again)
      if (llvm::Error error = showSharding(key, placements[0].text()))
        return error;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  }
  return llvm::Error::success();
}

/// `cuts` receives the placement of results for which the program itself gives
/// none.
static llvm::Expected<std::shared_ptr<const program::Program>>
readProgram(llvm::StringRef code, int64_t partitions,
            const std::vector<bool> &own, std::vector<Cut> &cuts) {
  std::unique_ptr<mlir::MLIRContext> context = program::makeContext();
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      parseProgramText(code, "<jax>", *context);
  if (!module)
    return module.takeError();
  exporters::lowerExporterOps(**module);
  auto main = (*module)->lookupSymbol<mlir::func::FuncOp>("main");
  if (partitions > 1 && main && !main.isDeclaration()) {
    Inspected inspected;
    cuts = propagateToResults(main, inspected);
    if (llvm::Error error =
            answerInspections(inspected, partitions, !own.empty()))
      return error;
    program::spreadSums(
        main, [&](unsigned result) { return cuts[result].dimensions; });
    keepOwnValues(main, own);
  }
  return program::Program::adopt(std::move(context), std::move(*module),
                                 "<jax>");
}

/// The type that stands for a token outside of programs.
static tensor::TensorType tokenType() {
  return {numerics::ElementType::boolean(), {0}};
}

static llvm::Error addTypes(mlir::TypeRange types, llvm::StringRef what,
                            std::vector<tensor::TensorType> &out) {
  for (auto [i, type] : llvm::enumerate(types)) {
    if (mlir::isa<stablehlo::TokenType>(type)) {
      out.push_back(tokenType());
      continue;
    }
    llvm::Expected<tensor::TensorType> made = program::tensorTypeOf(type);
    if (!made)
      return addContext(made.takeError(), what + " " + llvm::Twine(i));
    if (bufferTypeOf(made->element) == kInvalid)
      return makeError(assay::ErrorCode::Unsupported,
                       "{0} {1} has the element type {2}, which PJRT lacks",
                       what, i, numerics::toString(made->element));
    out.push_back(std::move(*made));
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<program::Plan>> Compiled::makePlan(bool keeps) const {
  engine::PlanRequest request;
  request.keepsArguments = keeps;
  request.functions = customFunctions();
  if (client.options.watches())
    request.wanted = [](mlir::Operation *) { return true; };
  std::lock_guard<std::mutex> lock(planning_);
  return client.engine->makePlan(program_, request);
}

void Compiled::describe() {
  for (auto [placement, memory] : llvm::zip(resultPlacements, resultMemories)) {
    tensor::TensorType type = placement.part();
    outputTypes.push_back(bufferTypeOf(type.element));
    outputRanks.push_back(type.shape.size());
    outputDims.insert(outputDims.end(), type.shape.begin(), type.shape.end());
    memoryKinds.push_back(kMemoryKinds[memory].data());
    memoryKindSizes.push_back(kMemoryKinds[memory].size());
  }
}

llvm::Error Compiled::readSignature(std::vector<Cut> cuts) {
  llvm::Expected<mlir::func::FuncOp> function = program_->function();
  if (!function)
    return function.takeError();
  if (llvm::Error error =
          addTypes(function->getArgumentTypes(), "argument", inputs))
    return error;
  if (llvm::Error error =
          addTypes(function->getResultTypes(), "result", outputs))
    return error;
  auto place = [&](std::vector<Placement> &out, mlir::DictionaryAttr attributes,
                   const tensor::TensorType &type) -> llvm::Error {
    llvm::Expected<Placement> made =
        Placement::read(*function, attributes, type, options.partitions);
    if (!made)
      return made.takeError();
    out.push_back(std::move(*made));
    return llvm::Error::success();
  };
  for (auto [i, type] : llvm::enumerate(inputs)) {
    auto number = static_cast<unsigned>(i);
    if (llvm::Error error =
            place(argumentPlacements, function->getArgAttrDict(number), type))
      return addContext(std::move(error), "argument " + llvm::Twine(i));
    tokens.push_back(
        mlir::isa<stablehlo::TokenType>(function->getArgumentTypes()[number]));
  }
  cuts.resize(outputs.size());
  for (auto [i, type] : llvm::enumerate(outputs)) {
    auto number = static_cast<unsigned>(i);
    mlir::DictionaryAttr said = function->getResultAttrDict(number);
    if (!said || (!said.get("sdy.sharding") && !said.get("mhlo.sharding")))
      resultPlacements.push_back(
          Placement::of(cuts[i], type, options.partitions));
    else if (llvm::Error error = place(resultPlacements, said, type))
      return addContext(std::move(error), "result " + llvm::Twine(i));
  }
  readDonations(*function);
  return readMemories(*function);
}

// As in XLA, a donated argument is used if a result of the same size can reuse
// its memory. Arguments that are assigned to a result come first.
void Compiled::readDonations(mlir::func::FuncOp function) {
  auto bytesOf = [](const Placement &placement) {
    tensor::TensorType type = placement.part();
    return llvm::cantFail(tensor::elementCount(type.shape)) *
           type.element.storageBytes();
  };
  std::multiset<int64_t> free;
  for (const Placement &placement : resultPlacements)
    free.insert(bytesOf(placement));
  auto take = [&](int64_t bytes) {
    auto found = free.find(bytes);
    if (found == free.end())
      return false;
    free.erase(found);
    return true;
  };
  donated.assign(inputs.size(), false);
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (function.getArgAttr(i, "tf.aliasing_output"))
      donated[i] = take(bytesOf(argumentPlacements[i]));
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (function.getArgAttr(i, "jax.buffer_donor"))
      donated[i] = take(bytesOf(argumentPlacements[i]));
}

llvm::Error Compiled::readMemories(mlir::func::FuncOp function) {
  mlir::Operation *last = function.getBody().front().getTerminator();
  auto read = [&](std::vector<Layout> &out, llvm::StringRef what,
                  mlir::DictionaryAttr attributes, const Placement &placement,
                  mlir::Value result) -> llvm::Error {
    auto made = layoutOf(attributes, placement.part().shape.size(), result);
    if (!made)
      return addContext(made.takeError(), what + " " + llvm::Twine(out.size()));
    out.push_back(std::move(*made));
    return llvm::Error::success();
  };
  for (auto [i, placement] : llvm::enumerate(argumentPlacements))
    if (llvm::Error error =
            read(argumentLayouts, "argument",
                 function.getArgAttrDict(static_cast<unsigned>(i)), placement,
                 mlir::Value()))
      return error;
  for (auto [i, placement] : llvm::enumerate(resultPlacements)) {
    auto number = static_cast<unsigned>(i);
    if (llvm::Error error =
            read(resultLayouts, "result", function.getResultAttrDict(number),
                 placement, last->getOperand(number)))
      return error;
    auto named = function.getResultAttrOfType<mlir::StringAttr>(
        number, "mhlo.memory_kind");
    llvm::StringRef wanted = kMemoryKinds[0];
    if (named)
      wanted = named.getValue();
    const auto *kind = llvm::find(kMemoryKinds, wanted);
    if (kind == std::end(kMemoryKinds))
      return makeError(assay::ErrorCode::Unsupported,
                       "result {0} is for a memory of kind {1}; there are {2}",
                       i, wanted,
                       llvm::join(llvm::ArrayRef(kMemoryKinds), ", "));
    resultMemories.push_back(static_cast<int>(kind - kMemoryKinds));
  }
  return llvm::Error::success();
}

/// Joins the texts of the items with ", ".
template <typename Items>
static std::string listOf(const Items &items,
                          llvm::function_ref<std::string(size_t)> each) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i)
    text += (i ? ", " : "") + each(i);
  return text;
}

static std::string textOf(const std::vector<Layout> &layouts) {
  return listOf(layouts, [&](size_t i) {
    auto dimension = [&](size_t d) { return std::to_string(layouts[i][d]); };
    std::string order = listOf(layouts[i], dimension);
    return "dense<" + (order.empty() ? order : "[" + order + "]") +
           "> : tensor<" + std::to_string(layouts[i].size()) + "xindex>";
  });
}

// JAX reads the layout of results on the devices from a program in XLA's form: the program of one device, which works
// on its parts.
std::string Compiled::signature() const {
  auto quoted = [](const Placement &placement) {
    return "\"" + placement.text() + "\"";
  };
  auto shown = [&](size_t i) {
    return tensor::toString(resultPlacements[i].part());
  };
  std::string all = listOf(
      resultPlacements, [&](size_t i) { return resultPlacements[i].text(); });
  std::string text =
      "module @\"" + name + "\" attributes {mhlo.num_partitions = " +
      std::to_string(options.partitions) + " : i32, mhlo.num_replicas = 1 : " +
      "i32, mhlo.spmd_output_sharding = \"" +
      (outputs.empty()       ? "{replicated}"
       : outputs.size() == 1 ? all
                             : "{" + all + "}") +
      "\", mhlo.spmd_parameters_shardings = [" +
      listOf(inputs, [&](size_t i) { return quoted(argumentPlacements[i]); }) +
      "], mhlo.xla_entry_computation_parameter_layouts = [" +
      textOf(argumentLayouts) +
      "], mhlo.xla_entry_computation_result_layout = [" +
      textOf(resultLayouts) + "]} {\n  func.func public @main(" +
      listOf(inputs,
             [&](size_t i) {
               return "%" + std::to_string(i) + ": " +
                      tensor::toString(argumentPlacements[i].part());
             }) +
      ") -> (" +
      listOf(outputs, shown) +
      ") {\n";
  for (size_t i = 0; i < outputs.size(); ++i)
    text += "    %r" + std::to_string(i) +
            " = stablehlo.custom_call @assay_result() : () -> " +
            shown(i) + "\n";
  text += "    return " +
          listOf(outputs, [](size_t i) { return "%r" + std::to_string(i); });
  if (!outputs.empty())
    text += " : " + listOf(outputs, shown);
  return text + "\n  }\n}\n";
}

llvm::Expected<std::shared_ptr<Compiled>>
Compiled::create(Client &client, llvm::StringRef code, llvm::StringRef options,
                 const std::vector<bool> &own) {
  auto made = std::make_shared<Compiled>(client);
  made->code = code.str();
  made->serializedOptions = options.str();
  if (llvm::Error error = CompileOptions::read(options).moveInto(made->options))
    return error;
  if (made->options.replicas != 1)
    return makeError(assay::ErrorCode::Unsupported,
                     "the program is for {0} replicas; the plugin assay runs "
                     "programs of one, with several partitions",
                     made->options.replicas);
  std::vector<Cut> cuts;
  if (llvm::Error error = readProgram(code, made->options.partitions, own, cuts)
                              .moveInto(made->program_))
    return error;
  if (llvm::Error error = made->readSignature(std::move(cuts)))
    return error;
  auto name = made->program_->module().getSymName();
  made->name = name ? name->str() : "main";
  made->fingerprint = llvm::utohexstr(llvm::xxh3_64bits(code)) +
                      llvm::utohexstr(llvm::xxh3_64bits(options));
  made->describe();
  bool isPlain = made->options.partitions == 1 &&
                 llvm::all_of(made->argumentLayouts, isRowMajor) &&
                 llvm::all_of(made->resultLayouts, isRowMajor);
  made->optimized = isPlain ? made->code : made->signature();
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      made->makePlan(/*keeps=*/false);
  if (!plan)
    return plan.takeError();
  made->idle_.push_back(std::move(*plan));
  return made;
}

llvm::Expected<std::shared_ptr<Compiled>>
Compiled::forOwn(const std::vector<bool> &arguments) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<Compiled> &made = forOwn_[arguments];
  if (!made)
    if (llvm::Error error =
            create(client, code, serializedOptions, arguments).moveInto(made))
      return error;
  return made;
}

llvm::Expected<std::vector<program::Value>>
Compiled::execute(const program::Plan &plan,
                  std::vector<tensor::Tensor> arguments,
                  program::RunContext &context) const {
  std::vector<program::Value> values;
  for (size_t i = 0; i < arguments.size(); ++i)
    values.push_back(tokens[i] ? program::Value(program::Token())
                               : program::Value(std::move(arguments[i])));
  arguments.clear();
  std::unique_ptr<program::Execution> execution =
      program::Execution::create(plan, context);
  if (llvm::Error error = execution->start(plan.entry, std::move(values)))
    return error;
  if (auto progress = execution->advance(); !progress)
    return progress.takeError();
  return execution->takeResults();
}

// Values that are kept are checked against the tensors of each run, so this
// decision only affects speed.
bool Compiled::areKept(llvm::ArrayRef<tensor::Tensor> arguments) {
  constexpr int64_t kWorthKeeping = int64_t{1} << 20;
  constexpr int kSurely = 2; // two repeats, that is three calls
  if (client.options.watches() || llvm::is_contained(donated, true))
    return false;
  std::vector<const void *> memory;
  int64_t same = 0, all = 0;
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    memory.push_back(argument.bytes());
    all += argument.denseBytes();
    if (i < last_.size() && last_[i] == memory.back())
      same += argument.denseBytes();
  }
  last_ = std::move(memory);
  repeats_ = all >= kWorthKeeping && 2 * same > all ? repeats_ + 1 : 0;
  if (repeats_ == 0)
    idleKeeping_.clear(); // also frees old weights
  return repeats_ >= kSurely;
}

llvm::Expected<std::vector<tensor::Tensor>>
Compiled::run(std::vector<tensor::Tensor> arguments) {
  // 1. Take a plan and threads. A run inside another run's callback finds both
  // in use and must not wait for them, so it gets its own.
  bool keeps = areKept(arguments);
  Plans &idle = keeps ? idleKeeping_ : idle_;
  std::unique_ptr<program::Plan> plan;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!idle.empty()) {
      plan = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (!plan)
    if (llvm::Error error = makePlan(keeps).moveInto(plan))
      return error;
  std::unique_lock<std::mutex> all(client.threadsMutex, std::try_to_lock);
  std::unique_ptr<ThreadPool> alone;
  if (!all)
    alone = std::make_unique<ThreadPool>(1);
  program::RunContext context(all ? *client.threads : *alone);
  context.budget = client.budget;
  std::unique_ptr<Watching> watching;
  if (client.options.watches())
    if (llvm::Error error =
            Watching::begin(client.options, name, singles_, context)
                .moveInto(watching))
      return error;
  // 2. Run the plan. Donated tensors are then held only by the run.
  llvm::Expected<std::vector<program::Value>> values =
      execute(*plan, std::move(arguments), context);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    idle.push_back(std::move(plan));
  }
  llvm::Error seen = watching ? watching->finish() : llvm::Error::success();
  if (!values) {
    llvm::consumeError(std::move(seen));
    return values.takeError();
  }
  if (seen)
    return seen;
  for (const program::CheckResult &check : context.checks)
    if (!check.passed)
      return makeError(assay::ErrorCode::Mismatch, "{0}: check failed: {1}",
                       check.location, check.message);
  // 3. Make the results dense.
  std::vector<tensor::Tensor> results;
  for (const program::Value &value : *values) {
    llvm::Expected<tensor::Tensor> dense =
        value.isTensor() ? value.tensor().dense(client.budget)
                         : tensor::Tensor::allocate(tokenType());
    if (!dense)
      return dense.takeError();
    results.push_back(std::move(*dense));
  }
  return results;
}

/// Finds the devices that the options name; a portable program gets the first.
static llvm::Error chooseDevices(const Compiled &compiled,
                                 std::vector<Device *> &devices) {
  const CompileOptions &options = compiled.options;
  std::vector<int64_t> ids = options.devices;
  if (ids.empty())
    for (int64_t i = 0; i < options.replicas * options.partitions; ++i)
      ids.push_back(std::max<int64_t>(options.ordinal, 0) + i);
  for (int64_t id : ids) {
    if (id < 0 || id >= static_cast<int64_t>(compiled.client.devices.size()))
      return makeError(assay::ErrorCode::InvalidArgument,
                       "the program is for device {0}; there are {1}: "
                       "ASSAY_DEVICES sets their number",
                       id, compiled.client.devices.size());
    devices.push_back(compiled.client.devices[static_cast<size_t>(id)]);
  }
  return llvm::Error::success();
}

static Error *load(llvm::Expected<std::shared_ptr<Compiled>> compiled,
                   LoadedExecutable *&out) {
  if (!compiled)
    return fail(compiled.takeError());
  auto loaded = std::make_unique<LoadedExecutable>();
  if (llvm::Error error = chooseDevices(**compiled, loaded->devices))
    return fail(std::move(error));
  loaded->compiled = std::move(*compiled);
  out = loaded.release();
  return nullptr;
}

Error *answer(args::ClientCompile *a) {
  llvm::StringRef format(a->program->format, a->program->format_size);
  if (format != "mlir")
    return fail(kUnimplemented,
                "programs come as 'mlir', this one as '" + format + "'");
  return load(Compiled::create(*a->client,
                               {a->program->code, a->program->code_size},
                               {a->compile_options, a->compile_options_size}),
              a->executable);
}

// A serialized executable consists of the length of the options in decimal
// digits, a newline, the options, and the program.
Error *answer(args::ExecutableSerialize *a) {
  const Compiled &compiled = *a->executable->compiled;
  auto *text =
      new std::string(std::to_string(compiled.serializedOptions.size()) + "\n" +
                      compiled.serializedOptions + compiled.code);
  a->serialized_bytes = text->data();
  a->serialized_bytes_size = text->size();
  a->serialized_executable = reinterpret_cast<SerializedExecutable *>(text);
  a->serialized_executable_deleter = [](SerializedExecutable *gone) {
    delete reinterpret_cast<std::string *>(gone);
  };
  return nullptr;
}

Error *answer(args::ExecutableDeserializeAndLoad *a) {
  auto [digits, rest] =
      llvm::StringRef(a->serialized_executable, a->serialized_executable_size)
          .split('\n');
  size_t size;
  if (digits.getAsInteger(10, size) || size > rest.size())
    return fail(kInvalidArgument,
                "these bytes are not an executable that the plugin assay wrote");
  llvm::StringRef options = rest.take_front(size);
  if (a->overridden_serialized_compile_options)
    options = {a->overridden_serialized_compile_options,
               a->overridden_serialized_compile_options_size};
  return load(Compiled::create(*a->client, rest.drop_front(size), options),
              a->loaded_executable);
}

} // namespace assay::pjrt
