/// The texts of the messages that a parent and its worker process exchange
/// (Protocol.h). What comes from the other side may be anything: an engine can
/// write into the socket.
#pragma once

#include "assay/engine/Worker.h"

namespace assay::engine {

/// What follows the header of a Create message.
std::string createMessage(const ProblemDescription &problem);
/// Back again; nothing where it is cut, or counts more than it holds.
std::optional<ProblemDescription> readCreate(llvm::StringRef payload);

/// A Result message with its header; nothing where it is none. `subject`: of
/// WorkerOptions.
std::optional<WorkerResult> readResult(llvm::StringRef message,
                                       llvm::StringRef subject = "the engine");

} // namespace assay::engine
