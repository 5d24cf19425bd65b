function [P, W] = bls_update_original(P, W, Ax, Ya)
%BLS_UPDATE_ORIGINAL  Adds samples by the original algorithm of the broad learning system.
%   [P, W] = BLS_UPDATE_ORIGINAL(P, W, AX, YA) takes the pseudoinverse P, k-by-l, and the weights W,
%   k-by-c, of l samples, and returns both for l+q samples. The features AX, q-by-k, and the targets
%   YA, q-by-c, are new. With D' = AX*P
%
%       B = P*D*(I + D'*D)^-1,   P := [P - B*D', B],   W := W + B*(YA - AX*W),
%
%   which assumes that AX lies in the row space of the features so far (C = 0, which always holds
%   when they have full column rank). P takes 6*q*k*l + q^2*l + q^3/3 + 2*q^2*k flops. (C. L. P. Chen
%   and Z. Liu, "Broad Learning System", IEEE TNNLS 29, 2018; Algorithm 2 of the paper whose
%   Algorithm 3 is BLS_UPDATE_IMPROVED.)

  q = size(Ax, 1);
  Dt = Ax * P;
  S = Dt * Dt';
  S(1:q+1:end) = S(1:q+1:end) + 1;
  B = (P * Dt') / S;
  W = W + B * (Ya - Ax * W);
  P = [P - B * Dt, B];
end
