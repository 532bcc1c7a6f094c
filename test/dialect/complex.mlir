// complex: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @complex(
func.func @complex(%a: tensor<2x3xf32>, %d: tensor<?xf64>, %e: tensor<2xf64>) {
  // CHECK: stablehlo.complex %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2x3xcomplex<f32>>
  %r0 = stablehlo.complex %a, %a : tensor<2x3xcomplex<f32>>
  // CHECK: stablehlo.complex %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<?xf64>, tensor<2xf64>) -> tensor<2xcomplex<f64>>
  %r1 = stablehlo.complex %d, %e : (tensor<?xf64>, tensor<2xf64>) -> tensor<2xcomplex<f64>>
  return
}

// -----

func.func @complex_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xf64>) {
  // expected-error@+1 {{operands must have the same type}}
  %0 = stablehlo.complex %a, %b : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<2x3xcomplex<f32>>
  return
}

// -----

func.func @complex_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{result must have shape}}
  %0 = stablehlo.complex %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3xcomplex<f32>>
  return
}

// -----

func.func @complex_c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{must have element type complex<'f32'>}}
  %0 = stablehlo.complex %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f64>>
  return
}
