# assay verify: right kernels pass; a wrong one, and one that writes where it must not, are caught.
# More: docs/verify.md
plugin=plugin:build/release/lib/libassay_example.so

echo "oneDNN's product and convolution, each on exact and on real data:"
assay verify --engine=onednn --matmul --dt=f32,bf16 64x4096:4096x64 --conv --dir=FWD_D,BWD_D,BWD_W ic64ih56oc64oh56kh3ph1

caught() { # FAULT PROBLEM...: the example plugin with a fault must fail, and the report must name a place
  local fault=$1
  shift
  if ASSAY_EXAMPLE_FAULT=$fault assay verify --engine="$plugin" "$@"; then
    echo "demo: the fault $fault was not caught" >&2
    exit 1
  fi
}
echo
echo "The example plugin with one of 4096 terms of each sum dropped:"
caught drop_k --matmul --dt=bf16 64x4096:4096x64
echo
echo "The example plugin writing past its output:"
caught write_after --matmul 64x512:512x48
echo
echo "4-bit floats with a scale for each 32 of them (MX), and the example plugin taking the next block's scale:"
mx=(--matmul --dt=f4_e2m1:f4_e2m1:f32 --attr-scales=src:per_tensor:e8m0:1x32+wei:per_tensor:e8m0:32x1 64x256:256x48)
assay verify --engine="$plugin" "${mx[@]}"
caught block_next "${mx[@]}"
echo
echo "Sixteen more of benchdnn's drivers, here oneDNN's softmax in place and on bf16, and a plugin whose sums miss an element:"
assay verify --engine=onednn --softmax --alg=SOFTMAX,LOGSOFTMAX --inplace=true 64x1000 --sdt=bf16 --ddt=bf16 64x1000
plugin=plugin:build/release/lib/libassay_drivers.so
caught drop_last --softmax 64x1000
echo
echo "On numbers of your own (here cosines from a NumPy archive), with oneDNN's first choice of implementation ruled out:"
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
assay run - --output "$folder/x.npz" <<'MLIR'
func.func @main() -> tensor<64x512xf32> {
  %0 = stablehlo.iota dim = 1 : tensor<64x512xf32>
  %1 = stablehlo.cosine %0 : tensor<64x512xf32>
  func.return %1 : tensor<64x512xf32>
}
MLIR
assay verify --engine=onednn "--input=src=$folder/x.npz:out0" --matmul --skip-impl=brg 64x512:512x48
echo
echo "Any StableHLO program is a problem too: a transformer block on Assay's own kernels, judged by derived bounds:"
assay verify --engine=native --op test/programs/transformer_block.mlir
