// Layouts: words for placements, the attribute that the recorder writes beside
// DTensors, and the file in which users specify unrecorded ones.
#include "assay/trace/ranks/Layout.h"
#include "assay/trace/NameMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/JSON.h"

namespace assay::trace {

namespace json = llvm::json;
using Kind = Placement::Kind;

//===--- Placements as text ----------------------------------------------===//

static constexpr std::pair<llvm::StringLiteral, Kind> kKinds[] = {
    {"replicate", Kind::Replicate},
    {"sum", Kind::Sum},
    {"mean", Kind::Mean},
    {"max", Kind::Max},
    {"min", Kind::Min},
    {"first", Kind::First},
    {"last", Kind::Last}};

static bool parseBlocks(llvm::StringRef text, std::vector<int64_t> &blocks) {
  llvm::SmallVector<llvm::StringRef> sizes;
  text.split(sizes, ':');
  for (llvm::StringRef size : sizes) {
    int64_t value = 0;
    if (size.getAsInteger(10, value) || value <= 0 || value > 1 << 20)
      return false;
    blocks.push_back(value);
  }
  return blocks.size() > 1;
}

/// The words after "shard".
static bool parseShard(llvm::ArrayRef<llvm::StringRef> words,
                       Placement &placement) {
  placement.kind = Kind::Shard;
  if (words.empty() || words[0].getAsInteger(10, placement.dim))
    return false;
  for (size_t i = 1; i < words.size(); ++i) {
    bool more = i + 1 < words.size();
    if (words[i] == "zigzag")
      placement.zigzag = true;
    else if (words[i] == "scaled")
      placement.scaled = true;
    else if (words[i] == "cut" && more && words[i + 1] == "last")
      placement.cutLast = ++i > 0;
    else if (words[i] != "blocks" || !more ||
             !parseBlocks(words[++i], placement.blocks))
      return false;
  }
  return !placement.zigzag || placement.blocks.empty();
}

llvm::Expected<Placement> parsePlacement(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words);
  Placement placement;
  if (words.size() == 1)
    for (const auto &[word, kind] : kKinds)
      if (words[0] == word) {
        placement.kind = kind;
        return placement;
      }
  if (!words.empty() && words[0] == "shard" &&
      parseShard(llvm::ArrayRef(words).drop_front(), placement))
    return placement;
  return makeError(
      ErrorCode::InvalidArgument,
      "placement '{0}', expected replicate, sum, mean, max, "
      "min, first, last or shard DIM [blocks N:N] [zigzag] [scaled]",
      text);
}

llvm::Expected<Places> parsePlaces(llvm::StringRef text) {
  Places places;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ';', -1, false);
  for (llvm::StringRef part : parts) {
    auto [where, what] = part.split(':');
    auto [axis, at] = where.trim().rsplit(' ');
    auto [coordinate, size] = at.split('/');
    Place place;
    place.axis = axis.str();
    if (axis.empty() || coordinate.getAsInteger(10, place.coordinate) ||
        size.getAsInteger(10, place.size) || place.coordinate < 0 ||
        place.coordinate >= place.size)
      return makeError(ErrorCode::InvalidArgument,
                       "attribute placement '{0}', expected \"AXIS I/N: "
                       "PLACEMENT; …\"",
                       text);
    llvm::Expected<Placement> placement = parsePlacement(what.trim());
    if (placement) {
      place.placement = std::move(*placement);
    } else {
      llvm::consumeError(placement.takeError());
      place.placement.unknown = what.trim().str();
    }
    places.push_back(std::move(place));
  }
  return places;
}

static std::string toString(const Placement &placement) {
  if (!placement.unknown.empty())
    return placement.unknown;
  for (const auto &[word, kind] : kKinds)
    if (placement.kind == kind)
      return word.str();
  std::string text = "shard " + std::to_string(placement.dim);
  for (size_t i = 0; i < placement.blocks.size(); ++i)
    text += (i ? ":" : " blocks ") + std::to_string(placement.blocks[i]);
  text += placement.zigzag ? " zigzag" : "";
  return text + (placement.scaled ? " scaled" : "");
}

std::string toString(llvm::ArrayRef<Place> places) {
  std::string text;
  for (const Place &place : places)
    text += (text.empty() ? "" : "; ") + place.axis + ": " +
            toString(place.placement);
  return text;
}

//===--- The file --------------------------------------------------------===//

namespace {
/// Reads the parts of the file; errors name the entry.
struct FileReader {
  const json::Object &object;
  std::vector<Layout::Axis> mesh;

  static llvm::Error wrong(const llvm::Twine &what) {
    return makeError(ErrorCode::InvalidArgument, "{0}", what.str());
  }
  int axisOf(llvm::StringRef name) const {
    for (size_t i = 0; i < mesh.size(); ++i)
      if (mesh[i].name == name)
        return static_cast<int>(i);
    return -1;
  }
  llvm::Error readMesh();
  llvm::Expected<std::vector<Placement>>
  placements(const json::Object &entry, llvm::StringRef pattern) const;
};
} // namespace

