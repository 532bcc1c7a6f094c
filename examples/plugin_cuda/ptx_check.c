/* Compiles the plugin's kernel, right and with each fault, to PTX: needs libnvrtc
 * and no device. Exit code 77 without libnvrtc (ctest: skipped). */
#include "cuda.h"
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  const char *defines[] = {NULL, "-DFAULT_DROP_LAST_TILE", "-DFAULT_NO_SYNC",
                           "-DFAULT_NO_EDGE"};
  if (cuda_lacks_nvrtc()) {
    printf("SKIPPED: %s\n", cuda_lacks_nvrtc());
    return 77;
  }
  for (size_t i = 0; i < sizeof defines / sizeof *defines; ++i) {
    char why[2000] = "";
    char *ptx =
        cuda_ptx(kKernelSource, "compute_80", defines[i], why, sizeof why);
    if (!ptx || !strstr(ptx, kKernelName)) {
      printf("%s: %s\n", defines[i] ? defines[i] : "right", why);
      return 1;
    }
    printf("%s: %zu bytes of PTX\n", defines[i] ? defines[i] : "right",
           strlen(ptx));
    free(ptx);
  }
  return 0;
}
