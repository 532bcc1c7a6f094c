// Problem -> Lowered. Backward passes and deconvolution are the convolution
// seen from another side (see Contraction.h); inner product is a matmul with
// transposed factors. The plugin's JSON is written here too, so that both
// describe the same problem.
#include "assay/verify/Lowering.h"
#include "assay/engine/Registry.h"
#include "assay/support/Math.h"
#include "assay/verify/ContractionProgram.h"
#include "assay/verify/Driver.h"
#include "assay/verify/Options.h"
#include "assay/verify/Requests.h"
#include "assay/verify/Settings.h"

#include <numeric>

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;
using judge::Contraction;

int64_t verify::maskBits(const Mask &mask, const Problem &p,
                         llvm::StringRef argument) {
  if (mask.form == Mask::Form::Bits)
    return mask.bits;
  if (mask.isSingle())
    return 0;
  int64_t rank = static_cast<int64_t>(p.dims(Role::Dst).size()),
          all = (int64_t(1) << rank) - 1;
  llvm::StringRef policy = mask.policy;
  if (policy == "per_tensor")
    return all;
  if (p.driver->maskOfPolicy)
    if (std::optional<int64_t> bits =
            p.driver->maskOfPolicy(p, argument, policy))
      return *bits;
  if (policy == "per_dim_0")
    return 1;
  if (policy == "per_dim_1")
    return 2;
  if (policy == "per_dim_01")
    return 3;
  if (policy == "per_dim_2")
    return 4;
  if (policy == "per_dim_3")
    return 8;
  return policy == "per_ocic" ? 3 : 2; // per_oc, per_dim_1
}

/// Checks that no two elements share a place: in order of rising strides, each
/// stride must be larger than the reach of the smaller ones.
static llvm::Error checkOverlap(const Dims &strides, const Dims &dims) {
  llvm::SmallVector<size_t, 6> order;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] > 1)
      order.push_back(d);
  llvm::sort(order,
             [&](size_t x, size_t y) { return strides[x] < strides[y]; });
  double reach = 0;
  for (size_t d : order) {
    if (static_cast<double>(strides[d]) <= reach)
      return makeError(
          ErrorCode::InvalidArgument,
          "--strides={0}: elements of a tensor {1} would lie on one another",
          toText(strides), toText(dims));
    reach += static_cast<double>(dims[d] - 1) * static_cast<double>(strides[d]);
  }
  return llvm::Error::success();
}

llvm::Expected<std::optional<Dims>> verify::tagStrides(llvm::StringRef tag,
                                                       const Dims &dims) {
  if (tag.empty() || tag == "any" || tag == "undef")
    return rowMajor(dims);
  auto order = tagPermutation(tag, static_cast<int>(dims.size()));
  if (!order)
    return order.takeError();
  if (!*order)
    return std::optional<Dims>();
  Dims strides(dims.size(), 1);
  int64_t step = 1;
  for (size_t at = dims.size(); at-- > 0;) {
    strides[(**order)[at]] = step;
    step *= std::max<int64_t>(dims[(**order)[at]], 1);
  }
  return strides;
}

/// Strides from --strides or the tag. A stride of 0 in --strides would overlay
/// elements and is refused.
static llvm::Expected<Dims> slotStrides(const Problem &p, Role role,
                                        const Dims &dims) {
  int i = static_cast<int>(role);
  if (!p.strides[i].empty()) {
    for (size_t d = 0; d < dims.size(); ++d)
      if (p.strides[i][d] == 0 && dims[d] > 1)
        return makeError(ErrorCode::InvalidArgument,
                         "--strides gives 0 for dimension {0} of size {1}", d,
                         dims[d]);
    if (llvm::Error error = checkOverlap(p.strides[i], dims))
      return error;
    return p.strides[i];
  }
  if (p.tags[i] == "any" || p.tags[i] == "undef")
    return rowMajor(dims);
  llvm::Expected<std::optional<Dims>> strides = tagStrides(p.tags[i], dims);
  if (!strides)
    return strides.takeError();
  // The engine is told the blocked format, but gets the tensor row-major.
  return *strides ? **strides : rowMajor(dims);
}

