// A folder is judged by its small files: the spec, and the result of a check on
// this machine. Only dispatch reads the trees, and only those of the model that
// it uses.
#include "assay/select/ModelSurvey.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/ModelFolder.h"
#include "assay/select/SelfCheck.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <set>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

bool FoundModel::rates(int64_t count) const {
  return llvm::is_contained(threads, count) ||
         llvm::is_contained(threads, int64_t{1});
}

/// The folder and its subfolders, by name, as far as they hold a spec.
static std::vector<std::string> candidatesIn(const std::string &folder) {
  std::error_code code;
  std::vector<std::string> inner;
  for (llvm::sys::fs::directory_iterator entry(folder, code), end;
       entry != end && !code; entry.increment(code))
    inner.push_back(entry->path());
  llvm::sort(inner);
  inner.insert(inner.begin(), folder);
  llvm::erase_if(inner, [](const std::string &path) {
    // `tune auto` stages models beside others: not installed yet, or not any
    // longer.
    llvm::StringRef name(path);
    return name.ends_with(".new") || name.ends_with(".old") ||
           !llvm::sys::fs::exists(inside(path, "feature_spec.json"));
  });
  return inner;
}

/// Fills in whether a model serves, and why; true where it was made on this
/// machine.
static bool judge(const Registry &registry, bool anyMachine,
                  FoundModel &found) {
  llvm::Expected<Model> model = loadDescription(found.folder);
  llvm::Error error = model ? checkSchema(*model) : model.takeError();
  if (error) {
    found.why = takeError(std::move(error)).message;
    return true; // ranked with our own, so that the user sees the message first
  }
  std::string foreign = foreignness(*model, registry);
  if (foreign.empty() || anyMachine) {
    found.serves = true;
    return true;
  }
  std::optional<Speedup> known = knownSpeedup(found.folder, registry);
  std::string text = "the model '" + found.folder + "' " + foreign;
  if (!known) {
    found.why = text + "; `assay tune check` measures whether it serves here, "
                       "`assay tune auto` makes one for this machine";
  } else if (!known->serves()) {
    found.why = text + ", and was measured here: " +
                known->text(plainName(found.op));
  } else {
    found.serves = true;
    found.why = foreign + "; measured here: " +
                known->text(plainName(found.op));
  }
  return false;
}

/// An operation that this machine does not know counts as products: opening
/// such a model reports what is wrong with it.
static bool mayBeOf(llvm::StringRef op, llvm::StringRef asked) {
  const LocalSpace *space = findLocal(op);
  return (space ? space->op() : defaultSpace().op()) == asked;
}

std::string ModelKind::text() const {
  return (op == defaultSpace().op() ? "" : op + " ") + dtype + " " + layout;
}

/// A summary of the spec; nullopt: it is not of the requested kind.
static std::optional<FoundModel> glanceAt(const std::string &folder,
                                          const std::optional<ModelKind> &kind) {
  FoundModel found;
  found.folder = folder;
  auto json = readJsonFile(inside(folder, "feature_spec.json"));
  if (!json) {
    found.why = takeError(json.takeError()).message;
    return found;
  }
  found.op = json->getString("op_type").value_or("").str();
  found.dtype = json->getString("dtype").value_or("").str();
  found.layout = json->getString("layout").value_or("").str();
  if (kind && (found.dtype != kind->dtype || found.layout != kind->layout ||
               !mayBeOf(found.op, kind->op)))
    return std::nullopt;
  if (const llvm::json::Array *threads = json->getArray("threads"))
    for (const llvm::json::Value &value : *threads)
      found.threads.push_back(value.getAsInteger().value_or(0));
  return found;
}

/// Lets a model serve only where no earlier one does.
static void keepFirst(std::vector<FoundModel> &models) {
  for (size_t i = 0; i < models.size(); ++i) {
    if (!models[i].serves)
      continue;
    for (size_t before = 0; before < i; ++before) {
      const FoundModel &first = models[before];
      if (!first.serves || first.op != models[i].op ||
          first.dtype != models[i].dtype ||
          first.layout != models[i].layout ||
          !llvm::all_of(models[i].threads,
                        [&](int64_t count) { return first.rates(count); }))
        continue;
      models[i].serves = false;
      models[i].isBehind = true;
      models[i].why = "'" + first.folder + "' comes first";
      break;
    }
  }
}

std::vector<FoundModel>
select::surveyModels(const Registry &registry,
                     llvm::ArrayRef<std::string> folders,
                     const std::optional<ModelKind> &kind, bool anyMachine) {
  std::vector<FoundModel> own, foreign;
  std::set<std::string> seen;
  for (const std::string &folder : folders)
    for (const std::string &path : candidatesIn(folder)) {
      std::optional<FoundModel> found = glanceAt(path, kind);
      if (!found || !seen.insert(path).second)
        continue;
      bool isOwn =
          !found->why.empty() || judge(registry, anyMachine, *found);
      (isOwn ? own : foreign).push_back(std::move(*found));
    }
  llvm::append_range(own, foreign);
  keepFirst(own);
  return own;
}
