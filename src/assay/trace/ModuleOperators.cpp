// A module's class and settings as an operator's call: so that the programs of
// aten/Ops.def apply to modules, too. Source: torch.nn's functions.
#include "assay/trace/ModuleOperators.h"
#include "assay/numerics/Text.h"
#include "assay/trace/AtenProgram.h"

namespace assay::trace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;
using tensor::Tensor;

namespace {
/// Puts a call together, argument by argument.
class CallMaker {
public:
  CallMaker(const LeafCall &leaf, const char *name) : leaf_(leaf) {
    made_.call.name = "module";
    made_.call.opName = name;
  }
  void add(const Tensor &tensor) {
    if (!tensor.valid())
      return add(Value(nullptr));
    made_.tensors[std::to_string(made_.call.args.size())] = tensor;
    made_.call.args.push_back(record(tensor));
  }
  void add(Value value) { made_.call.args.push_back(std::move(value)); }
  /// Skips arguments that were not recorded.
  void skip(int count) {
    while (count-- > 0)
      add(Value(nullptr));
  }
  /// Adds a setting as it was recorded; the call fails where it is not known.
  void addSetting(llvm::StringRef name) {
    const Value *value = leaf_.settings->get(name);
    failed_ |= !value;
    add(value ? *value : Value(nullptr));
  }
  /// Adds a setting that is a number, or a list with one number for each of
  /// this many dimensions.
  void addSizes(llvm::StringRef name, size_t count) {
    const Value *value = leaf_.settings->get(name);
    const Array *list = value ? value->getAsArray() : nullptr;
    failed_ |=
        !value || value->getAsString() || (list && list->size() != count);
    Array all;
    for (size_t i = 0; i < count && !failed_; ++i)
      all.push_back(list ? (*list)[i] : *value);
    add(std::move(all));
  }
  void fail() { failed_ = true; }
  void gives(size_t output, const Tensor &tensor) {
    for (size_t i = 0; i < output; ++i)
      made_.call.outputs.push_back(nullptr);
    made_.call.outputs.push_back(record(tensor));
  }
  std::optional<ModuleCallTrace> take() {
    if (failed_)
      return std::nullopt;
    return std::move(made_);
  }

private:
  static Object record(const Tensor &tensor) {
    Array shape;
    for (int64_t size : tensor.shape())
      shape.push_back(size);
    return Object{
        {"shape", std::move(shape)},
        {"dtype", "torch." + numerics::numpyName(tensor.elementType())}};
  }
  const LeafCall &leaf_;
  ModuleCallTrace made_;
  bool failed_ = false;
};

struct Row {
  const char *className, *operation;
  void (*fill)(CallMaker &, const LeafCall &);
};
} // namespace

static bool flag(const LeafCall &call, llvm::StringRef name) {
  return call.settings->getBoolean(name).value_or(false);
}

static void addWindows(CallMaker &maker, const LeafCall &call,
                       llvm::StringRef className) {
  auto spatial = static_cast<size_t>(call.weight.rank() - 2);
  if (call.settings->getString("padding_mode").value_or("zeros") != "zeros")
    maker.fail();
  maker.addSizes("stride", spatial);
  maker.addSizes("padding", spatial);
  maker.addSizes("dilation", spatial);
  bool transposed = className.starts_with("ConvTranspose");
  maker.add(Value(transposed));
  maker.addSizes("output_padding", spatial);
  maker.addSetting("groups");
}

static void fillConvolution(CallMaker &maker, const LeafCall &call) {
  if (!call.weight.valid() || call.weight.rank() < 3)
    return maker.fail();
  maker.add(call.input);
  maker.add(call.weight);
  maker.add(call.bias);
  addWindows(maker, call, call.className);
}

static bool isByBatch(const LeafCall &call) {
  return flag(call, "training") || !call.mean.valid();
}