static llvm::Error checkSize(const Slot &slot) {
  double span = 1, count = bytesOf(slot.type);
  for (size_t d = 0; d < slot.dims.size(); ++d) {
    span += static_cast<double>(slot.dims[d]) * slot.strides[d];
    count *= slot.dims[d];
  }
  if (span > 1e15 || count > 1e15)
    return makeError(ErrorCode::ResourceLimit,
                     "tensor '{0}' would take {1:f0} GiB", slot.role,
                     std::max(span * bytesOf(slot.type), count) / 0x1p30);
  return llvm::Error::success();
}

static int addSlot(judge::Case &c, std::string role, ElementType type,
                   Dims dims) {
  c.slots.push_back({std::move(role), type, dims, rowMajor(dims), false});
  return static_cast<int>(c.slots.size()) - 1;
}

/// The main input tensors of a direction and the output, as roles with
/// gradients marked.
static llvm::Error addMainSlots(const Problem &p, const Sums &sums,
                                judge::Case &c) {
  bool forward = isForward(p.direction),
       weights = isBackwardWeights(p.direction);
  struct Main {
    Role role;
    const char *name;
    int *slot;
  };
  // Which is factor a, which is b: see Contraction::Form.
  int src = -1, wei = -1, dst = -1;
  std::vector<Main> mains;
  if (forward)
    mains = {{Role::Src, "src", &src},
             {Role::Wei, "wei", &wei},
             {Role::Dst, "dst", &dst}};
  else if (weights)
    mains = {{Role::Src, "src", &src},
             {Role::Dst, "diff_dst", &dst},
             {Role::Wei, "diff_wei", &wei}};
  else
    mains = {{Role::Dst, "diff_dst", &dst},
             {Role::Wei, "wei", &wei},
             {Role::Src, "diff_src", &src}};
  for (const Main &main : mains) {
    if (p.type(main.role) == types::E8M0)
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' has type e8m0, which is for scales", main.name);
    Dims dims = p.dims(main.role);
    llvm::Expected<Dims> strides = slotStrides(p, main.role, dims);
    if (!strides)
      return strides.takeError();
    *main.slot = addSlot(c, main.name, p.type(main.role), dims);
    c.slots.back().strides = *strides;
    if (llvm::Error error = checkSize(c.slots.back()))
      return error;
  }
  if (forward)
    c.a = src, c.b = wei, c.out = dst;
  else if (!weights)
    c.a = dst, c.b = wei, c.out = src;
  else if (sums.gradientFirst)
    c.a = dst, c.b = src, c.out = wei;
  else
    c.a = src, c.b = dst, c.out = wei;
  return llvm::Error::success();
}

static constexpr const char *kArguments[] = {"src", "wei", "dst"};

/// The sizes of a scale or zero point of a tensor: 1 where the mask shares it,
/// one for each group elsewhere.
static llvm::Expected<Dims> valueDims(const Dims &dims, int64_t mask,
                                      const ArgumentValue &entry) {
  Dims own = maskedDims(dims, mask);
  if (entry.groups.size() > dims.size())
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' has {1} group sizes, the tensor has {2} dimensions",
                     entry.argument, entry.groups.size(), dims.size());
  size_t first = dims.size() - entry.groups.size();
  for (size_t i = 0; i < entry.groups.size(); ++i) {
    int64_t size = entry.groups[i], d = static_cast<int64_t>(first + i);
    if (size == 1 || !(mask >> d & 1))
      continue;
    if (size < 1 || dims[d] % size)
      return makeError(ErrorCode::InvalidArgument,
                       "groups of {0} elements do not divide dimension {1} of "
                       "'{2}', which has {3}",
                       size, d, entry.argument, dims[d]);
    own[d] = dims[d] / size;
  }
  return own;
}

