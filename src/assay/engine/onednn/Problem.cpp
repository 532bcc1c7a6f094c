// Reads a plugin problem: the tensors as they come, everything else from the
// JSON text.
#include "assay/engine/onednn/Primitives.h"

#include <cstring>

using namespace assay::engine::onednn;

static DataType parseType(llvm::StringRef name) {
  if (name == "f32")
    return DataType::f32;
  if (name == "bf16")
    return DataType::bf16;
  if (name == "f16")
    return DataType::f16;
  if (name == "s32")
    return DataType::s32;
  if (name == "s8")
    return DataType::s8;
  if (name == "u8")
    return DataType::u8;
#if DNNL_VERSION_MAJOR >= 3
  if (name == "f64")
    return DataType::f64;
#endif
  return DataType::undef;
}

dnnl::memory::desc Tensor::requested() const {
  return any ? dnnl::memory::desc(dims, type, dnnl::memory::format_tag::any)
             : descriptor();
}

int ValueEntry::dnnlArgument() const {
  return argument == "src"   ? DNNL_ARG_SRC
         : argument == "wei" ? DNNL_ARG_WEIGHTS
                             : DNNL_ARG_DST;
}

const Tensor *Problem::tensor(const std::string &role) const {
  for (const Tensor &t : tensors)
    if (t.role == role)
      return &t;
  return nullptr;
}

const assay_tensor_t *Problem::find(const std::string &role,
                                    const assay_tensor_t *inputs) const {
  for (size_t i = 0; i < inputCount; ++i)
    if (tensors[i].role == role)
      return &inputs[i];
  return nullptr;
}

bool Problem::hasSum() const {
  for (const PostOp &op : postOps)
    if (op.kind == "sum")
      return true;
  return false;
}

bool Problem::hasOutputScale() const {
  for (const ValueEntry &entry : scales)
    if (entry.argument != "dst")
      return true;
  return false;
}

bool Problem::staticOutputScale() const {
  for (const ValueEntry &entry : scales)
    if (entry.argument != "dst" && entry.mask)
      return false;
  return true;
}

/// The output scale runs over dst's channel: bit 1, or the last dimension of a
/// matmul.
int Problem::outputScaleMask() const {
  if (staticOutputScale())
    return 0;
  return driver == "matmul" ? 1 << (tensor("dst")->dims.size() - 1) : 2;
}

std::vector<float> Problem::outputScales(const assay_tensor_t *inputs) const {
  std::vector<float> result{1};
  for (const ValueEntry &entry : scales) {
    const assay_tensor_t *data = entry.argument == "dst"
                                     ? nullptr
                                     : find("scale_" + entry.argument, inputs);
    if (!data)
      continue;
    std::vector<float> values = readFloats(*data);
    if (values.size() > result.size())
      result.resize(values.size(), result[0]);
    for (size_t i = 0; i < result.size(); ++i)
      result[i] *= values[values.size() == 1 ? 0 : i];
  }
  return result;
}

dnnl::memory::desc Problem::scaledBiasDescriptor() const {
  const Tensor *bias = tensor("bia");
  return dnnl::memory::desc(bias->dims, DataType::f32, bias->strides);
}

int64_t assay::engine::onednn::elementCount(const assay_tensor_t &tensor) {
  int64_t count = 1;
  for (int i = 0; i < tensor.rank; ++i)
    count *= tensor.dims[i];
  return count;
}

/// Dense f32, bf16, f16, s32, s8 or u8 data as floats.
std::vector<float>
assay::engine::onednn::readFloats(const assay_tensor_t &tensor) {
  std::vector<float> values(elementCount(tensor));
  llvm::StringRef type = tensor.dtype;
  for (size_t i = 0; i < values.size(); ++i) {
    if (type == "f32")
      values[i] = static_cast<const float *>(tensor.data)[i];
    else if (type == "s32")
      values[i] =
          static_cast<float>(static_cast<const int32_t *>(tensor.data)[i]);
    else if (type == "s8")
      values[i] = static_cast<const int8_t *>(tensor.data)[i];
    else if (type == "u8")
      values[i] = static_cast<const uint8_t *>(tensor.data)[i];
    else if (type == "bf16") {
      uint32_t bits = uint32_t(static_cast<const uint16_t *>(tensor.data)[i])
                      << 16;
      std::memcpy(&values[i], &bits, 4);
    } else if (type == "f16")
      values[i] =
          static_cast<float>(static_cast<const _Float16 *>(tensor.data)[i]);
  }
  return values;
}

