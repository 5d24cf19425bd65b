function bls_write(name, A)
%BLS_WRITE  A matrix to a file that BLS_READ and the Go program read.

  f = fopen(name, 'w', 'ieee-le');
  if f < 0
    error('bls:write', 'cannot open %s', name);
  end
  fwrite(f, size(A), 'double');
  fwrite(f, A', 'double');
  fclose(f);
end