/// Whether a scale of these sizes can be applied to the sums: it does not vary
/// within a sum. The scale of weights runs along the output's channel.
static bool fitsSums(const judge::Case &c, int which, const Dims &dims) {
  const Dims &out = c.slots[c.out].dims;
  int64_t elements = product(dims);
  if (elements == 1)
    return true;
  if (which != 1) {
    bool fits = dims.size() == out.size();
    for (size_t d = 0; fits && d < out.size(); ++d) {
      // The sums of src run over the last dimension of a matrix, and over all dimensions
      // but the samples of a convolution.
      bool isSummed = which == 0 && (c.matrixRanges ? d + 1 == out.size() : d);
      fits = dims[d] == 1 || (!isSummed && dims[d] == out[d]);
    }
    return fits;
  }
  if (c.matrixRanges)
    return dims.back() == elements && elements == out.back();
  return elements == out[static_cast<size_t>(c.channel)] &&
         dims[0] * (dims.size() > out.size() ? dims[1] : 1) == elements;
}

/// The number of neighbours along a product's sums that have the same block
/// scales.
static int64_t evenDepth(const Problem &p, const judge::Case &c) {
  int64_t even = c.matrixRanges ? c.contraction.k : 1;
  for (int i : {0, 1}) {
    if (c.blockScaleSlots[i] < 0 || !c.matrixRanges)
      continue;
    size_t d = p.dims(Role::Dst).size() - (i ? 2 : 1);
    even =
        std::gcd(even, c.contraction.k / c.slots[c.blockScaleSlots[i]].dims[d]);
  }
  return even;
}

static llvm::Error addScale(const Problem &p, int which, bool isSecond,
                            const ArgumentValue &entry, const Dims &dims,
                            judge::Case &c) {
  if (entry.isOfBlocks && (which == 2 || !isForward(p.direction)))
    return makeError(ErrorCode::Unsupported,
                     "--attr-scales: a scale of '{0}' that varies inside the "
                     "{1}",
                     kArguments[which],
                     which == 2 ? "results" : "sums of a backward pass");
  int &slot = entry.isOfBlocks ? c.blockScaleSlots[which] : c.scaleSlots[which];
  if (slot >= 0)
    return makeError(ErrorCode::InvalidArgument,
                     "--attr-scales: two scales of '{0}'; beside one of blocks "
                     "there may be one for the whole tensor",
                     kArguments[which]);
  slot = addSlot(
      c, std::string(isSecond ? "global_scale_" : "scale_") + kArguments[which],
      entry.type, dims);
  return llvm::Error::success();
}

/// Scales of src, wei or dst. A block scale becomes part of the factor and
/// comes first; the sums may have a scale as well.
static llvm::Error addScales(const Problem &p, int which, judge::Case &c) {
  llvm::SmallVector<std::pair<ArgumentValue *, Dims>, 2> entries;
  for (ArgumentValue &entry : c.attributes.scales) {
    if (entry.argument != kArguments[which])
      continue;
    if (!entry.type.isFloat() || entry.type.bits < 8)
      return makeError(
          ErrorCode::InvalidArgument,
          "the scale of '{0}' has type {1}; scales are floats of 8 "
          "bits or more",
          entry.argument, nameOf(entry.type));
    llvm::Expected<Dims> dims =
        valueDims(p.dims(static_cast<Role>(which)),
                  maskBits(entry.mask, p, kArguments[which]), entry);
    if (!dims)
      return dims.takeError();
    entry.isOfBlocks = !fitsSums(c, which, *dims);
    entries.push_back({&entry, *dims});
  }
  bool hasBlocks = false;
  for (bool ofBlocks : {true, false})
    for (auto &[entry, dims] : entries) {
      if (entry->isOfBlocks != ofBlocks)
        continue;
      if (llvm::Error error = addScale(p, which, hasBlocks, *entry, dims, c))
        return error;
      hasBlocks |= ofBlocks;
    }
  return llvm::Error::success();
}

