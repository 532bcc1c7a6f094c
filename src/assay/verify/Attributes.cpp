// The text of --attr-scales, --attr-zero-points and --attr-post-ops, parsed and
// printed. The grammar is benchdnn's (tests/benchdnn/doc/knobs_attr.md):
// entries joined by '+', fields by ':'. Printing omits values that equal the
// default, so that a repro line is as short as benchdnn's.
#include "assay/verify/Attributes.h"
#include "assay/support/Nearest.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace assay;
using namespace assay::verify;

namespace {
struct PostOpRow {
  const char *name;
  PostOp::Kind kind;
  bool supported;
};
} // namespace

static constexpr PostOpRow kPostOps[] = {
#define ASSAY_POST_OP(name, kind, supported)                                   \
  {name, PostOp::Kind::kind, supported},
#include "assay/verify/PostOps.def"
#undef ASSAY_POST_OP
};

static constexpr const char *kPolicies[] = {
    "common",     "host_scalar", "mx",        "dynamic_fp",
    "per_oc",     "per_ocic",    "per_dim_0", "per_dim_1",
    "per_dim_01", "per_dim_2",   "per_dim_3", "per_tensor"};

static const PostOpRow *findPostOp(llvm::StringRef text) {
  std::string name = text.lower();
  llvm::StringRef stem = name;
  if (!stem.consume_front("eltwise_"))
    stem.consume_front("binary_");
  std::string shortened;
  if (stem.consume_back("_use_dst_for_bwd"))
    stem = shortened = stem.str() + "_dst";
  for (const PostOpRow &row : kPostOps)
    if (stem == row.name)
      return &row;
  return nullptr;
}

static llvm::Expected<Mask> parseMask(llvm::StringRef text,
                                      llvm::StringRef entry) {
  Mask mask;
  if (!text.empty() && llvm::all_of(text, llvm::isDigit)) {
    mask.form = Mask::Form::Bits;
    if (text.getAsInteger(10, mask.bits) || mask.bits >= 4096)
      return makeError(
          ErrorCode::InvalidArgument,
          "mask '{0}' of '{1}' is too large; dimensions are bits 0 to 11", text,
          entry);
    return mask;
  }
  mask.form = Mask::Form::Policy;
  mask.policy = text.lower();
  if (!llvm::is_contained(kPolicies, mask.policy))
    return makeError(ErrorCode::InvalidArgument,
                     "policy '{0}' of '{1}' is unknown; expected common, "
                     "per_oc, per_dim_N, per_tensor or an integer mask",
                     text, entry);
  return mask;
}

static llvm::Expected<double> parseNumber(llvm::StringRef text,
                                          llvm::StringRef entry) {
  double value = 0;
  text.consume_back("*"); // an older form marks run-time values with '*'
  if (text.empty() || text.getAsDouble(value) || !std::isfinite(value))
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' of '{1}' is not a number", text, entry);
  return value;
}

static llvm::Expected<int64_t> parseInteger(llvm::StringRef text,
                                            llvm::StringRef entry) {
  int64_t value = 0;
  if (text.getAsInteger(10, value))
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' of '{1}' is not an integer", text, entry);
  return value;
}

static llvm::Expected<ElementType> parseType(llvm::StringRef text,
                                             llvm::StringRef entry) {
  std::optional<ElementType> type = parseDataType(text);
  if (!type || *type == types::None)
    return makeError(ErrorCode::InvalidArgument,
                     "data type '{0}' of '{1}' is unknown", text, entry);
  return *type;
}

static bool knownArgument(llvm::StringRef name) {
  name.consume_front("attr_post_op_dw_");
  if (name == "src" || name == "src1" || name == "wei" || name == "dst" ||
      name == "bia" || name == "src0" || name == "src2")
    return true;
  return name.consume_front("msrc") && !name.empty() &&
         llvm::all_of(name, llvm::isDigit);
}

