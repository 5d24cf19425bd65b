function W = bls_gram_weights(G, T)
%BLS_GRAM_WEIGHTS  The weights of the Gram recursion.
%   W = BLS_GRAM_WEIGHTS(G, T) returns G\T by the Cholesky factor of G, in k^3/3 + 2*k^2*c flops.

  U = chol(G);
  W = U \ (U' \ T);
end