static llvm::Error addZeroPoint(const Problem &p, int which, judge::Case &c) {
  const ArgumentValue *zero = c.attributes.zeroPoint(kArguments[which]);
  if (!zero)
    return llvm::Error::success();
  if (!zero->type.isInteger())
    return makeError(ErrorCode::Unsupported,
                     "--attr-zero-points: a zero point of type {0}",
                     nameOf(zero->type));
  llvm::Expected<Dims> dims =
      valueDims(p.dims(static_cast<Role>(which)),
                maskBits(zero->mask, p, kArguments[which]), *zero);
  if (!dims)
    return dims.takeError();
  if (which == 2 && !fitsSums(c, 2, *dims))
    return makeError(ErrorCode::Unsupported,
                     "--attr-zero-points of dst with groups");
  c.zeroPointSlots[which] =
      addSlot(c, std::string("zp_") + kArguments[which], zero->type, *dims);
  return llvm::Error::success();
}

static llvm::Error addAttributeSlots(const Problem &p, judge::Case &c) {
  Dims dst = p.dims(Role::Dst);
  for (int i = 0; i < 3; ++i) {
    if (llvm::Error error = addScales(p, i, c))
      return error;
    if (llvm::Error error = addZeroPoint(p, i, c))
      return error;
  }
  if (c.blockScales())
    c.evenDepth = evenDepth(p, c);
  for (size_t i = 0; i < p.attributes.postOps.size(); ++i) {
    const PostOp &op = p.attributes.postOps[i];
    int slot = -1;
    if (op.kind == PostOp::Kind::Binary || op.kind == PostOp::Kind::Prelu) {
      Dims dims = maskedDims(dst, maskBits(op.mask, p, "po"));
      slot =
          addSlot(c, "post_op_" + std::to_string(i),
                  op.kind == PostOp::Kind::Prelu ? types::F32 : op.type, dims);
      llvm::Expected<std::optional<Dims>> strides = tagStrides(op.tag, dims);
      if (!strides)
        return addContext(strides.takeError(), "--attr-post-ops");
      if (*strides)
        c.slots.back().strides = **strides;
    }
    c.postOpSlots.push_back(slot);
    if (op.kind != PostOp::Kind::Sum)
      continue;
    c.sumInput = 1;
    ElementType stored = p.type(Role::Dst);
    if (op.type != types::None && op.type.bits != stored.bits)
      return makeError(ErrorCode::InvalidArgument,
                       "--attr-post-ops: a sum reads the {0} of dst as {1}, "
                       "which has another width",
                       nameOf(stored), nameOf(op.type));
  }
  return llvm::Error::success();
}

static llvm::json::Array entriesJson(const std::vector<ArgumentValue> &entries,
                                     const Problem &p) {
  llvm::json::Array list;
  for (const ArgumentValue &entry : entries) {
    llvm::json::Object o{{"arg", entry.argument},
                         {"mask", maskBits(entry.mask, p, entry.argument)}};
    if (entry.mask.isSingle())
      o["value"] = entry.value;
    o["dt"] = nameOf(entry.type);
    if (!entry.groups.empty())
      o["groups"] = llvm::json::Array(entry.groups);
    list.push_back(std::move(o));
  }
  return list;
}

static llvm::json::Array postOpsJson(const Problem &p) {
  static constexpr const char *kKinds[] = {"sum",   "eltwise", "binary",
                                           "prelu", "dw",      "select"};
  llvm::json::Array list;
  for (const PostOp &op : p.attributes.postOps) {
    llvm::json::Object o{{"kind", kKinds[static_cast<int>(op.kind)]},
                         {"name", op.name}};
    if (op.kind == PostOp::Kind::Eltwise)
      o["alpha"] = op.alpha, o["beta"] = op.beta;
    if (op.kind == PostOp::Kind::Sum)
      o["scale"] = op.sumScale, o["zero_point"] = op.sumZeroPoint;
    if (op.type != types::None)
      o["dt"] = nameOf(op.type);
    if (op.kind == PostOp::Kind::Binary || op.kind == PostOp::Kind::Prelu)
      o["mask"] = maskBits(op.mask, p, "po");
    list.push_back(std::move(o));
  }
  return list;
}

