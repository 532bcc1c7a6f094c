// Reads a plugin problem: the tensors from the interface, everything else from
// the JSON text.
#include "assay/engine/onednn/Problem.h"

#include "oneapi/dnnl/dnnl_debug.h"
#include "llvm/ADT/StringExtras.h"

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
#if ASSAY_DNNL_SINCE(3, 5)
  if (name == "f8_e5m2")
    return DataType::f8_e5m2;
  if (name == "f8_e4m3")
    return DataType::f8_e4m3;
  if (name == "s4")
    return DataType::s4;
  if (name == "u4")
    return DataType::u4;
#endif
#if ASSAY_DNNL_SINCE(3, 8)
  if (name == "f4_e2m1")
    return DataType::f4_e2m1;
  if (name == "e8m0")
    return DataType::e8m0;
#endif
  return DataType::undef;
}

/// The format with this name in oneDNN's own list.
static dnnl::memory::format_tag formatNamed(const std::string &name) {
  for (int i = 0; i < dnnl_format_tag_last; ++i) {
    auto tag = static_cast<dnnl_format_tag_t>(i);
    if (name == dnnl_fmt_tag2str(tag))
      return static_cast<dnnl::memory::format_tag>(tag);
  }
  throw Unsupported(versionName() + " lists no memory format " + name);
}

Desc Tensor::descriptor() const {
  return format.empty() ? plain() : Desc(dims, type, formatNamed(format));
}

Desc Tensor::storedAs(const Tensor &like) const {
  return like.format.empty() ? Desc(dims, type, like.strides)
                             : Desc(dims, type, formatNamed(like.format));
}

Desc Tensor::requested() const {
  if (!format.empty())
    return descriptor();
  return any ? Desc(dims, type, dnnl::memory::format_tag::any) : descriptor();
}

Desc Tensor::atRunTime(int64_t mask) const {
  if (!mask)
    return requested();
  if (any)
    throw Unsupported("dimensions that '" + role +
                      "' learns at run time need a "
                      "memory format (--stag, --wtag, --dtag)");
  dnnl::memory::dims sizes = dims, steps = strides;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (mask >> d & 1)
      sizes[d] = DNNL_RUNTIME_DIM_VAL;
    for (size_t inner = 0; inner < sizes.size(); ++inner)
      if (mask >> inner & 1 && strides[inner] < strides[d])
        steps[d] = DNNL_RUNTIME_DIM_VAL;
  }
  return Desc(sizes, type, steps);
}

Desc Tensor::withRank(size_t rank) const {
  dnnl::memory::dims sizes = dims, steps = strides;
  for (size_t d = sizes.size(); d-- > 0 && sizes.size() > rank;)
    if (sizes[d] == 1) {
      sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(d));
      steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(d));
    }
  while (sizes.size() < rank) {
    sizes.push_back(1);
    steps.push_back(1);
  }
  if (sizes.size() != rank)
    throw Unsupported("tensor '" + role + "' has more dimensions than oneDNN " +
                      "takes here");
  return Desc(sizes, type, steps);
}

int ValueEntry::dnnlArgument() const {
  return argument == "src"    ? DNNL_ARG_SRC
         : argument == "src1" ? DNNL_ARG_SRC_1
         : argument == "wei"  ? DNNL_ARG_WEIGHTS
                              : DNNL_ARG_DST;
}

dnnl::prop_kind Problem::forwardKind() const {
  return direction == "FWD_I" ? dnnl::prop_kind::forward_inference
                              : dnnl::prop_kind::forward_training;
}

const Tensor *Problem::tensor(llvm::StringRef role) const {
  for (const Tensor &t : tensors)
    if (t.role == role)
      return &t;
  return nullptr;
}

const Tensor &Problem::need(llvm::StringRef role) const {
  if (const Tensor *found = tensor(role))
    return *found;
  throw Unsupported("oneDNN needs the tensor '" + role.str() + "' here");
}

