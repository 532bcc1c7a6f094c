/// Ctrl-C inside another program, whose SIGINT handler is not ours to replace.
#pragma once

namespace assay {

/// While one of these lives, SIGINT also makes Interrupt::check() fail; the
/// program's own handler is called as ever, and has the signal for itself again
/// afterwards. A program that has no handler keeps its way to end.
class HostInterrupt {
public:
  HostInterrupt();
  ~HostInterrupt();
  HostInterrupt(const HostInterrupt &) = delete;
  HostInterrupt &operator=(const HostInterrupt &) = delete;
};

} // namespace assay