/// The tag of a tensor for an engine; one with inner blocks is written with the
/// letters of the tensor's dimensions.
static std::string tagText(const Problem &p, Role role) {
  auto i = static_cast<size_t>(role);
  if (!p.strides[i].empty())
    return "strided";
  std::string text = p.tags[i];
  if (isBlockedTag(text))
    if (llvm::Error error =
            blockedTag(text, static_cast<int>(p.dims(role).size()))
                .moveInto(text))
      llvm::consumeError(std::move(error)); // the reader has refused it
  return text;
}

/// The types of the tensors: those of --sdt and --ddt where the driver has them.
static llvm::json::Array typesJson(const Problem &p) {
  llvm::json::Array list;
  for (const OwnKnob &knob : p.driver->knobs)
    if (knob.name == llvm::StringRef("sdt") ||
        knob.name == llvm::StringRef("ddt"))
      for (llvm::StringRef type : llvm::split(p.knob(knob.name), ':'))
        list.push_back(type);
  if (!list.empty())
    return list;
  return llvm::json::Array{nameOf(p.types[0]), nameOf(p.types[1]),
                           nameOf(p.types[2])};
}

std::string verify::problemJson(const Problem &p) {
  llvm::json::Object o{{"driver", p.driver->name},
                       {"dir", nameOf(p.direction)},
                       {"dt", typesJson(p)},
                       {"bia_dt", nameOf(p.biasType)},
                       {"stag", tagText(p, Role::Src)},
                       {"wtag", tagText(p, Role::Wei)},
                       {"dtag", tagText(p, Role::Dst)},
                       {"alg", toString(p.algorithm)},
                       {"post_ops", postOpsJson(p)},
                       {"scales", entriesJson(p.attributes.scales, p)},
                       {"zero_points", entriesJson(p.attributes.zeroPoints, p)},
                       {"words", std::string("--") + p.driver->name + " " +
                                     reproText(p, false)}};
  for (const OwnKnob &knob : p.driver->knobs) {
    std::string key = knob.name;
    std::replace(key.begin(), key.end(), '-', '_');
    o[key] = p.knob(knob.name);
  }
  addRequests(p, o);
  if (p.attributes.isStochastic) {
    o["rounding_mode"] = "stochastic";
    o["rounding_seed"] =
        p.options ? static_cast<int64_t>(p.options->seed) : int64_t{1};
  }
  if (p.driver->json)
    p.driver->json(p, o);
  return llvm::formatv("{0}", llvm::json::Value(std::move(o))).str();
}

/// Moves outputs after the inputs; `a`, `b`, ... keep pointing at their slots.
static void outputsLast(judge::Case &c) {
  std::vector<int> place(c.slots.size());
  std::vector<Slot> sorted;
  for (bool output : {false, true})
    for (size_t i = 0; i < c.slots.size(); ++i) {
      bool isOutput =
          static_cast<int>(i) == c.out || static_cast<int>(i) == c.diffBias;
      if (isOutput != output)
        continue;
      place[i] = static_cast<int>(sorted.size());
      sorted.push_back(c.slots[i]);
      sorted.back().isOutput = isOutput;
    }
  c.slots = std::move(sorted);
  auto move = [&](int &slot) { slot = slot < 0 ? -1 : place[slot]; };
  for (int *slot : {&c.a, &c.b, &c.out, &c.bias, &c.diffBias})
    move(*slot);
  for (int i = 0; i < 3; ++i)
    move(c.scaleSlots[i]), move(c.zeroPointSlots[i]);
  for (int &slot : c.blockScaleSlots)
    move(slot);
  for (int &slot : c.postOpSlots)
    move(slot);
  if (c.sumInput >= 0)
    c.sumInput = c.out;
}

