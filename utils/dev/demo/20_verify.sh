# assay verify: a right kernel, a wrong one, one that crashes.
echo "== verify: oneDNN's product and convolution, checked on exact and on real data =="
build/release/bin/assay verify --matmul --dt=f32,bf16 64x4096:4096x64 --conv --dir=FWD_D,BWD_D,BWD_W ic64ih56oc64oh56kh3ph1 || true
echo "== verify: the example plugin with one term of each sum dropped, then writing behind its output =="
ASSAY_EXAMPLE_FAULT=drop_k build/release/bin/assay verify --engine=plugin:build/release/lib/libassay_example.so --matmul --dt=bf16 64x4096:4096x64 || true
ASSAY_EXAMPLE_FAULT=write_after build/release/bin/assay verify --engine=plugin:build/release/lib/libassay_example.so --matmul 64x512:512x48 || true
