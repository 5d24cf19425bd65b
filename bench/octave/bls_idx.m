function A = bls_idx(name)
%BLS_IDX  The array of an idx file, one sample per row.
%   A = BLS_IDX(NAME) reads unsigned bytes, such as MNIST's: images as rows of pixels in [0, 1],
%   labels unchanged.

  f = fopen(name, 'r', 'ieee-be');
  if f < 0
    error('bls:idx', 'cannot open %s', name);
  end
  magic = fread(f, 4, 'uint8');
  sizes = fread(f, magic(4), 'int32');
  A = fread(f, [prod(sizes(2:end)), sizes(1)], 'uint8')';
  fclose(f);
  if magic(4) > 1
    A = A / 255;
  end
end
