% Tests blskernel.m; run by test.sh, in a folder of its own.
function blskernel_test()
  rand("seed", 1); randn("seed", 1);
  X = randn(300, 3);
  new = randn(50, 3);
  kinds = (X(:, 1) .* X(:, 2) > 0) + 1;
  names = {"up", "down and out"};
  labels = names(kinds)';
  flags = {"--enhancement", "40", "--method", "gram", "--scale", "columns", "--steps", "no"};

  % Numbers survive with all of their bits, as do labels.
  for a = {pi * X, X(:, 1), X(1, :), 1 / 3, [realmax, realmin, -0]}
    blskernel("write", "a.npy", a{1});
    assert(isequal(blskernel("read", "a.npy"), a{1}));
  end
  blskernel("write", "a.npy", labels);
  assert(isequal(blskernel("read", "a.npy"), labels));

  % Characters beyond ASCII: NumPy and the command see each of them, and not the bytes.
  foreign = {"größer"; "東京"; "ω😀"; ""};
  blskernel("write", "a.npy", foreign);
  assert(isequal(blskernel("read", "a.npy"), foreign));
  from = fopen("a.npy");
  assert(! isempty(strfind(fread(from, 128, "uint8=>char")', "'<U6'")));
  assert(fread(from, 6, "uint32")', [103, 114, 246, 223, 101, 114]);
  fclose(from);
  blskernel("train", "foreign.bls", X, foreign(kinds), flags{:});
  assert(isequal(unique(blskernel("predict", "foreign.bls", X)), sort(foreign(1:2))));
  m = blskernel("export", "foreign.bls");
  assert(isequal(sort(m.classes), sort(foreign(1:2))));
  try
    blskernel("write", "a.npy", {"good", char([200, 65])});
    assert(false);
  catch e
    assert(! isempty(strfind(e.message, "not valid Unicode")));
  end

  % Labels as text and as numbers.
  blskernel("train", "words.bls", X, labels, flags{:});
  blskernel("train", "numbers.bls", X, kinds, "--task", "classification", flags{:});
  words = blskernel("predict", "words.bls", new);
  numbers = blskernel("predict", "numbers.bls", new);
  assert(isequal(words, names(numbers)'));
  assert(mean(strcmp(blskernel("predict", "words.bls", X), labels)) > 0.9);
  p = blskernel("predict", "words.bls", new, "--probabilities");
  assert(size(p), [50, 2]);
  assert(sum(p, 2), ones(50, 1), 1e-12);

  % The exported arrays give the predictions of the command (docs/interchange.md).
  m = blskernel("export", "numbers.bls");
  assert(strcmp(m.kind, "classification") && strcmp(m.scaling, "columns"));
  one = ones(50, 1);
  S = bsxfun(@rdivide, bsxfun(@minus, new, m.means'), m.deviations');
  Z = bsxfun(@rdivide, bsxfun(@minus, [S, m.bias * one] * m.feature_weights, m.feature_minimum'), m.feature_range');
  A = Z;
  if m.direct, A = [Z, S]; end
  A = [A, tanh(m.enhancement_scale * [Z, m.bias * one] * m.enhancement_weights)];
  scores = blskernel("predict", "numbers.bls", new, "--scores");
  assert(A * m.weights, scores, 1e-8);
  [~, best] = max(scores, [], 2);
  assert(isequal(m.classes(best), numbers));

  % More rows; a regression of two targets.
  blskernel("update", "numbers.bls", new, numbers);
  assert(! isequal(blskernel("predict", "numbers.bls", new, "--scores"), scores));
  changed = blskernel("predict", "numbers.bls", new, "--scores");
  blskernel("remove", "numbers.bls", new, numbers);
  assert(blskernel("predict", "numbers.bls", new, "--scores"), scores, 1e-6);
  assert(! isequal(blskernel("predict", "numbers.bls", new, "--scores"), changed));
  m = blskernel("inspect", "numbers.bls", "--threads", 1, "--verbose");
  assert(m.digits > 0 && m.samples == 300 && strcmp(m.method, "gram"));
  blskernel("train", "anew.bls", X, kinds, "--like", "numbers.bls");
  assert(blskernel("predict", "anew.bls", new, "--scores"), scores, 1e-6);
  blskernel("train", "number.bls", X, kinds, "--task", "classification", flags{1}, 40, flags{3:end}); % a flag's value as a number
  assert(isequal(blskernel("predict", "number.bls", new, "--scores"), scores));
  Y = [X(:, 1) + X(:, 2), X(:, 3) .^ 2];
  blskernel("train", "two.bls", X, Y, "--task", "regression", flags{:});
  assert(blskernel("predict", "two.bls", X), Y, 0.5);

  % An error has the text that the command prints.
  for wrong = {{"predict", "none such's.bls", new}, {"export", "numbers.bls", "--none such's.bls"}}
    try
      blskernel(wrong{1}{:});
      assert(false);
    catch e
      assert(! isempty(strfind(e.message, "none such's.bls")));
    end
  end
  disp("octave: ok");
end