llvm::Error FileReader::readMesh() {
  const json::Array *axes = object.getArray("mesh");
  if (!axes || axes->empty())
    return wrong("\"mesh\" is missing, expected a list such as [\"dp 2\", "
                 "\"tp 4\"]");
  constexpr int64_t kMost = 1 << 20;
  int64_t processes = 1;
  for (const json::Value &value : *axes) {
    auto [name, size] = value.getAsString().value_or("").rsplit(' ');
    Layout::Axis axis{name.trim().str(), 0};
    if (axis.name.empty() || size.getAsInteger(10, axis.size) ||
        axis.size < 1 || axis.size > kMost / processes ||
        axisOf(axis.name) >= 0 || axis.name == "name")
      return wrong("\"mesh\" has an entry that is not an axis with its size, "
                   "expected \"tp 4\"");
    processes *= axis.size;
    mesh.push_back(std::move(axis));
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<Placement>>
FileReader::placements(const json::Object &entry,
                       llvm::StringRef pattern) const {
  std::vector<Placement> along(mesh.size());
  for (const auto &[key, value] : entry) {
    if (llvm::StringRef(key) == "name")
      continue;
    int axis = axisOf(key);
    if (axis < 0)
      return wrong("\"" + pattern + "\": \"" + llvm::StringRef(key) +
                   "\" is not an axis of the mesh");
    llvm::Expected<Placement> placement =
        parsePlacement(value.getAsString().value_or(""));
    if (!placement)
      return addContext(placement.takeError(), "\"" + pattern + "\"");
    along[static_cast<size_t>(axis)] = std::move(*placement);
  }
  return along;
}

llvm::Expected<Layout> Layout::read(llvm::StringRef path) {
  auto fail = [&](llvm::Error error) {
    return addContext(std::move(error), "'" + path + "'");
  };
  llvm::Expected<json::Value> value = readJsonFile(path);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  if (!object)
    return fail(FileReader::wrong("not a layout: expected an object"));
  for (const auto &[key, part] : *object)
    if (llvm::StringRef name = key; !llvm::is_contained(
            {llvm::StringRef("mesh"), llvm::StringRef("numbered"),
             llvm::StringRef("tensors")},
            name))
      return fail(FileReader::wrong("\"" + name +
                                    "\" is not part of a layout, expected "
                                    "mesh, numbered, tensors"));
    else if (part.kind() !=
             (name == "numbered" ? json::Value::Object : json::Value::Array))
      return fail(FileReader::wrong(
          "\"" + name + "\" is not " +
          (name == "numbered" ? "an object of axes" : "a list")));
  FileReader reader{*object, {}};
  if (llvm::Error error = reader.readMesh())
    return fail(std::move(error));
  Layout layout;
  if (const json::Object *numbered = object->getObject("numbered"))
    for (const auto &[list, axis] : *numbered) {
      int index = reader.axisOf(axis.getAsString().value_or(""));
      if (index < 0)
        return fail(FileReader::wrong("\"numbered\": \"" +
                                      llvm::StringRef(list) +
                                      "\" names no axis of the mesh"));
      layout.numbered_.push_back({list.str(), static_cast<size_t>(index)});
    }
  if (const json::Array *tensors = object->getArray("tensors"))
    for (const json::Value &item : *tensors) {
      const json::Object *entry = item.getAsObject();
      std::optional<llvm::StringRef> pattern =
          entry ? entry->getString("name") : std::nullopt;
      if (!pattern)
        return fail(
            FileReader::wrong("\"tensors\" has an entry without a \"name\""));
      if (llvm::Error bad = llvm::GlobPattern::create(*pattern).takeError())
        return fail(FileReader::wrong("\"" + *pattern +
                                      "\": " + llvm::toString(std::move(bad))));
      llvm::Expected<std::vector<Placement>> along =
          reader.placements(*entry, *pattern);
      if (!along)
        return fail(along.takeError());
      layout.tensors_.push_back({pattern->str(), std::move(*along)});
    }
  layout.mesh_ = std::move(reader.mesh);
  return layout;
}

//===--- Questions -------------------------------------------------------===//

int64_t Layout::processes() const {
  int64_t product = 1;
  for (const Axis &axis : mesh_)
    product *= axis.size;
  return product;
}

std::vector<int64_t> Layout::coordinatesOf(int64_t rank) const {
  std::vector<int64_t> result(mesh_.size());
  for (size_t i = mesh_.size(); i-- > 0; rank /= mesh_[i].size)
    result[i] = rank % mesh_[i].size;
  return result;
}

std::optional<Places> Layout::placesOf(llvm::StringRef name,
                                       int64_t rank) const {
  for (const Entry &entry : tensors_) {
    llvm::Expected<llvm::GlobPattern> pattern =
        llvm::GlobPattern::create(entry.pattern);
    if (!pattern) { // refused by read()
      llvm::consumeError(pattern.takeError());
      continue;
    }
    if (!pattern->match(name))
      continue;
    std::vector<int64_t> at = coordinatesOf(rank);
    Places places;
    for (size_t i = 0; i < mesh_.size(); ++i)
      places.push_back({mesh_[i].name, at[i], mesh_[i].size, entry.along[i]});
    return places;
  }
  return std::nullopt;
}

} // namespace assay::trace
