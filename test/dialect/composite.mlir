// composite: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
// CHECK-LABEL: func.func @composite(
func.func @composite(%a: tensor<2xf32>) {
  // CHECK: stablehlo.composite "my.op" %{{[^ ,:)]+}} {composite_attributes = {k = 1 : i64}, decomposition = @f, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  %r0 = stablehlo.composite "my.op" %a {composite_attributes = {k = 1 : i64}, decomposition = @f, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @composite_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{'name' must have the form}}
  %0 = stablehlo.composite "op" %a {decomposition = @f} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @composite_c2(%a: tensor<2xf32>) {
  // expected-error@+1 {{no function named 'g'}}
  %0 = stablehlo.composite "my.op" %a {decomposition = @g} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @composite_c3(%a: tensor<3xf32>) {
  // expected-error@+1 {{operands do not have the types of the arguments of 'f'}}
  %0 = stablehlo.composite "my.op" %a {decomposition = @f} : (tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @composite_c4(%a: tensor<2xf32>) {
  // expected-error@+1 {{results do not have the types of the results of 'f'}}
  %0 = stablehlo.composite "my.op" %a {decomposition = @f} : (tensor<2xf32>) -> tensor<3xf32>
  return
}
