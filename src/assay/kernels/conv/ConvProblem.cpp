// Convolutions as data, and their two spellings: benchdnn's descriptors and
// command lines of MIOpen's driver.
#include "assay/kernels/conv/ConvProblem.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace assay::kernels {

static constexpr const char *kDirections[] = {"conv_fwd", "conv_bwd_data",
                                              "conv_bwd_weight"};
static constexpr const char *kSides[] = {"d", "h", "w"};

const char *toString(ConvDirection direction) {
  return kDirections[static_cast<int>(direction)];
}

std::optional<ConvDirection> parseConvDirection(llvm::StringRef text) {
  for (int i = 0; i < 3; ++i)
    if (text == kDirections[i])
      return static_cast<ConvDirection>(i);
  return std::nullopt;
}

bool ConvProblem::isPointwise() const {
  return taps() == 1 && stride == Sides{1, 1, 1} && low == Sides{0, 0, 0} &&
         image == result;
}

double ConvProblem::flops() const {
  return 2.0 * double(batch) * double(outChannels) * double(positions()) *
         double(groupIn()) * double(taps());
}

double ConvProblem::bytes() const {
  return double(sizeOf(type)) *
         (double(batch) * double(channels) * double(count(image)) +
          double(outChannels) * double(groupIn()) * double(taps()) +
          double(batch) * double(outChannels) * double(positions()));
}

uint64_t ConvProblem::hash() const {
  uint64_t state = 0x9e3779b97f4a7c15;
  auto mix = [&](int64_t value) {
    state = (state ^ static_cast<uint64_t>(value)) * 0xff51afd7ed558ccd;
    state ^= state >> 32;
  };
  for (int64_t value :
       {static_cast<int64_t>(direction), static_cast<int64_t>(type), batch,
        channels, outChannels, groups, static_cast<int64_t>(threads)})
    mix(value);
  for (const Sides *sides :
       {&image, &filter, &result, &stride, &dilation, &low})
    for (int64_t side : *sides)
      mix(side);
  return state;
}

/// Whether height and width are equal, except in the result.
static bool isSquare(const ConvProblem &p) {
  for (const ConvProblem::Sides *sides :
       {&p.image, &p.filter, &p.stride, &p.dilation, &p.low})
    if ((*sides)[1] != (*sides)[2])
      return false;
  return true;
}

std::string ConvProblem::words() const {
  std::string text = "mb" + std::to_string(batch);
  if (groups > 1)
    text += "g" + std::to_string(groups);
  bool deep = image[0] > 1 || filter[0] > 1 || result[0] > 1;
  auto add = [&](const char *kind, const Sides &sides, int64_t otherwise,
                 int64_t less = 0) {
    if (sides[1] == otherwise && sides[2] == otherwise &&
        (!deep || sides[0] == otherwise))
      return;
    auto word = [&](size_t side) {
      text += kind + std::string(kSides[side]) +
              std::to_string(sides[side] - less);
    };
    if (deep && (sides[0] != sides[1] || *kind == 'i' || *kind == 'o'))
      word(0);
    word(1);
    if (sides[2] != sides[1])
      word(2);
  };
  text += "ic" + std::to_string(channels);
  add("i", image, 0);
  text += "oc" + std::to_string(outChannels);
  add("o", result, 0);
  if (result[2] == result[1] && !isSquare(*this))
    text += "ow" + std::to_string(result[2]);
  add("k", filter, 0);
  add("s", stride, 1);
  add("p", low, 0);
  add("d", dilation, 1, 1);
  return text;
}

std::string toString(const ConvProblem &problem) {
  return llvm::formatv("{0} {1} nhwc {2} t{3}", toString(problem.direction),
                       toString(problem.type), problem.words(),
                       problem.threads)
      .str();
}

ConvWords::Side ConvWords::side(size_t number) const {
  std::string own = kSides[number];
  bool isDeep = names("id") || names("kd");
  auto size = [&](const char *kind, int64_t otherwise) {
    int64_t height = of(std::string(kind) + "h", otherwise);
    return number == 0 && !isDeep ? otherwise : of(kind + own, height);
  };
  return {size("i", 1), size("k", 1), size("s", 1), size("p", 0),
          size("d", 0) + 1};
}

llvm::Expected<ConvWords> parseConvWords(llvm::StringRef text) {
  static constexpr const char *kWords[] = {
      "g",  "mb", "ic", "id", "ih", "iw", "oc", "od", "oh", "ow", "kd",
      "kh", "kw", "sd", "sh", "sw", "pd", "ph", "pw", "dd", "dh", "dw"};
  ConvWords words;
  llvm::StringRef rest = text;
  while (!rest.empty()) {
    rest = rest.ltrim('_');
    std::string word =
        rest.take_while([](char c) { return c >= 'a' && c <= 'z'; }).str();
    rest = rest.drop_front(word.size());
    int64_t number = 0;
    if (!llvm::is_contained(kWords, word) || rest.consumeInteger(10, number) ||
        number < 0)
      return makeError(ErrorCode::InvalidArgument,
                       "--problem '{0}' has '{1}{2}', expected words like mb2 "
                       "ic64 ih56 oc64 kh3 ph1",
                       text, word, rest.take_front(12));
    words.numbers[word] = number;
  }
  return words;
}