static bool readTensors(const assay_problem_t &description, Problem &problem,
                        std::string &why) {
  auto add = [&](const assay_tensor_t &from, bool isOutput) {
    Tensor tensor;
    tensor.role = from.role;
    tensor.type = parseType(from.dtype);
    tensor.dims.assign(from.dims, from.dims + from.rank);
    tensor.strides.assign(from.strides, from.strides + from.rank);
    tensor.isOutput = isOutput;
    if (tensor.type == DataType::undef)
      why = std::string("oneDNN ") + std::to_string(DNNL_VERSION_MAJOR) + "." +
            std::to_string(DNNL_VERSION_MINOR) + " has no data type " +
            from.dtype;
    problem.tensors.push_back(std::move(tensor));
  };
  for (int i = 0; i < description.n_inputs; ++i)
    add(description.inputs[i], false);
  for (int i = 0; i < description.n_outputs; ++i)
    add(description.outputs[i], true);
  problem.inputCount = description.n_inputs;
  return why.empty();
}

static std::vector<ValueEntry> readEntries(const llvm::json::Object &json,
                                           llvm::StringRef key) {
  std::vector<ValueEntry> entries;
  if (const llvm::json::Array *list = json.getArray(key))
    for (const llvm::json::Value &item : *list)
      if (const llvm::json::Object *o = item.getAsObject())
        entries.push_back({o->getString("arg").value_or("").str(),
                           static_cast<int>(o->getInteger("mask").value_or(0)),
                           o->getNumber("value").value_or(1)});
  return entries;
}

static void readPostOps(const llvm::json::Object &json, Problem &problem) {
  const llvm::json::Array *list = json.getArray("post_ops");
  if (!list)
    return;
  for (const llvm::json::Value &item : *list) {
    const llvm::json::Object *o = item.getAsObject();
    PostOp op;
    op.kind = o->getString("kind").value_or("").str();
    op.name = o->getString("name").value_or("").str();
    op.alpha = static_cast<float>(o->getNumber("alpha").value_or(0));
    op.beta = static_cast<float>(o->getNumber("beta").value_or(0));
    op.scale = static_cast<float>(o->getNumber("scale").value_or(1));
    op.zeroPoint = static_cast<int>(o->getInteger("zero_point").value_or(0));
    op.mask = static_cast<int>(o->getInteger("mask").value_or(0));
    op.type = parseType(o->getString("dt").value_or(""));
    problem.postOps.push_back(op);
  }
}

std::string
assay::engine::onednn::readProblem(const assay_problem_t &description,
                                   Problem &problem) {
  std::string why;
  problem.driver = description.driver;
  if (!readTensors(description, problem, why))
    return why;
  llvm::Expected<llvm::json::Value> parsed =
      llvm::json::parse(description.problem_json);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return "the problem's JSON cannot be read";
  }
  const llvm::json::Object &json = *parsed->getAsObject();
  problem.direction = json.getString("dir").value_or("FWD_D").str();
  problem.algorithm = json.getString("alg").value_or("direct").str();
  problem.scales = readEntries(json, "scales");
  problem.zeroPoints = readEntries(json, "zero_points");
  readPostOps(json, problem);
  auto tagOf = [&](const char *key) {
    return json.getString(key).value_or("any") == "any";
  };
  for (Tensor &tensor : problem.tensors) {
    llvm::StringRef role = tensor.role;
    role.consume_front("diff_");
    tensor.any = (role == "src" && tagOf("stag")) ||
                 (role == "wei" && tagOf("wtag")) ||
                 (role == "dst" && tagOf("dtag"));
  }
  auto number = [&](const char *key) {
    return json.getInteger(key).value_or(0);
  };
  if (problem.driver == "conv" || problem.driver == "deconv") {
    static constexpr const char *kAxes[] = {"d", "h", "w"};
    const Tensor *src = problem.tensor("src") ? problem.tensor("src")
                                              : problem.tensor("diff_src");
    for (size_t axis = 5 - src->dims.size(); axis < 3; ++axis) {
      std::string letter = kAxes[axis];
      problem.strides.push_back(number(("s" + letter).c_str()));
      problem.dilations.push_back(number(("d" + letter).c_str()));
      problem.padLeft.push_back(number(("p" + letter).c_str()));
      problem.padRight.push_back(number(("p" + letter + "_r").c_str()));
    }
  }
  return {};
}
