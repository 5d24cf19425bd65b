function [G, T] = bls_gram_update(G, T, Ax, Ya)
%BLS_GRAM_UPDATE  Adds samples by the Gram recursion.
%   [G, T] = BLS_GRAM_UPDATE(G, T, AX, YA) returns G + AX'*AX and T + AX'*YA, in k^2*q + 2*k*q*c flops,
%   whatever the number of samples before. The ridge solution needs no more, and this is a fraction of
%   the work of keeping a pseudoinverse.

  G = G + Ax' * Ax;
  T = T + Ax' * Ya;
end
