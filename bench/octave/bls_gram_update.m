function [G, T] = bls_gram_update(G, T, Ax, Ya)
%BLS_GRAM_UPDATE  Added samples by the Gram recursion.
%   [G, T] = BLS_GRAM_UPDATE(G, T, AX, YA) returns G + AX'*AX and T + AX'*YA, in k^2*q + 2*k*q*c flops,
%   whatever the number of samples before. That is all there is to the ridge solution, and a fraction of
%   the work of keeping a pseudoinverse.

  G = G + Ax' * Ax;
  T = T + Ax' * Ya;
end
