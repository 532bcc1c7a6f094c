/* The plugin's own kernel in CUDA C, compiled at run time: dst = src * wei,
 * row-major, in tiles of 16 x 16 through shared memory. */
#ifndef PLUGIN_CUDA_KERNEL_H
#define PLUGIN_CUDA_KERNEL_H

enum { TILE = 16 };

static const char kKernelName[] = "tiled_matmul";
static const char kKernelSource[] =
    "#define TILE 16\n"
    "extern \"C\" __global__ void tiled_matmul(const float *a, const float "
    "*b,\n"
    "    float *c, int m, int n, int k) {\n"
    "  __shared__ float left[TILE][TILE], right[TILE][TILE];\n"
    "  int row = blockIdx.y * TILE + threadIdx.y,\n"
    "      column = blockIdx.x * TILE + threadIdx.x;\n"
    "  float sum = 0;\n"
    "  int tiles = (k + TILE - 1) / TILE;\n"
    "#ifdef FAULT_DROP_LAST_TILE\n"
    "  tiles = k / TILE;\n"
    "#endif\n"
    "  for (int tile = 0; tile < tiles; ++tile) {\n"
    "    int x = tile * TILE + threadIdx.x, y = tile * TILE + threadIdx.y;\n"
    "    left[threadIdx.y][threadIdx.x] =\n"
    "        row < m && x < k ? a[(long long)row * k + x] : 0;\n"
    "    right[threadIdx.y][threadIdx.x] =\n"
    "        y < k && column < n ? b[(long long)y * n + column] : 0;\n"
    "    __syncthreads();\n"
    "    for (int i = 0; i < TILE; ++i)\n"
    "      sum += left[threadIdx.y][i] * right[i][threadIdx.x];\n"
    "#ifndef FAULT_NO_SYNC\n"
    "    __syncthreads();\n"
    "#endif\n"
    "  }\n"
    "#ifdef FAULT_NO_EDGE\n"
    "  if (row < m / TILE * TILE && column < n / TILE * TILE)\n"
    "#else\n"
    "  if (row < m && column < n)\n"
    "#endif\n"
    "    c[(long long)row * n + column] = sum;\n"
    "}\n";

#endif
