/// How a worker process ends that never came to work. Private to this
/// component.
#pragma once

namespace assay::engine {

/// There was no memory to begin with.
inline constexpr int kNoMemoryExit = 70;

} // namespace assay::engine
