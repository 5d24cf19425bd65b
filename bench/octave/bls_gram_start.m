function [G, T] = bls_gram_start(k, c, lambda)
%BLS_GRAM_START  The Gram recursion before the first sample.
%   [G, T] = BLS_GRAM_START(K, C, LAMBDA) returns G = LAMBDA*I, of order K, and T = 0, K-by-C.

  G = lambda * eye(k);
  T = zeros(k, c);
end
