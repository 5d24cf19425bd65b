function bls_run(folder)
%BLS_RUN  All methods on a folder of exported files, in GNU Octave or MATLAB alone.
%   BLS_RUN(FOLDER) prints the time of every step and the test accuracy after it. The files are made by
%
%       go run ./bench/octave/compare -export FOLDER

  truth = bls_read(fullfile(folder, 'lt.bin'));
  settings = bls_read(fullfile(folder, 'settings.bin'));
  for method = {'features', 'original', 'improved', 'gram'}
    state = struct();
    for step = 0:settings(6)
      [state, seconds] = bls_step(state, folder, method{1}, step);
      if strcmp(method{1}, 'features')
        A = bls_features_map(state.F, bls_read(fullfile(folder, 'xt.bin')));
      else
        A = bls_read(fullfile(folder, 'at.bin'));
      end
      [~, guess] = max(A * state.W, [], 2);
      fprintf('%-9s step %d: %8.3f s, accuracy %.2f%%\n', method{1}, step, seconds, 100 * mean(guess - 1 == truth));
    end
  end
end
