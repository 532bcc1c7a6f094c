/// The protocol between a parent and its worker process over a socket: a fixed
/// header, then bytes. Tensors are in the shared arena; messages hold only
/// their places. Both ends are the same program, so native structs are
/// sufficient.
#pragma once

#include "assay/engine/Unwritten.h"

#include <cstdint>

namespace assay::engine {

inline constexpr int kSocketFd = 3, kArenaFd = 4; ///< in the worker process

enum class MessageKind : uint32_t { Create, Run, Destroy, Quit, Result };

struct MessageHeader {
  MessageKind kind;
  uint32_t bytes; ///< the number of bytes after the header
};

/// Where the guard page touches a tensor: after its last byte or before its
/// first.
enum class Guard : uint32_t { AtEnd, AtStart };

/// One tensor of a Run message, in the order of the Create message: inputs,
/// then outputs.
struct Placement {
  int64_t fileOffset;  ///< of the region in the arena, whole pages
  int64_t regionBytes; ///< whole pages
  int64_t dataOffset;  ///< of the first element inside the region
  /// Mode P, for an input: the number of bytes among which some are exchanged
  /// before each timed run; for an output: not 0 if it is filled again then. 0:
  /// neither.
  int64_t freshBytes = 0;
};

struct RunRequest {
  uint32_t tensors;
  uint32_t repeats;  ///< timed runs (mode P); 0 = one plain run
  double maxSeconds; ///< mode P: no new run after this time
  uint32_t minRepeats;
  uint32_t coldBytesMega; ///< mode P: memory swept between runs, 0 = none
  uint32_t coldTensor; ///< the only tensor that is cold, counted from 1 (the
                       ///< others are read again); 0 = all are cold
  uint64_t freshSeed = 0; ///< mode P: selects the bytes that are exchanged
  Unwritten unwritten = Unwritten::AsItIs; ///< heap and stack before the run
  /// Further calls on the same data; the process's memory is counted after each
  /// of them (MemoryWatch.h). maxSeconds limits them.
  uint32_t watchedCalls = 0;
  // followed by Placement[tensors]
};

/// A code for a failure that the worker itself detects: a process that the
/// engine forked also returned from the call.
inline constexpr int32_t kChildReturned = INT32_MIN;

struct ResultHeader {
  int32_t code;             ///< of the plugin, or kChildReturned
  uint32_t samples;         ///< the number of seconds that follow (a double
                            ///< each)
  uint32_t whyBytes;        ///< the length of the text after the samples
  uint32_t alignment;       ///< answer to Create: the plugin's request
  double seconds;           ///< of the run
  int64_t grownBytes = 0;   ///< of watched calls: the bytes that each adds
  int64_t watchedCalls = 0; ///< the number of watched calls
};

/// Why a worker left a note.
enum class CrashKind : int32_t {
  Signal,
  ClosedSocket, ///< the engine closed descriptors that are not its own
};

/// The note in the arena's first page that the worker writes before it dies.
struct CrashNote {
  uint32_t magic; ///< kCrashMagic when valid
  CrashKind kind;
  int32_t childReturned; ///< whether a process that the engine forked returned
                         ///< from the call; valid without `magic`
  int32_t signal;
  int32_t tensor; ///< the tensor whose guard or data was touched, -1 = none
  int32_t
      place; ///< 0: its read-only data, 1: after its end, -1: before its start
  int32_t isWrite;
  int32_t isMemoryFull; ///< private memory was within 96 MiB of its limit
  int32_t hasAddress;   ///< false for abort() and for signals from another
                        ///< process
  uint64_t address;
};
inline constexpr uint32_t kCrashMagic = 0x41535359;

} // namespace assay::engine
