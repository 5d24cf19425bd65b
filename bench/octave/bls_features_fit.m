function [F, A] = bls_features_fit(X, groups, nodes, enhancement, shrink)
%BLS_FEATURES_FIT  Feature maps of the broad learning system (Algorithm 1).
%   [F, A] = BLS_FEATURES_FIT(X, GROUPS, NODES, ENHANCEMENT, SHRINK) draws and fine-tunes the maps on the
%   samples X, l-by-d, and returns them with the features A = [Z, H] of X, l-by-k: GROUPS groups of NODES
%   linear nodes, and ENHANCEMENT nodes tanh(s*[Z, 0.1]*Wh), where s makes the largest input of a tanh
%   equal to SHRINK. BLS_FEATURES_MAP maps other samples. The random numbers come from RAND.

  H1 = bls_standardize(X);
  F.beta = cell(1, groups);
  F.low = cell(1, groups);
  F.range = cell(1, groups);
  Z = zeros(size(X, 1), groups * nodes);
  for i = 1:groups
    A1 = H1 * (2 * rand(size(H1, 2), nodes) - 1);
    A1 = rows_to_unit(A1);
    F.beta{i} = sparse_autoencoder(A1, H1)';
    T = H1 * F.beta{i};
    F.low{i} = min(T);
    F.range{i} = max(T) - F.low{i};
    flat = ~(F.range{i} > 0);
    F.low{i}(flat) = 0;
    F.range{i}(flat) = 1;
    Z(:, (i-1)*nodes+1 : i*nodes) = (T - F.low{i}) ./ F.range{i};
  end
  F.Wh = zeros(size(Z, 2) + 1, 0);
  F.scale = 1;
  A = Z;
  if enhancement > 0
    U = 2 * rand(size(Z, 2) + 1, enhancement) - 1;
    if size(U, 1) > size(U, 2)
      F.Wh = orth(U);
    else
      F.Wh = orth(U')';
    end
    T = with_bias(Z) * F.Wh;
    F.scale = shrink / max(T(:));
    A = [Z, tanh(F.scale * T)];
  end
end

function beta = sparse_autoencoder(A, H)
% min_beta 0.5*||A*beta - H||_F^2 + t*||beta||_1 by 50 steps of ADMM with penalty 1.
  t = 1e-3;
  K = inv(A' * A + eye(size(A, 2)));
  start = K * (A' * H);
  o = zeros(size(start));
  u = o;
  for step = 1:50
    x = start + K * (o - u) + u;
    o = max(x - t, 0) - max(-x - t, 0);
    u = x - o;
  end
  beta = o;
end

function A = rows_to_unit(A)
% Scales each row to [-1, 1].
  low = min(A, [], 2);
  range = max(A, [], 2) - low;
  range(range == 0) = 1;
  A = 2 * (A - low) ./ range - 1;
end

function H = with_bias(X)
  H = [X, 0.1 * ones(size(X, 1), 1)];
end