/// Splits at '+', but keeps the '+' of an exponent (1e+3).
static llvm::SmallVector<std::string, 4> splitEntries(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, '+');
  llvm::SmallVector<std::string, 4> entries;
  for (llvm::StringRef part : parts) {
    bool continues = !entries.empty() && entries.back().size() > 1 &&
                     entries.back().back() == 'e' &&
                     llvm::isDigit(entries.back()[entries.back().size() - 2]);
    if (continues)
      entries.back() += part.str();
    else
      entries.push_back(part.str());
  }
  return entries;
}

static llvm::Expected<ArgumentValue> parseArgumentValue(llvm::StringRef entry,
                                                        bool isScale) {
  llvm::SmallVector<llvm::StringRef, 6> fields;
  entry.split(fields, ':');
  ArgumentValue result;
  result.argument = fields[0] == "src0" ? "src" : fields[0].str();
  result.type = isScale ? types::F32 : types::S32;
  result.value = isScale ? 1 : 0;
  if (!knownArgument(fields[0]))
    return makeError(
        ErrorCode::InvalidArgument,
        "argument '{0}' of '{1}' is unknown; expected src, wei or dst",
        fields[0], entry);
  if (fields.size() < 2 ||
      llvm::any_of(fields, [](llvm::StringRef f) { return f.empty(); }))
    return makeError(
        ErrorCode::InvalidArgument,
        "'{0}' has an empty field; expected ARG:POLICY[:VALUE[:TYPE[:GROUPS]]]",
        entry);
  llvm::Expected<Mask> mask = parseMask(fields[1], entry);
  if (!mask)
    return mask.takeError();
  result.mask = *mask;
  size_t next = 2;
  if (result.mask.isSingle() && next < fields.size()) {
    llvm::Expected<double> value = parseNumber(fields[next++], entry);
    if (!value)
      return value.takeError();
    result.value = *value;
    if (isScale && *value < 0)
      return makeError(ErrorCode::InvalidArgument,
                       "the scale of '{0}' is negative", entry);
    if (!isScale &&
        (*value != std::nearbyint(*value) || std::abs(*value) > 2147483647.0))
      return makeError(ErrorCode::InvalidArgument,
                       "the zero point of '{0}' is not a 32-bit integer",
                       entry);
  }
  if (next < fields.size()) {
    llvm::Expected<ElementType> type = parseType(fields[next++], entry);
    if (!type)
      return type.takeError();
    result.type = *type;
  }
  if (next < fields.size()) {
    llvm::SmallVector<llvm::StringRef, 2> sizes;
    fields[next++].split(sizes, 'x');
    for (llvm::StringRef size : sizes) {
      llvm::Expected<int64_t> value = parseInteger(size, entry);
      if (!value)
        return value.takeError();
      result.groups.push_back(*value);
    }
  }
  if (next < fields.size())
    return makeError(
        ErrorCode::InvalidArgument,
        "'{0}' has more fields than ARG:POLICY[:VALUE[:TYPE[:GROUPS]]]", entry);
  return result;
}

llvm::Expected<std::vector<ArgumentValue>>
verify::parseArgumentValues(llvm::StringRef text, bool isScale) {
  std::vector<ArgumentValue> values;
  if (text.empty())
    return values;
  for (const std::string &entry : splitEntries(text)) {
    llvm::Expected<ArgumentValue> value = parseArgumentValue(entry, isScale);
    if (!value)
      return value.takeError();
    values.push_back(std::move(*value));
  }
  return values;
}

static llvm::Error parseSum(PostOp &op, llvm::ArrayRef<llvm::StringRef> fields,
                            llvm::StringRef entry) {
  if (fields.size() > 1) {
    llvm::Expected<double> scale = parseNumber(fields[1], entry);
    if (!scale)
      return scale.takeError();
    op.sumScale = *scale;
  }
  if (fields.size() > 2) {
    llvm::Expected<int64_t> zeroPoint = parseInteger(fields[2], entry);
    if (!zeroPoint)
      return zeroPoint.takeError();
    op.sumZeroPoint = *zeroPoint;
  }
  if (fields.size() > 3) {
    llvm::Expected<ElementType> type = parseType(fields[3], entry);
    if (!type)
      return type.takeError();
    op.type = *type;
  }
  return llvm::Error::success();
}