llvm::Expected<judge::Case> verify::caseOf(const Problem &problem,
                                           const Sums &sums) {
  judge::Case c;
  c.attributes = problem.attributes;
  c.algorithm = problem.algorithm;
  c.matrixRanges = sums.isMatmul;
  c.factorRounding = roundedFactors(problem);
  c.accumulatorUnit = allowedAccumulator(problem);
  c.contraction = sums.contraction;
  c.aShape = sums.aShape, c.bShape = sums.bShape;
  if (llvm::Error error = addMainSlots(problem, sums, c))
    return error;
  if (sums.isMatmul)
    c.channel = static_cast<int>(c.slots[c.out].dims.size()) - 1;
  if (problem.hasBias()) {
    if (isForward(problem.direction))
      c.bias = addSlot(c, "bia", problem.biasType, problem.biasDims());
    else if (isBackwardWeights(problem.direction))
      c.diffBias = addSlot(c, "diff_bia", problem.biasType, problem.biasDims());
  }
  if (llvm::Error error = addAttributeSlots(problem, c))
    return error;
  outputsLast(c);
  return c;
}

llvm::Expected<Lowered> verify::lower(const Problem &problem) {
  if (!problem.driver->contraction)
    return makeError(ErrorCode::Unsupported, "driver {0} has no sums",
                     problem.driver->name);
  llvm::Expected<judge::Case> c = problem.driver->contraction(problem);
  if (!c)
    return c.takeError();
  Lowered lowered;
  static_cast<judge::Case &>(lowered) = std::move(*c);
  lowered.problem = &problem;
  lowered.json = problemJson(problem);
  return lowered;
}

Lowered verify::accumulatorCase(const Lowered &original, ElementType factorType,
                                ElementType resultType) {
  Lowered c;
  auto plain = std::make_shared<Problem>(*original.problem);
  plain->attributes = Attributes();
  plain->requests.clear();
  plain->options.reset();
  plain->biasType = types::None;
  plain->tags = {"any", "any", "any"};
  plain->strides = {};
  plain->algorithm = Algorithm::Direct;
  if (plain->direction == Direction::FwdB)
    plain->direction = Direction::FwdD;
  if (plain->direction == Direction::BwdWB)
    plain->direction = Direction::BwdW;
  for (int i = 0; i < 3; ++i)
    plain->types[i] = factorType == types::None ? plain->types[i] : factorType;
  int resultRole = isForward(plain->direction)           ? 2
                   : isBackwardWeights(plain->direction) ? 1
                                                         : 0;
  plain->types[resultRole] = resultType;
  llvm::Expected<Lowered> lowered = lower(*plain);
  if (!lowered) { // cannot happen: the original has more constraints
    llvm::consumeError(lowered.takeError());
    return c;
  }
  c = std::move(*lowered);
  c.problem = original.problem;
  return c;
}

/// The arguments of a contraction's program are the inputs in their order, and
/// after them the output's previous content, which a sum post-op reads.
static llvm::Error addProgram(const Lowered &c,
                              engine::ProblemDescription &description) {
  BoundProgram made;
  const BoundProgram *bound = c.bound;
  if (!bound) {
    if (llvm::Error error = contractionProgram(*c.problem, c).moveInto(made))
      return error;
    bound = &made;
  }
  description.program = bound->program->toBytecode();
  description.entry = bound->entry;
  for (size_t i = 0; i < c.inputCount(); ++i)
    description.arguments.push_back(static_cast<int64_t>(i));
  if (c.sumInput >= 0)
    description.arguments.push_back(c.sumInput);
  return llvm::Error::success();
}

llvm::Expected<engine::ProblemDescription>
verify::describe(const Lowered &c, int threads, llvm::StringRef engineName) {
  if (c.attributes.isStochastic && engine::takesPrograms(engineName))
    return makeError(ErrorCode::Unsupported,
                     "engine {0}: it rounds to nearest, never at random",
                     engineName);
  engine::ProblemDescription description;
  description.driver = c.problem->driver->name;
  description.json = c.json;
  description.threads = threads;
  for (const Slot &slot : c.slots)
    description.tensors.push_back(
        {slot.role, nameOf(slot.type),
         std::vector<int64_t>(slot.dims.begin(), slot.dims.end()),
         std::vector<int64_t>(slot.strides.begin(), slot.strides.end()),
         slot.isOutput});
  if (engine::takesPrograms(engineName))
    if (llvm::Error error = addProgram(c, description))
      return error;
  return description;
}
