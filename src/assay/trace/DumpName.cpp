// Names of recorded tensors. They are parsed from the end: the last known kind
// separates the module's part from the item; a number before it is the call
// counter, and the word before that the class. Module paths may contain
// anything, dots included.
#include "assay/trace/DumpName.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

namespace assay::trace {

static constexpr TensorKind kKinds[] = {
    TensorKind::ForwardParams,     TensorKind::ForwardInput,
    TensorKind::ForwardOutput,     TensorKind::BackwardGradOutput,
    TensorKind::BackwardGradInput, TensorKind::ParamsGrad};

llvm::StringRef kindName(TensorKind kind) {
  static constexpr const char *kNames[] = {"forward_params",
                                           "forward_input",
                                           "forward_output",
                                           "backward_grad_output",
                                           "backward_grad_input",
                                           "params_grad",
                                           ""};
  return kNames[static_cast<int>(kind)];
}

std::string DumpName::callText() const {
  std::string text = module;
  if (!className.empty())
    text += (text.empty() ? "" : ".") + className;
  if (call >= 0)
    text += "." + std::to_string(call);
  return text;
}

std::string DumpName::text() const {
  std::string text = callText();
  if (kind != TensorKind::Other)
    text += (text.empty() ? "" : ".") + kindName(kind).str();
  if (!item.empty())
    text += "." + item;
  return text;
}

/// Splits at the last known kind; false when there is none.
static bool splitKind(llvm::StringRef text, llvm::StringRef &head,
                      DumpName &name) {
  size_t best = llvm::StringRef::npos;
  for (TensorKind kind : kKinds) {
    llvm::StringRef word = kindName(kind);
    for (size_t at = text.rfind(word);
         at != llvm::StringRef::npos &&
         (best == llvm::StringRef::npos || at > best);
         at = at == 0 ? llvm::StringRef::npos
                      : text.take_front(at + word.size() - 1).rfind(word)) {
      size_t end = at + word.size();
      bool whole = (at == 0 || text[at - 1] == '.') &&
                   (end == text.size() || text[end] == '.');
      if (!whole)
        continue;
      best = at;
      name.kind = kind;
      name.item = text.drop_front(std::min(end + 1, text.size())).str();
      break;
    }
  }
  if (best == llvm::StringRef::npos)
    return false;
  head = text.take_front(best == 0 ? 0 : best - 1);
  return true;
}

bool isOperatorCall(llvm::StringRef module) {
  llvm::StringRef rest = module.drop_while(llvm::isDigit);
  return rest.size() < module.size() && rest.consume_front("-") &&
         !rest.empty() && !rest.contains('.');
}

bool isNumbered(llvm::StringRef module) {
  auto [function, ordinal] = module.rsplit('/');
  bool ofProgram = !ordinal.empty() && llvm::all_of(ordinal, llvm::isDigit) &&
                   !function.empty() && !function.contains('/') &&
                   !function.contains('.');
  return ofProgram || isOperatorCall(module);
}

/// The operator of a recorded call, without its namespace: "add-Tensor".
static llvm::StringRef operationOf(const DumpName &name) {
  llvm::StringRef operation = name.className;
  bool known = isOperatorCall(name.module) && operation.consume_front("aten-");
  return known ? operation : "";
}

bool isMeaningless(const DumpName &name) {
  // Outputs that hold a kernel's workspace or the state of its generator.
  static constexpr std::pair<const char *, const char *> kWorkspaces[] = {
      {"mkldnn_rnn_layer-", "3"},
      {"_cudnn_rnn-", "3"},
      {"_cudnn_rnn-", "4"},
      {"miopen_rnn-", "4"},
      {"cudnn_batch_norm-", "3"},
      {"_ctc_loss-", "1"},
      {"_embedding_bag", "1"}, // positions of bags, for some kernels
      {"_embedding_bag", "2"},
      {"_embedding_bag", "3"},
      {"_scaled_dot_product_flash_attention-", "8"},
      {"_scaled_dot_product_efficient_attention-", "2"},
      {"_scaled_dot_product_efficient_attention-", "3"}};
  llvm::StringRef operation = operationOf(name);
  if (name.kind != TensorKind::ForwardOutput)
    return false;
  return operation.starts_with("empty") || operation.starts_with("new_empty") ||
         operation.starts_with("resize_") ||
         llvm::any_of(kWorkspaces, [&](const auto &workspace) {
           return operation.starts_with(workspace.first) &&
                  name.item == workspace.second;
         });
}

bool isRandom(const DumpName &name) {
  llvm::StringRef operation = operationOf(name);
  static constexpr const char *kDraws[] = {
      "rand",        "bernoulli",      "normal",      "uniform",
      "multinomial", "native_dropout", "exponential", "log_normal",
      "geometric",   "cauchy",         "poisson"};
  return llvm::any_of(kDraws, [&](llvm::StringRef word) {
    return operation.starts_with(word);
  });
}

DumpName parseDumpName(llvm::StringRef dataset) {
  DumpName name;
  dataset.consume_front("/");
  auto [step, rest] = dataset.split('/');
  if (!rest.empty() && !step.getAsInteger(10, name.step))
    dataset = rest;
  else
    name.step = -1;
  llvm::StringRef head;
  if (!splitKind(dataset, head, name)) {
    name.module = dataset.str();
    return name;
  }
  auto [before, last] = head.rsplit('.');
  if (head.contains('.') && !last.empty() &&
      llvm::all_of(last, llvm::isDigit) && !last.getAsInteger(10, name.call))
    head = before;
  else
    name.call = -1;
  auto [module, className] = head.rsplit('.');
  name.module = head.contains('.') ? module.str() : "";
  name.className = head.contains('.') ? className.str() : head.str();
  return name;
}

int64_t rankOfFile(llvm::StringRef path) {
  llvm::StringRef name = llvm::sys::path::filename(path);
  size_t at = name.find("rank-");
  int64_t rank = 0;
  if (at != llvm::StringRef::npos)
    name.drop_front(at + 5).consumeInteger(10, rank);
  return rank;
}

std::string dumpFileName(int64_t rank, int64_t localRank) {
  return "globalrank-" + std::to_string(rank) + "_localrank-" +
         std::to_string(localRank) + ".h5";
}

} // namespace assay::trace