const assay_tensor_t *Problem::find(llvm::StringRef role,
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

/// The knobs of a driver arrive as text.
float Problem::number(llvm::StringRef key, double otherwise) const {
  double value = otherwise;
  if (std::optional<llvm::StringRef> text = json.getString(key))
    if (text->getAsDouble(value))
      throw Unsupported(
          ("'" + key + "' is not a number: '" + *text + "'").str());
  return static_cast<float>(json.getNumber(key).value_or(value));
}

int64_t Problem::integer(llvm::StringRef key, int64_t otherwise) const {
  int64_t value = otherwise;
  if (std::optional<llvm::StringRef> text = json.getString(key))
    if (text->getAsInteger(10, value))
      throw Unsupported(
          ("'" + key + "' is not an integer: '" + *text + "'").str());
  return json.getInteger(key).value_or(value);
}

bool Problem::flag(char letter) const {
  return json.getString("flags").value_or("").contains(letter);
}

dnnl::memory::dims Problem::spatial(llvm::StringRef prefix,
                                    llvm::StringRef suffix) const {
  static constexpr const char *kAxes[] = {"d", "h", "w"};
  const Tensor *src = tensor("src") ? tensor("src") : &need("diff_src");
  if (src->dims.size() < 3 || src->dims.size() > 5)
    throw Unsupported("oneDNN takes one to three spatial dimensions");
  dnnl::memory::dims values;
  for (size_t axis = 5 - src->dims.size(); axis < 3; ++axis)
    values.push_back(integer((prefix + kAxes[axis] + suffix).str()));
  return values;
}

#if DNNL_VERSION_MAJOR >= 3
void assay::engine::onednn::needOneType(const Tensor &, const Tensor &,
                                        const char *) {}
#else
void assay::engine::onednn::needOneType(const Tensor &a, const Tensor &b,
                                        const char *what) {
  if (a.type != b.type)
    throw Unsupported("oneDNN 2.x has one data type for '" + a.role +
                      "' and '" + b.role + "' of " + what);
}
#endif

int64_t assay::engine::onednn::elementCount(const assay_tensor_t &tensor) {
  int64_t count = 1;
  for (int i = 0; i < tensor.rank; ++i)
    count *= tensor.dims[i];
  return count;
}

static float bfloat(uint16_t value) {
  uint32_t bits = uint32_t(value) << 16;
  float result;
  std::memcpy(&result, &bits, 4);
  return result;
}

std::vector<float>
assay::engine::onednn::readFloats(const assay_tensor_t &tensor) {
  std::vector<float> values(elementCount(tensor));
  llvm::StringRef type = tensor.dtype;
  auto as = [&](auto first, auto convert) {
    auto *data = static_cast<const decltype(first) *>(tensor.data);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = convert(data[i]);
  };
  auto plain = [](auto value) { return static_cast<float>(value); };
  if (type == "f32")
    as(float(), plain);
  else if (type == "s32")
    as(int32_t(), plain);
  else if (type == "s8")
    as(int8_t(), plain);
  else if (type == "u8")
    as(uint8_t(), plain);
  else if (type == "f16")
    as(_Float16(), plain);
  else if (type == "bf16")
    as(uint16_t(), bfloat);
  return values;
}

static void readTensors(const assay_problem_t &description, Problem &problem) {
  auto add = [&](const assay_tensor_t &from, bool isOutput) {
    Tensor tensor;
    tensor.role = from.role;
    tensor.type = parseType(from.dtype);
    tensor.dims.assign(from.dims, from.dims + from.rank);
    tensor.strides.assign(from.strides, from.strides + from.rank);
    tensor.isOutput = isOutput;
    if (tensor.type == DataType::undef)
      throw Unsupported(versionName() + " has no data type " + from.dtype);
    problem.tensors.push_back(std::move(tensor));
  };
  for (int i = 0; i < description.n_inputs; ++i)
    add(description.inputs[i], false);
  for (int i = 0; i < description.n_outputs; ++i)
    add(description.outputs[i], true);
  problem.inputCount = description.n_inputs;
}

/// `byDefault`: the type of values where the problem names none.
static std::vector<ValueEntry> readEntries(const llvm::json::Object &json,
                                           llvm::StringRef key,
                                           llvm::StringRef byDefault) {
  std::vector<ValueEntry> entries;
  if (const llvm::json::Array *list = json.getArray(key))
    for (const llvm::json::Value &item : *list)
      if (const llvm::json::Object *o = item.getAsObject()) {
        entries.push_back({o->getString("arg").value_or("").str(),
                           static_cast<int>(o->getInteger("mask").value_or(0)),
                           o->getNumber("value").value_or(1),
                           parseType(o->getString("dt").value_or(byDefault)),
                           {}});
        if (const llvm::json::Array *groups = o->getArray("groups"))
          for (const llvm::json::Value &size : *groups)
            entries.back().groups.push_back(size.getAsInteger().value_or(1));
      }
  for (size_t i = 0; i < entries.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (entries[i].argument == entries[k].argument)
        throw Unsupported("oneDNN has one scale of '" + entries[i].argument +
                          "'");
  return entries;
}

static void readPostOps(const llvm::json::Object &json, Problem &problem) {
  const llvm::json::Array *list = json.getArray("post_ops");
  if (!list)
    return;
  for (const llvm::json::Value &item : *list) {
    const llvm::json::Object *o = item.getAsObject();
    if (!o)
      continue;
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

/// "src=aBcd16b,dst=aBcd16b": the blocked formats of drivers without sums.
static void readFormats(Problem &problem) {
  std::string all = problem.request("formats");
  llvm::SmallVector<llvm::StringRef, 4> entries;
  llvm::StringRef(all).split(entries, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef entry : entries) {
    auto [role, format] = entry.split('=');
    for (Tensor &tensor : problem.tensors)
      if (role == tensor.role)
        tensor.format = format.str();
  }
  if (!entries.empty())
    problem.taken.insert("formats");
}

Problem assay::engine::onednn::readProblem(const assay_problem_t &description) {
  Problem problem;
  problem.driver = description.driver;
  readTensors(description, problem);
  llvm::Expected<llvm::json::Value> parsed =
      llvm::json::parse(description.problem_json);
  if (!parsed || !parsed->getAsObject()) {
    llvm::consumeError(parsed.takeError());
    throw Unsupported("the problem's JSON cannot be read");
  }
  problem.json = std::move(*parsed->getAsObject());
  const llvm::json::Object &json = problem.json;
  problem.direction = json.getString("dir").value_or("FWD_D").str();
  problem.algorithm = json.getString("alg").value_or("direct").lower();
  if (json.getString("rounding_mode"))
    throw Unsupported("the adapter of oneDNN has no stochastic rounding");
  problem.scales = readEntries(json, "scales", "f32");
  problem.zeroPoints = readEntries(json, "zero_points", "s32");
  readPostOps(json, problem);
  auto isAny = [&](const char *key) {
    return json.getString(key).value_or("any") == "any";
  };
  readFormats(problem);
  for (Tensor &tensor : problem.tensors) {
    llvm::StringRef role = tensor.role;
    role.consume_front("diff_");
    const char *knob = role == "src"   ? "stag"
                       : role == "wei" ? "wtag"
                       : role == "dst" ? "dtag"
                                       : nullptr;
    std::string tag = knob ? json.getString(knob).value_or("").str() : "";
    if (tensor.format.empty() && llvm::any_of(tag, llvm::isDigit)) { // blocks
      tensor.format = tag;
      problem.taken.insert(knob);
    }
    tensor.any = (role == "src" && isAny("stag")) ||
                 (role == "wei" && isAny("wtag")) ||
                 (role == "dst" && isAny("dtag"));
  }
  return problem;
}
