// The graph of a dump, from its tensors in the order of execution: a module's
// call is open from its first input to its last output (its gradients
// likewise), and a tensor comes from the last operator that returned its bytes.
#include "assay/trace/DataFlow.h"

#include <algorithm>
#include <map>

namespace assay::trace {

static std::string keyOf(const DumpName &name, llvm::StringRef part) {
  return std::to_string(name.step) + " " + part.str();
}

DataFlow::DataFlow(llvm::ArrayRef<AlignItem> items)
    : items_(items), producer_(items.size(), -1), origin_(items.size(), -1),
      open_(items.size(), -1), before_(items.size(), -1) {
  findModules();
  findProducers();
}

llvm::ArrayRef<int64_t> DataFlow::itemsOf(int64_t item, bool outputs) const {
  const DumpName &name = items_[static_cast<size_t>(item)].name;
  auto it = ofCall_.find(keyOf(name, name.module));
  if (it == ofCall_.end())
    return {};
  return outputs ? it->second.outputs : it->second.inputs;
}

void DataFlow::findModules() {
  struct Span {
    size_t first, last = 0;
    int64_t call = -1;
  };
  llvm::StringMap<Span> spans;
  auto spanKey = [](const DumpName &name) {
    return keyOf(name, name.callText()) + (isBackward(name.kind) ? " b" : "");
  };
  auto isInModule = [](const DumpName &name) {
    return name.kind != TensorKind::Other &&
           name.kind != TensorKind::ParamsGrad && !isNumbered(name.module);
  };
  for (size_t i = 0; i < items_.size(); ++i) {
    const DumpName &name = items_[i].name;
    if (!isInModule(name))
      continue;
    Span &span = spans.try_emplace(spanKey(name), Span{i}).first->second;
    if (isOutput(name.kind))
      span.last = i;
  }
  std::vector<std::pair<size_t, int64_t>> open; // with its last item's index
  auto depth = [&](int64_t call) {
    llvm::StringRef module = calls_[static_cast<size_t>(call)].module;
    return module.empty() ? 0 : 1 + module.count('.');
  };
  auto innermost = [&]() -> int64_t {
    int64_t best = -1;
    for (auto [end, call] : open)
      if (best < 0 || depth(call) >= depth(best))
        best = call;
    return best;
  };
  std::map<int64_t, int64_t> ended; // by the call around: the last in it
  for (size_t i = 0; i < items_.size(); ++i) {
    const DumpName &name = items_[i].name;
    std::erase_if(open, [&](const auto &span) {
      bool isOver = span.first < i;
      if (isOver)
        ended[calls_[static_cast<size_t>(span.second)].parent] = span.second;
      return isOver;
    });
    auto lastIn = [&](int64_t call) {
      auto it = ended.find(call);
      return it == ended.end() ? -1 : it->second;
    };
    if (isInModule(name)) {
      Span &span = spans[spanKey(name)];
      if (span.first == i && span.last > i) {
        int64_t around = innermost();
        calls_.push_back({name.callText(), name.module, isBackward(name.kind),
                          around, lastIn(around)});
        open.emplace_back(span.last, static_cast<int64_t>(calls_.size()) - 1);
      }
    }
    open_[i] = innermost();
    before_[i] = lastIn(open_[i]);
  }
}

void DataFlow::findProducers() {
  llvm::StringMap<int64_t> made, first; // by step and hash
  for (size_t i = 0; i < items_.size(); ++i) {
    const AlignItem &item = items_[i];
    auto index = static_cast<int64_t>(i);
    bool ofOperator = isNumbered(item.name.module);
    bool output = item.name.kind == TensorKind::ForwardOutput;
    if (ofOperator) {
      Tensors &call = ofCall_[keyOf(item.name, item.name.module)];
      (output ? call.outputs : call.inputs).push_back(index);
    }
    if (item.hash.empty())
      continue;
    std::string key = keyOf(item.name, item.hash);
    if (ofOperator && output) {
      made[key] = index;
      first.try_emplace(key, index);
      producer_[i] = index;
    } else if (auto it = made.find(key); it != made.end()) {
      producer_[i] = it->second;
      origin_[i] = first[key];
    }
  }
}

} // namespace assay::trace
