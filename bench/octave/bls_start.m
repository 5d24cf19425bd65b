function [P, W] = bls_start(A, Y, lambda)
%BLS_START  Pseudoinverse and weights of the first samples.
%   [P, W] = BLS_START(A, Y, LAMBDA) returns P = (A'*A + LAMBDA*I)\A', k-by-l, and W = P*Y, k-by-c, for
%   the features A, l-by-k, and the targets Y, l-by-c. P takes 3*k^2*l + k^3/3 flops.

  k = size(A, 2);
  G = A' * A;
  G(1:k+1:end) = G(1:k+1:end) + lambda;
  U = chol(G);
  P = U \ (U' \ A');
  W = P * Y;
end