static void fillBatchNorm(CallMaker &maker, const LeafCall &call) {
  maker.add(call.input);
  maker.add(call.weight);
  maker.add(call.bias);
  maker.add(call.mean);
  maker.add(call.variance);
  maker.add(Value(isByBatch(call)));
  maker.add(Value(0.0));
  maker.addSetting("eps");
}

/// Images, channels, places and groups.
static void addGroups(CallMaker &maker, const LeafCall &call) {
  int64_t images = call.input.shape()[0], channels = call.input.shape()[1];
  maker.add(Value(images));
  maker.add(Value(channels));
  maker.add(Value(call.input.size() / (images * channels)));
  maker.addSetting("num_groups");
}

static void fillGroupNorm(CallMaker &maker, const LeafCall &call) {
  if (call.input.rank() < 2 || call.input.size() == 0)
    return maker.fail();
  maker.add(call.input);
  maker.add(call.weight);
  maker.add(call.bias);
  addGroups(maker, call);
  maker.addSetting("eps");
}

static void fillLayerNorm(CallMaker &maker, const LeafCall &call) {
  maker.add(call.input);
  maker.addSetting("normalized_shape");
  maker.add(call.weight);
  maker.add(call.bias);
  maker.addSetting("eps");
}

static void fillPlain(CallMaker &maker, const LeafCall &call) {
  maker.add(call.input);
}
static void fillLeaky(CallMaker &maker, const LeafCall &call) {
  maker.add(call.input);
  maker.addSetting("negative_slope");
}
static void fillElu(CallMaker &maker, const LeafCall &call) {
  maker.add(call.input);
  maker.addSetting("alpha");
}
static void fillCelu(CallMaker &maker, const LeafCall &call) {
  fillElu(maker, call);
  double alpha = call.settings->getNumber("alpha").value_or(0);
  if (alpha == 0)
    return maker.fail();
  maker.add(Value(1));
  maker.add(Value(1 / alpha));
}
static void fillSelu(CallMaker &maker, const LeafCall &call) {
  maker.add(call.input);
  maker.add(Value(1.6732632423543772848170429916717));
  maker.add(Value(1.0507009873554804934193349852946));
}
static void fillSoftplus(CallMaker &maker, const LeafCall &call) {
  maker.add(call.input);
  maker.addSetting("beta");
  maker.addSetting("threshold");
}
static void fillHardtanh(CallMaker &maker, const LeafCall &call) {
  maker.add(call.input);
  maker.addSetting("min_val");
  maker.addSetting("max_val");
}
static void fillDimension(CallMaker &maker, const LeafCall &call) {
  maker.add(call.input);
  maker.addSetting("dim");
}
static void fillMaxPool(CallMaker &maker, const LeafCall &call) {
  if (flag(call, "ceil_mode") || flag(call, "return_indices"))
    return maker.fail();
  maker.add(call.input);
  for (const char *name : {"kernel_size", "stride", "padding", "dilation"})
    maker.addSetting(name);
}
static void fillAveragePool(CallMaker &maker, const LeafCall &call) {
  maker.add(call.input);
  for (const char *name :
       {"kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"})
    maker.addSetting(name);
  const Value *divisor = call.settings->get("divisor_override");
  maker.add(divisor ? *divisor : Value(nullptr));
}

