function bls_serve(folder)
%BLS_SERVE  Runs steps for the Go program that compares (GNU Octave only).
%   Each line of standard input is a method and the number of a step, with blanks around. The answer is the line "done SECONDS",
%   when the weights are in w.bin, and those of 'features' with the features of the test set in t.bin, or
%   "failed MESSAGE".

  printf('ready %s, %s\n', version(), strtok(version('-blas'), "\n"));
  fflush(stdout);
  state = struct();
  while ischar(line = fgetl(stdin))
    try
      [method, step] = strtok(line);
      [state, seconds] = bls_step(state, folder, method, str2double(step));
      bls_write(fullfile(folder, 'w.bin'), state.W);
      if strcmp(method, 'features')
        bls_write(fullfile(folder, 't.bin'), bls_features_map(state.F, bls_read(fullfile(folder, 'xt.bin'))));
      end
      printf('done %.9f\n', seconds);
    catch problem
      printf('failed %s\n', strrep(problem.message, "\n", ' '));
    end
    fflush(stdout);
  end
end
