/// The exit codes of a worker process that could not start working. Private to
/// this component.
#pragma once

namespace assay::engine {

/// There was not enough memory to start.
inline constexpr int kNoMemoryExit = 70;

} // namespace assay::engine
