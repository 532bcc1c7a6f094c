/// XXH3-128 of bytes that arrive in pieces: equal to formats::hashBytes of all
/// the bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace assay::trace {

class HashStream {
public:
  HashStream();
  ~HashStream();
  void add(const void *data, int64_t sizeBytes);
  /// 32 hex digits.
  std::string hex() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace assay::trace
