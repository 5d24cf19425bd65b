function H = bls_standardize(X)
%BLS_STANDARDIZE  Standardizes samples for Algorithm 1.
%   H = BLS_STANDARDIZE(X) returns [Z, 0.1]: each row of X minus its mean, divided by its standard
%   deviation with the divisor d-1, or zeros where it is constant, and a column of 0.1 for the bias.

  flat = max(X, [], 2) == min(X, [], 2);
  deviation = std(X, 0, 2);
  deviation(flat) = 1;
  Z = (X - mean(X, 2)) ./ deviation;
  Z(flat, :) = 0;
  H = [Z, 0.1 * ones(size(X, 1), 1)];
end
