function [state, seconds] = bls_step(state, folder, method, step)
%BLS_STEP  One step of a method on the files of the comparison.
%   [STATE, SECONDS] = BLS_STEP(STATE, FOLDER, METHOD, STEP) starts METHOD from the first samples for STEP 0,
%   where STATE is not read, and adds batch STEP otherwise. METHOD is 'features', 'original', 'improved' or
%   'gram'. STATE.W are the weights after the step; SECONDS is the time of the algorithm with its weights,
%   without the reading of files. Of 'features' that is the time of Algorithm 1, and the weights are those of the
%   Gram recursion on features of its own.

  file = @(name) fullfile(folder, sprintf('%s%d.bin', name, step));
  settings = bls_read(fullfile(folder, 'settings.bin'));
  lambda = settings(1);
  Y = bls_read(file('y'));
  if strcmp(method, 'features')
    X = bls_read(file('x'));
  else
    A = bls_read(file('a'));
  end
  if step == 0
    state = struct();
  end
  switch method
    case 'features'
      began = tic;
      if step == 0
        [state.F, A] = bls_features_fit(X, settings(2), settings(3), settings(4), settings(5));
      else
        A = bls_features_map(state.F, X);
      end
      seconds = toc(began);
      if step == 0
        [state.G, state.T] = bls_gram_start(size(A, 2), size(Y, 2), lambda);
      end
      [state.G, state.T] = bls_gram_update(state.G, state.T, A, Y);
      state.W = bls_gram_weights(state.G, state.T);
    case 'gram'
      began = tic;
      if step == 0
        [state.G, state.T] = bls_gram_start(size(A, 2), size(Y, 2), lambda);
      end
      [state.G, state.T] = bls_gram_update(state.G, state.T, A, Y);
      state.W = bls_gram_weights(state.G, state.T);
      seconds = toc(began);
    case {'original', 'improved'}
      % Out of the structure, so that no copy of the pseudoinverse is made or kept.
      if step > 0
        P = state.P;
        W = state.W;
      end
      state = struct();
      began = tic;
      if step == 0
        [P, W] = bls_start(A, Y, lambda);
      elseif strcmp(method, 'original')
        [P, W] = bls_update_original(P, W, A, Y);
      else
        [P, W] = bls_update_improved(P, W, A, Y);
      end
      seconds = toc(began);
      state.P = P;
      state.W = W;
    otherwise
      error('bls:step', 'no method %s', method);
  end
end
