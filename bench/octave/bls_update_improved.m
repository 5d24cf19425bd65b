function [P, W] = bls_update_improved(P, W, Ax, Ya)
%BLS_UPDATE_IMPROVED  Adds samples by the efficient algorithm for the broad learning system.
%   [P, W] = BLS_UPDATE_IMPROVED(P, W, AX, YA) is BLS_UPDATE_ORIGINAL with Dbar = P*D, where D' = AX*P, and
%
%       B = Dbar*(I + AX*Dbar)^-1  for q <= k,   B = (I + Dbar*AX)^-1*Dbar  for q > k.
%
%   P takes 6*q*k*l + 4*q^2*k + 2*q^3/3 flops for q <= k, and 6*q*k*l + 4*k^2*q + 2*k^3/3 for q > k.
%   The second form loses twice as many digits as the first where the features are ill-conditioned.

  [q, k] = size(Ax);
  Dt = Ax * P;
  Dbar = P * Dt';
  if q <= k
    B = Dbar / (eye(q) + Ax * Dbar);
  else
    B = (eye(k) + Dbar * Ax) \ Dbar;
  end
  W = W + B * (Ya - Ax * W);
  P = [P - B * Dt, B];
end
