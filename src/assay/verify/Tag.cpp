// Memory format tags. A tag names the dimensions outermost first by letter (a =
// dimension 0); 'x' stands for the dimensions that the tag does not name, in
// order; the older names (nchw, goihw, ...) use the letters of the logical
// order. Blocked tags (upper-case letters, numbers) are recognised, so that
// they are distinguished from typing errors. Source: benchdnn's
// doc/knobs_tag.md.
#include "assay/verify/Settings.h"
#include "llvm/ADT/StringExtras.h"

using namespace assay;
using namespace assay::verify;

static bool onlyLetters(llvm::StringRef text, llvm::StringRef letters) {
  return llvm::all_of(text, [&](char c) { return letters.contains(c); });
}

/// "nhwc" -> "acdb": the letters of `order` that occur stand for a, b, c, ...
static std::string renamed(llvm::StringRef tag, llvm::StringRef order) {
  std::string present;
  for (char c : order)
    if (tag.contains(c))
      present += c;
  std::string result;
  for (char c : tag)
    result += static_cast<char>('a' + present.find(c));
  return result;
}

bool verify::isBlockedTag(llvm::StringRef tag) {
  bool digit = false, upper = false;
  for (char c : tag) {
    digit |= llvm::isDigit(c);
    upper |= c >= 'A' && c <= 'Z';
    if (!llvm::isAlnum(c))
      return false;
  }
  return digit && upper;
}

llvm::Expected<std::string> verify::blockedTag(llvm::StringRef tag, int rank) {
  std::string lower = tag.lower(), letters, text;
  llvm::erase_if(lower, llvm::isDigit);
  llvm::StringRef order = onlyLetters(lower, "abcdefghijklx") ? "abcdefghijkl"
                          : onlyLetters(lower, "ncdhw")       ? "ncdhw"
                          : onlyLetters(lower, "goidhw")      ? "goidhw"
                                                              : "";
  bool isOld = order.starts_with("n") || order.starts_with("g");
  for (char c : order)
    if (llvm::StringRef(lower).contains(c))
      letters += c;
  std::string named = letters;
  for (char c : tag) {
    bool isUpper = c >= 'A' && c <= 'Z';
    size_t at = letters.find(llvm::toLower(c));
    if (c == 'x') {
      for (char d = 'a'; d < 'a' + rank; ++d)
        if (letters.find(d) == std::string::npos)
          text += d, named += d;
    } else if (llvm::isDigit(c) || !isOld) {
      text += c;
    } else {
      text += static_cast<char>((isUpper ? 'A' : 'a') + at);
    }
  }
  bool isWhole = named.size() == static_cast<size_t>(rank);
  for (char c : named)
    isWhole &= isOld || c < 'a' + rank;
  if (order.empty() || !isWhole)
    return makeError(
        ErrorCode::InvalidArgument,
        "memory format tag '{0}' does not name each of {1} dimensions once",
        tag, rank);
  return text;
}

llvm::Expected<std::optional<llvm::SmallVector<int, 6>>>
verify::tagPermutation(llvm::StringRef tag, int rank) {
  using Permutation = llvm::SmallVector<int, 6>;
  if (tag == "undef")
    return std::nullopt;
  if (isBlockedTag(tag)) {
    if (rank > 0)
      if (llvm::Error error = blockedTag(tag, rank).takeError())
        return error;
    return std::nullopt;
  }
  std::string letters = tag.str();
  if (!onlyLetters(tag, "abcdefghijklx")) {
    if (onlyLetters(tag, "ncdhw") || onlyLetters(tag, "tnc"))
      letters = renamed(tag, tag.contains('t') ? "tnc" : "ncdhw");
    else if (onlyLetters(tag, "goidhw"))
      letters = renamed(tag, "goidhw");
    else
      return makeError(ErrorCode::InvalidArgument,
                       "unknown memory format tag '{0}'; expected any, undef, "
                       "abx, axb, xba or "
                       "letters such as acdb",
                       tag);
  }
  Permutation order;
  llvm::SmallVector<bool, 12> used(rank > 0 ? rank : 12, false);
  std::string named = letters;
  for (char c : letters) {
    if (c == 'x') {
      for (int d = 0; d < rank; ++d)
        if (named.find(static_cast<char>('a' + d)) == std::string::npos)
          order.push_back(d), used[d] = true;
      continue;
    }
    size_t dim = c - 'a';
    if (rank > 0 && dim >= static_cast<size_t>(rank) &&
        llvm::StringRef(letters).contains('x'))
      continue; // 'b' in axb for a tensor of rank 1
    if (dim >= used.size() || used[dim])
      return makeError(
          ErrorCode::InvalidArgument,
          "memory format tag '{0}' does not name each of {1} dimensions once",
          tag, rank);
    used[dim] = true;
    order.push_back(static_cast<int>(dim));
  }
  if (rank > 0 && static_cast<int>(order.size()) != rank)
    return makeError(
        ErrorCode::InvalidArgument,
        "memory format tag '{0}' has {1} dimensions, the tensor has {2}", tag,
        order.size(), rank);
  return std::optional<Permutation>(order);
}