static constexpr Row kRows[] = {
    {"Conv1d", "aten.convolution.default", fillConvolution},
    {"Conv2d", "aten.convolution.default", fillConvolution},
    {"Conv3d", "aten.convolution.default", fillConvolution},
    {"ConvTranspose1d", "aten.convolution.default", fillConvolution},
    {"ConvTranspose2d", "aten.convolution.default", fillConvolution},
    {"ConvTranspose3d", "aten.convolution.default", fillConvolution},
    {"BatchNorm1d", "aten.native_batch_norm.default", fillBatchNorm},
    {"BatchNorm2d", "aten.native_batch_norm.default", fillBatchNorm},
    {"BatchNorm3d", "aten.native_batch_norm.default", fillBatchNorm},
    {"GroupNorm", "aten.native_group_norm.default", fillGroupNorm},
    {"LayerNorm", "aten.native_layer_norm.default", fillLayerNorm},
    {"LeakyReLU", "aten.leaky_relu.default", fillLeaky},
    {"ELU", "aten.elu.default", fillElu},
    {"CELU", "aten.elu.default", fillCelu},
    {"SELU", "aten.elu.default", fillSelu},
    {"Softplus", "aten.softplus.default", fillSoftplus},
    {"Mish", "aten.mish.default", fillPlain},
    {"Hardswish", "aten.hardswish.default", fillPlain},
    {"Hardsigmoid", "aten.hardsigmoid.default", fillPlain},
    {"Hardtanh", "aten.hardtanh.default", fillHardtanh},
    {"ReLU6", "aten.hardtanh.default", fillHardtanh},
    {"Softmax", "aten._softmax.default", fillDimension},
    {"LogSoftmax", "aten._log_softmax.default", fillDimension},
    {"MaxPool2d", "aten.max_pool2d_with_indices.default", fillMaxPool},
    {"AvgPool2d", "aten.avg_pool2d.default", fillAveragePool},
};

std::optional<ModuleCallTrace> operatorOf(llvm::StringRef className,
                                          const LeafCall &call) {
  auto row = llvm::find_if(
      kRows, [&](const Row &known) { return className == known.className; });
  if (row == std::end(kRows) || !call.settings || !call.input.valid() ||
      !call.output.valid())
    return std::nullopt;
  CallMaker maker(call, row->operation);
  row->fill(maker, call);
  maker.gives(0, call.output);
  return maker.take();
}

static void fillLayerNormGradient(CallMaker &maker, const LeafCall &call) {
  maker.addSetting("normalized_shape");
  maker.skip(2);
  maker.add(call.weight);
  maker.skip(2);
  maker.addSetting("eps");
}
static void fillGroupNormGradient(CallMaker &maker, const LeafCall &call) {
  if (call.input.rank() < 2 || call.input.size() == 0)
    return maker.fail();
  maker.skip(2);
  maker.add(call.weight);
  addGroups(maker, call);
  maker.skip(1);
  maker.addSetting("eps");
}
static void fillBatchNormGradient(CallMaker &maker, const LeafCall &call) {
  maker.add(call.weight);
  maker.add(call.mean);
  maker.add(call.variance);
  maker.skip(2);
  maker.add(Value(isByBatch(call)));
  maker.addSetting("eps");
}
static void fillConvolutionGradient(CallMaker &maker, const LeafCall &call) {
  if (!call.weight.valid() || call.weight.rank() < 3)
    return maker.fail();
  maker.add(call.weight);
  maker.skip(1);
  addWindows(maker, call, call.className);
}

namespace {
/// A gradient as an operator's call, on the gradient of the module's output, its
/// input or its result, and more.
struct GradientRow {
  const char *className, *operation;
  void (*fill)(CallMaker &, const LeafCall &) = nullptr;
  const char *setting = "";
  bool ofResult = false;
};
} // namespace

static constexpr GradientRow kGradients[] = {
    {"ReLU", "aten.threshold_backward.default"},
    {"LeakyReLU", "aten.leaky_relu_backward.default", nullptr,
     "negative_slope"},
    {"GELU", "aten.gelu_backward.default", nullptr, "approximate"},
    {"SiLU", "aten.silu_backward.default"},
    {"Mish", "aten.mish_backward.default"},
    {"Hardswish", "aten.hardswish_backward.default"},
    {"Tanh", "aten.tanh_backward.default", nullptr, "", true},
    {"Sigmoid", "aten.sigmoid_backward.default", nullptr, "", true},
    {"Softmax", "aten._softmax_backward_data.default", nullptr, "dim", true},
    {"LogSoftmax", "aten._log_softmax_backward_data.default", nullptr, "dim",
     true},
    {"LayerNorm", "aten.native_layer_norm_backward.default",
     fillLayerNormGradient},
    {"GroupNorm", "aten.native_group_norm_backward.default",
     fillGroupNormGradient},
    {"BatchNorm1d", "aten.native_batch_norm_backward.default",
     fillBatchNormGradient},
    {"BatchNorm2d", "aten.native_batch_norm_backward.default",
     fillBatchNormGradient},
    {"BatchNorm3d", "aten.native_batch_norm_backward.default",
     fillBatchNormGradient},
    {"Conv", "aten.convolution_backward.default", fillConvolutionGradient},
};