/// Converts MIOpen's letters to a descriptor's words; leaves out those that are
/// not about the problem (directions, verification, times).
static llvm::Expected<ConvWords> wordsOfDriver(llvm::StringRef text) {
  static const std::map<std::string, std::string> kLetters{
      {"-n", "mb"}, {"-c", "ic"}, {"-k", "oc"}, {"-g", "g"},
      {"-H", "ih"}, {"-W", "iw"}, {"-y", "kh"}, {"-x", "kw"},
      {"-p", "ph"}, {"-q", "pw"}, {"-u", "sh"}, {"-v", "sw"},
      {"-l", "dh"}, {"-j", "dw"}, {"-!", "id"}, {"-@", "kd"},
      {"-$", "pd"}, {"-#", "sd"}, {"-^", "dd"}};
  static const std::map<std::string, std::string> kNames{
      {"--batchsize", "-n"},         {"--in_channels", "-c"},
      {"--out_channels", "-k"},      {"--group_count", "-g"},
      {"--in_h", "-H"},              {"--in_w", "-W"},
      {"--fil_h", "-y"},             {"--fil_w", "-x"},
      {"--pad_h", "-p"},             {"--pad_w", "-q"},
      {"--conv_stride_h", "-u"},     {"--conv_stride_w", "-v"},
      {"--dilation_h", "-l"},        {"--dilation_w", "-j"},
      {"--in_d", "-!"},              {"--fil_d", "-@"},
      {"--pad_d", "-$"},             {"--conv_stride_d", "-#"},
      {"--dilation_d", "-^"}};
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ' ', -1, /*KeepEmpty=*/false);
  ConvWords words;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    auto name = kNames.find(parts[i].str());
    auto letter =
        kLetters.find(name == kNames.end() ? parts[i].str() : name->second);
    if (letter == kLetters.end())
      continue;
    int64_t number = 0;
    if (parts[++i].getAsInteger(10, number) || number < 0)
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' has {1} {2}, expected a number of at least 0",
                       text, parts[i - 1], parts[i]);
    // MIOpen writes "no dilation" as a dilation of 1.
    bool isDilation = letter->second[0] == 'd';
    words.numbers[letter->second] = isDilation && number > 0 ? number - 1 : number;
  }
  return words;
}

llvm::Expected<ConvProblem> parseConvProblem(llvm::StringRef text,
                                             ConvDirection direction,
                                             DataType type, int threads) {
  auto words = text.contains(" -") ? wordsOfDriver(text.trim())
                                   : parseConvWords(text.trim());
  if (!words)
    return words.takeError();
  ConvProblem p;
  p.direction = direction, p.type = type, p.threads = threads;
  p.batch = words->of("mb", 2);
  p.channels = words->of("ic", 1);
  p.outChannels = words->of("oc", 1);
  p.groups = words->of("g", 1);
  for (size_t side = 0; side < 3; ++side) {
    ConvWords::Side own = words->side(side);
    p.image[side] = own.image, p.filter[side] = own.filter;
    p.stride[side] = own.stride, p.low[side] = own.pad;
    p.dilation[side] = own.dilation;
    int64_t reach = (p.filter[side] - 1) * p.dilation[side] + 1,
            seen = p.image[side] + 2 * p.low[side] - reach;
    int64_t follows =
        p.stride[side] > 0 && seen >= 0 ? seen / p.stride[side] + 1 : 0;
    p.result[side] = words->of(std::string("o") + kSides[side], follows);
  }
  if (words->names("oh") && !words->names("ow") && isSquare(p))
    p.result[2] = p.result[1];
  if (auto refusal = validate(p))
    return makeError(refusal->code, "'{0}' is not a convolution: {1}", text,
                     refusal->text);
  return p;
}

std::optional<Refusal> validate(const ConvProblem &p) {
  auto refuse = [](std::string text) {
    return Refusal{ErrorCode::InvalidArgument, std::move(text)};
  };
  constexpr int64_t kMost = (int64_t(1) << 31) - 1;
  for (int64_t size : {p.batch, p.channels, p.outChannels, p.groups})
    if (size < 1 || size > kMost)
      return refuse("mb, ic, oc and g are from 1 to 2147483647");
  if (p.channels % p.groups || p.outChannels % p.groups)
    return refuse("ic and oc are multiples of g");
  for (size_t side = 0; side < 3; ++side) {
    auto named = [&](const char *kind) { return kind + std::string(kSides[side]); };
    for (auto [kind, size] :
         {std::pair("i", p.image[side]), {"o", p.result[side]},
          {"k", p.filter[side]}, {"s", p.stride[side]},
          {"d", p.dilation[side]}})
      if (size < 1 || size > kMost)
        return refuse(llvm::formatv("{0} comes to {1}", named(kind), size));
    // The last window must read some of the image, or of the padding before it.
    if ((p.result[side] - 1) * p.stride[side] >= p.image[side] + p.low[side])
      return refuse(llvm::formatv("{0} = {1} does not fit the image",
                                  named("o"), p.result[side]));
  }
  if (p.flops() > 1e18 || p.bytes() > 1e15)
    return refuse("it is too large");
  return std::nullopt;
}

} // namespace assay::kernels
