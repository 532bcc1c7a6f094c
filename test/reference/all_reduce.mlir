// RUN: assay test %s
// stablehlo.all_reduce. Expected: sums and products by hand; the order is that of the group on every process.
module @two_groups {
  func.func @process(%x: tensor<2xi32>, %y: tensor<f32>) -> (tensor<2xi32>, tensor<f32>) {
    %0 = "stablehlo.all_reduce"(%x) ({
      ^bb0(%l: tensor<i32>, %r: tensor<i32>):
        %s = stablehlo.multiply %l, %r : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
    %1 = "stablehlo.all_reduce"(%y) ({
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %s = stablehlo.add %l, %r : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[2, 1, 0]]> : tensor<1x3xi64>} : (tensor<f32>) -> tensor<f32>
    return %0, %1 : tensor<2xi32>, tensor<f32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
    %b = stablehlo.constant dense<[5, 7]> : tensor<2xi32>
    %c = stablehlo.constant dense<[11, -1]> : tensor<2xi32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %large = stablehlo.constant dense<16777216.0> : tensor<f32>
    %small = stablehlo.constant dense<-16777216.0> : tensor<f32>
    %r:6 = "interpreter.run_parallel"(%a, %one, %b, %large, %c, %small) {programs = [[@process], [@process], [@process]]}
        : (tensor<2xi32>, tensor<f32>, tensor<2xi32>, tensor<f32>, tensor<2xi32>, tensor<f32>)
          -> (tensor<2xi32>, tensor<f32>, tensor<2xi32>, tensor<f32>, tensor<2xi32>, tensor<f32>)
    check.expect_eq_const %r#0, dense<[22, -3]> : tensor<2xi32>
    check.expect_eq_const %r#2, dense<[5, 7]> : tensor<2xi32>
    check.expect_eq_const %r#4, dense<[22, -3]> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<1.0> : tensor<f32>
    check.expect_eq_const %r#3, dense<1.0> : tensor<f32>
    check.expect_eq_const %r#5, dense<1.0> : tensor<f32>
    return
  }
}

// -----

// A body with control flow, which is not a lane program; the same group twice, in a loop.
module @loop {
  func.func @process(%x: tensor<3xi64>) -> tensor<3xi64> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %w:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<3xi64>
      cond {
        %n = stablehlo.constant dense<3> : tensor<i32>
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        %m = "stablehlo.all_reduce"(%v) ({
          ^bb0(%l: tensor<i64>, %r: tensor<i64>):
            %more = stablehlo.compare GT, %l, %r : (tensor<i64>, tensor<i64>) -> tensor<i1>
            %s = "stablehlo.if"(%more) ({
              %d = stablehlo.subtract %l, %r : tensor<i64>
              stablehlo.return %d : tensor<i64>
            }, {
              %d = stablehlo.add %l, %r : tensor<i64>
              stablehlo.return %d : tensor<i64>
            }) : (tensor<i1>) -> tensor<i64>
            stablehlo.return %s : tensor<i64>
        }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3xi64>) -> tensor<3xi64>
        stablehlo.return %next, %m : tensor<i32>, tensor<3xi64>
      }
    return %w#1 : tensor<3xi64>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 5, -2]> : tensor<3xi64>
    %b = stablehlo.constant dense<[4, 3, -2]> : tensor<3xi64>
    %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@process], [@process]]}
        : (tensor<3xi64>, tensor<3xi64>) -> (tensor<3xi64>, tensor<3xi64>)
    check.expect_eq_const %r#0, dense<[20, 8, -16]> : tensor<3xi64>
    check.expect_eq_const %r#1, dense<[20, 8, -16]> : tensor<3xi64>
    return
  }
}