static const GradientRow *gradientRow(llvm::StringRef className) {
  for (const GradientRow &row : kGradients)
    if (className == row.className || (row.fill == fillConvolutionGradient &&
                                       className.starts_with(row.className)))
      return &row;
  return nullptr;
}

bool isGradientOfResult(llvm::StringRef className) {
  const GradientRow *row = gradientRow(className);
  return row && row->ofResult;
}

/// A Linear's: rows times the weight.
static std::optional<ModuleCallTrace>
productGradientOf(const LeafCall &call, const Tensor &gradient) {
  if (!call.weight.valid() || call.weight.rank() != 2 || gradient.rank() != 2 ||
      gradient.shape()[1] != call.weight.shape()[0])
    return std::nullopt;
  CallMaker maker(call, "aten.mm.default");
  maker.add(gradient);
  maker.add(call.weight);
  maker.gives(0, call.output);
  return maker.take();
}

std::optional<ModuleCallTrace>
gradientOf(const LeafCall &call, const Tensor &gradient, size_t output) {
  if (!call.output.valid() || !gradient.valid())
    return std::nullopt;
  if (llvm::StringRef(call.className).contains("Linear"))
    return productGradientOf(call, gradient);
  const GradientRow *row = gradientRow(call.className);
  if (!row)
    return std::nullopt;
  const Tensor &from = row->ofResult ? call.result : call.input;
  bool ofWeight = output > 0 && row->fill == fillConvolutionGradient;
  if (!call.settings || !from.valid() || (output > 0 && !ofWeight))
    return std::nullopt;
  CallMaker maker(call, row->operation);
  maker.add(gradient);
  maker.add(from);
  if (row->fill)
    row->fill(maker, call);
  if (*row->setting)
    maker.addSetting(row->setting);
  maker.gives(output, call.output);
  return maker.take();
}

std::optional<ReplayResult> replayAsOperator(
    const std::optional<ModuleCallTrace> &target, const Tensor &targetOutput,
    const std::optional<ModuleCallTrace> &bench, const Tensor &benchOutput,
    std::optional<numerics::ElementType> accumulation) {
  if (!target || !bench)
    return std::nullopt;
  bool isNarrow = std::min(targetOutput.elementType().bits,
                           benchOutput.elementType().bits) < 32;
  std::vector<Stages> all{Stages::Rounded};
  if (isNarrow &&
      sumsInType(bench->call.opName, bench->call.outputs.size() - 1))
    all.push_back(Stages::Narrow);
  std::vector<ReplayFormula> formulas;
  ReplaySide sides[2];
  for (Stages stages : all) {
    ReplayFormula formula;
    formula.name = "what its settings give";
    for (bool ofTarget : {false, true}) {
      const ModuleCallTrace &made = ofTarget ? *target : *bench;
      llvm::Expected<AtenProgram> program = atenProgram(made.call, stages);
      if (!program) {
        llvm::consumeError(program.takeError());
        return std::nullopt;
      }
      (ofTarget ? formula.targetProgram : formula.program) = program->program;
      ReplaySide &side = sides[ofTarget];
      side.inputs.clear();
      for (const std::string &place : program->inputs)
        side.inputs.push_back(made.tensors.at(place));
      side.output = ofTarget ? targetOutput : benchOutput;
    }
    formulas.push_back(std::move(formula));
  }
  sides[1].accumulation = accumulation;
  return replay(formulas, sides[1], sides[0], 0.1);
}

} // namespace assay::trace