static llvm::Error parseEltwise(PostOp &op,
                                llvm::ArrayRef<llvm::StringRef> fields,
                                llvm::StringRef entry) {
  double *const targets[] = {&op.alpha, &op.beta};
  // A third number was the scale in an older grammar; benchdnn still skips it.
  for (size_t i = 1; i < fields.size() && i < 4; ++i) {
    llvm::Expected<double> value = parseNumber(fields[i], entry);
    if (!value)
      return value.takeError();
    if (i <= 2)
      *targets[i - 1] = *value;
  }
  return llvm::Error::success();
}

static llvm::Error parseBinary(PostOp &op,
                               llvm::ArrayRef<llvm::StringRef> fields,
                               llvm::StringRef entry) {
  if (fields.size() < 2)
    return makeError(ErrorCode::InvalidArgument,
                     "post-op '{0}' needs the data type of its second operand",
                     entry);
  llvm::Expected<ElementType> type = parseType(fields[1], entry);
  if (!type)
    return type.takeError();
  op.type = *type;
  if (fields.size() > 2) {
    llvm::Expected<Mask> mask = parseMask(fields[2], entry);
    if (!mask)
      return mask.takeError();
    op.mask = *mask;
  }
  if (fields.size() > 3)
    op.tag = fields[3].str();
  if (fields.size() > 4)
    op.strides = fields[4].str();
  return llvm::Error::success();
}

static std::string nearestPostOp(llvm::StringRef word) {
  std::vector<llvm::StringRef> names;
  for (const PostOpRow &row : kPostOps)
    names.push_back(row.name);
  llvm::StringRef near = nearestName(word, names);
  return near.empty() ? "; see `assay verify --matmul --help`"
                      : (" (did you mean '" + near + "'?)").str();
}

static llvm::Expected<PostOp> parsePostOp(llvm::StringRef entry) {
  llvm::SmallVector<llvm::StringRef, 6> fields;
  entry.split(fields, ':');
  const PostOpRow *row = findPostOp(fields[0]);
  if (!row)
    return makeError(ErrorCode::InvalidArgument,
                     "post-op '{0}' of '{1}' is unknown{2}", fields[0], entry,
                     nearestPostOp(fields[0]));
  PostOp op;
  op.kind = row->kind;
  op.name = row->name == llvm::StringRef("srelu") ? "soft_relu" : row->name;
  if (op.kind == PostOp::Kind::Sum)
    if (llvm::Error error = parseSum(op, fields, entry))
      return error;
  if (op.kind == PostOp::Kind::Eltwise)
    if (llvm::Error error = parseEltwise(op, fields, entry))
      return error;
  if (op.kind == PostOp::Kind::Binary)
    if (llvm::Error error = parseBinary(op, fields, entry))
      return error;
  if (op.kind == PostOp::Kind::Prelu && fields.size() > 1) {
    llvm::Expected<Mask> mask = parseMask(fields[1], entry);
    if (!mask)
      return mask.takeError();
    op.mask = *mask;
  }
  // Depthwise and select are known by name only: their text is kept for the
  // repro line.
  if (op.kind == PostOp::Kind::Depthwise || op.kind == PostOp::Kind::Select)
    op.strides = entry.substr(fields[0].size()).str();
  return op;
}

llvm::Expected<std::vector<PostOp>> verify::parsePostOps(llvm::StringRef text) {
  std::vector<PostOp> postOps;
  if (text.empty())
    return postOps;
  for (const std::string &entry : splitEntries(text)) {
    llvm::Expected<PostOp> op = parsePostOp(entry);
    if (!op)
      return op.takeError();
    postOps.push_back(std::move(*op));
  }
  if (postOps.size() > 32)
    return makeError(ErrorCode::InvalidArgument,
                     "{0} post-ops; at most 32 are allowed", postOps.size());
  return postOps;
}

static std::string number(double value) {
  std::string text = llvm::formatv("{0:f6}", value).str();
  while (text.back() == '0')
    text.pop_back();
  if (text.back() == '.')
    text.pop_back();
  double back = 0;
  if (llvm::StringRef(text).getAsDouble(back) || back != value) {
    char buffer[40];
    snprintf(buffer, sizeof buffer, "%.17g", value);
    return buffer;
  }
  return text;
}

