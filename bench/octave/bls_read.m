function A = bls_read(name)
%BLS_READ  A matrix from a file of the comparison.
%   A = BLS_READ(NAME) reads what BLS_WRITE and the Go program write: little-endian float64, first the
%   numbers of rows and columns, then the elements row after row.

  f = fopen(name, 'r', 'ieee-le');
  if f < 0
    error('bls:read', 'cannot open %s', name);
  end
  sizes = fread(f, 2, 'double');
  A = fread(f, [sizes(2), sizes(1)], 'double')';
  fclose(f);
  if ~isequal(size(A), sizes')
    error('bls:read', '%s is shorter than its header says', name);
  end
end
