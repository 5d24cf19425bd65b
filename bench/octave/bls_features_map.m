function A = bls_features_map(F, X)
%BLS_FEATURES_MAP  Features of samples by the maps of BLS_FEATURES_FIT.
%   A = BLS_FEATURES_MAP(F, X) returns A, q-by-k, for the samples X, q-by-d, with the maps F.

  H1 = bls_standardize(X);
  Z = cell(1, numel(F.beta));
  for i = 1:numel(F.beta)
    Z{i} = (H1 * F.beta{i} - F.low{i}) ./ F.range{i};
  end
  A = [Z{:}];
  if size(F.Wh, 2) > 0
    A = [A, tanh(F.scale * ([A, 0.1 * ones(size(A, 1), 1)] * F.Wh))];
  end
end
