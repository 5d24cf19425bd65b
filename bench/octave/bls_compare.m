function bls_compare(results, folder)
%BLS_COMPARE  Runs the methods of a file of results and compares their times.
%   BLS_COMPARE(RESULTS, FOLDER) reads the JSON lines that 'blskernel paper --table 2' has printed and runs the same
%   methods at the same sizes in GNU Octave or MATLAB, on the files of MNIST in FOLDER, or on random images for
%   FOLDER ''. It prints a line for each step: the method, the samples after it, the seconds here and in the file, and
%   their ratio. To standard error it prints the accuracy on the test set of FOLDER. Features are timed separately;
%   the other times include the weights, but no features.

  [table, rows] = read_results(results);
  samples = table.initial + table.updates * table.batch;
  if isempty(folder)
    X = rand(samples, 784);
    labels = randi([0, 9], samples, 1);
  else
    X = bls_idx(fullfile(folder, 'train-images-idx3-ubyte'));
    labels = bls_idx(fullfile(folder, 'train-labels-idx1-ubyte'));
  end
  Y = double(labels(1:samples) == 0:9);

  % Batch i has the rows ends(i)+1 to ends(i+1).
  ends = [0, table.initial + table.batch * (0:table.updates)];
  A = zeros(samples, table.nodes);
  for i = 1:numel(ends) - 1
    at = ends(i)+1 : ends(i+1);
    began = tic;
    if i == 1
      [F, A(at, :)] = bls_features_fit(X(at, :), 10, 10, table.nodes - 100, table.shrink);
    else
      A(at, :) = bls_features_map(F, X(at, :));
    end
    print('features', ends(i+1), toc(began), rows{i}.feature_seconds);
  end
  clear X;
  if ~isempty(folder)
    test = bls_features_map(F, bls_idx(fullfile(folder, 't10k-images-idx3-ubyte')));
    truth = bls_idx(fullfile(folder, 't10k-labels-idx1-ubyte'));
  end

  for m = 1:numel(table.methods)
    method = table.methods{m};
    for i = 1:numel(ends) - 1
      at = ends(i)+1 : ends(i+1);
      Ax = A(at, :);
      Ya = Y(at, :);
      began = tic;
      switch method
        case 'gram'
          if i == 1
            [G, T] = bls_gram_start(size(A, 2), size(Y, 2), table.lambda);
          end
          [G, T] = bls_gram_update(G, T, Ax, Ya);
          W = bls_gram_weights(G, T);
        case {'original', 'improved/paper'}
          if i == 1
            [P, W] = bls_start(Ax, Ya, table.lambda);
          elseif strcmp(method, 'original')
            [P, W] = bls_update_original(P, W, Ax, Ya);
          else
            [P, W] = bls_update_improved(P, W, Ax, Ya);
          end
        otherwise
          error('bls:compare', 'method %s is unknown; want gram, original or improved/paper', method);
      end
      print(method, ends(i+1), toc(began), rows{i}.cells(m).seconds - rows{i}.feature_seconds);
    end
    if ~isempty(folder)
      [~, guess] = max(test * W, [], 2);
      fprintf(2, '%s: accuracy %.2f%% on the test set\n', method, 100 * mean(guess - 1 == truth));
    end
    clear P G T;
  end
end

function [table, rows] = read_results(name)
% Returns the line of the table and the rows of the first seed.
  rows = {};
  lines = strsplit(strtrim(fileread(name)), "\n");
  for i = 1:numel(lines)
    line = jsondecode(lines{i});
    if strcmp(line.kind, 'table')
      table = line;
    elseif strcmp(line.kind, 'row') && line.seed == table.seeds(1)
      cells = line.cells;
      if iscell(cells)
        line.cells = cellfun(@(c) struct('seconds', c.seconds), cells);
      end
      rows{end+1} = line;
    end
  end
end

function print(method, samples, here, there)
  fprintf('%s %d %.4f %.4f %.3f\n', method, samples, here, there, here / there);
end