std::string verify::toText(const std::vector<ArgumentValue> &values,
                           bool isScale) {
  std::string text;
  for (const ArgumentValue &value : values) {
    text +=
        (text.empty() ? "" : "+") + value.argument + ":" + value.mask.text();
    if (value.mask.isSingle())
      text += ":" + number(value.value);
    if (value.type != (isScale ? types::F32 : types::S32) ||
        !value.groups.empty())
      text += std::string(":") + nameOf(value.type);
    for (size_t i = 0; i < value.groups.size(); ++i)
      text += (i ? "x" : ":") + std::to_string(value.groups[i]);
  }
  return text;
}

static std::string toText(const PostOp &op) {
  std::string text = op.name;
  switch (op.kind) {
  case PostOp::Kind::Sum:
    if (op.sumScale != 1 || op.sumZeroPoint || op.type != types::None)
      text += ":" + number(op.sumScale);
    if (op.sumZeroPoint || op.type != types::None)
      text += ":" + std::to_string(op.sumZeroPoint);
    if (op.type != types::None)
      text += std::string(":") + nameOf(op.type);
    break;
  case PostOp::Kind::Eltwise:
    if (op.alpha != 0 || op.beta != 0)
      text += ":" + number(op.alpha);
    if (op.beta != 0)
      text += ":" + number(op.beta);
    break;
  case PostOp::Kind::Binary:
    text += std::string(":") + nameOf(op.type);
    if (op.mask.form != Mask::Form::None)
      text += ":" + op.mask.text();
    if (!op.tag.empty())
      text += ":" + op.tag;
    if (!op.strides.empty())
      text += ":" + op.strides;
    break;
  case PostOp::Kind::Prelu:
    if (op.mask.form != Mask::Form::None)
      text += ":" + op.mask.text();
    break;
  case PostOp::Kind::Depthwise:
  case PostOp::Kind::Select:
    text += op.strides;
    break;
  }
  return text;
}

std::string verify::toText(const std::vector<PostOp> &postOps) {
  std::string text;
  for (const PostOp &op : postOps)
    text += (text.empty() ? "" : "+") + ::toText(op);
  return text;
}

static std::string unimplementedValue(const ArgumentValue &value,
                                      const char *knob, bool mainOnly) {
  bool isFactor = value.argument == "src" || value.argument == "wei";
  if (!value.groups.empty() && !(mainOnly && isFactor))
    return std::string(knob) + " of " + value.argument + " with groups";
  if (value.mask.policy == "mx" || value.mask.policy == "dynamic_fp")
    return std::string(knob) + " policy " + value.mask.policy;
  if (!isSupported(value.type))
    return std::string(knob) + " type " + nameOf(value.type);
  if (mainOnly && value.argument != "src" && value.argument != "wei" &&
      value.argument != "dst")
    return std::string(knob) + " of " + value.argument;
  return {};
}

std::string verify::unimplemented(const Attributes &attributes, bool mainOnly) {
  for (const ArgumentValue &value : attributes.scales)
    if (std::string why = unimplementedValue(value, "--attr-scales", mainOnly);
        !why.empty())
      return why;
  for (const ArgumentValue &value : attributes.zeroPoints)
    if (std::string why =
            unimplementedValue(value, "--attr-zero-points", mainOnly);
        !why.empty())
      return why;
  int sums = 0;
  for (const PostOp &op : attributes.postOps) {
    const PostOpRow *row = findPostOp(op.name);
    sums += op.kind == PostOp::Kind::Sum;
    if (!row->supported)
      return "post-op " + op.name;
    if (!isSupported(op.type))
      return "post-op " + op.name + " with type " + nameOf(op.type);
    if (!op.strides.empty() ||
        op.tag.find_first_not_of("abcdefx") != std::string::npos)
      if (op.tag != "any" || !op.strides.empty())
        return "post-op " + op.name + " with tag " + op.tag + " and strides";
    if (op.mask.policy == "mx" || op.mask.policy == "dynamic_fp")
      return "post-op policy " + op.mask.policy;
  }
  return sums > 1 ? "more than one sum post-op" : "";
}
