/// Ctrl-C inside another program, whose SIGINT handler is not ours to replace.
#pragma once

namespace assay {

/// While an object of this class exists, SIGINT also makes Interrupt::check()
/// fail. The program's own handler is still called, and is the only one again
/// afterwards. In a program without a handler SIGINT keeps its effect.
class HostInterrupt {
public:
  HostInterrupt();
  ~HostInterrupt();
  HostInterrupt(const HostInterrupt &) = delete;
  HostInterrupt &operator=(const HostInterrupt &) = delete;
};

} // namespace assay
