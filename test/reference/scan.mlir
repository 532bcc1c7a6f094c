// RUN: assay test %s

// Sums so far, and the last one.
func.func @sums() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %init = stablehlo.constant dense<10> : tensor<i32>
  %0:2 = chlo.scan(%x) inits(%init) dimension=0 {
  ^bb0(%item: tensor<i32>, %carry: tensor<i32>):
    %1 = stablehlo.add %item, %carry : tensor<i32>
    stablehlo.return %carry, %1 : tensor<i32>, tensor<i32>
  } : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<[10, 11, 13, 16]> : tensor<4xi32>
  check.expect_eq_const %0#1, dense<20> : tensor<i32>
  func.return
}

// Slices are tensors; the scan runs over the inner dimension, from its end; two carries of different types.
func.func @rows_from_the_end() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %init = stablehlo.constant dense<[100.0, 200.0]> : tensor<2xf32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = chlo.scan(%x) inits(%init, %none) dimension=1 attributes {is_reverse = true} {
  ^bb0(%item: tensor<2xf32>, %carry: tensor<2xf32>, %count: tensor<i32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %item, %carry : tensor<2xf32>
    %2 = stablehlo.add %count, %one : tensor<i32>
    stablehlo.return %1, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<i32>
  } : (tensor<2x3xf32>, tensor<2xf32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<[[106.0, 105.0, 103.0], [215.0, 211.0, 206.0]]> : tensor<2x3xf32>
  check.expect_eq_const %0#1, dense<[106.0, 215.0]> : tensor<2xf32>
  check.expect_eq_const %0#2, dense<3> : tensor<i32>
  func.return
}

// A scan inside a scan: running sums over the rows and within them.
func.func @nested() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = chlo.scan(%x) inits(%zero) dimension=0 {
  ^bb0(%row: tensor<2xi32>, %sum: tensor<i32>):
    %1:2 = chlo.scan(%row) inits(%sum) dimension=0 {
    ^bb0(%item: tensor<i32>, %carry: tensor<i32>):
      %2 = stablehlo.add %item, %carry : tensor<i32>
      stablehlo.return %2, %2 : tensor<i32>, tensor<i32>
    } : (tensor<2xi32>, tensor<i32>) -> (tensor<2xi32>, tensor<i32>)
    stablehlo.return %1#0, %1#1 : tensor<2xi32>, tensor<i32>
  } : (tensor<2x2xi32>, tensor<i32>) -> (tensor<2x2xi32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<[[1, 3], [6, 10]]> : tensor<2x2xi32>
  check.expect_eq_const %0#1, dense<10> : tensor<i32>
  func.return
}
