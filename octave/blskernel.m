% BLSKERNEL  Broad learning systems with the command blskernel, in Octave and MATLAB.
%
%   blskernel("train", "model.bls", X, Y, flag, ...)   trains a model: X has a row for each sample, and Y
%       is a column of numbers or a cell array of labels, or for regression a matrix
%   blskernel("update", "model.bls", X, Y, flag, ...)  learns more rows
%   blskernel("remove", "model.bls", X, Y, flag, ...)  unlearns rows; if the remaining rows would not
%       determine the weights, this is an error: blskernel("train", "new.bls", X, Y, "--like",
%       "model.bls") then trains a new model on these rows, with the same settings and feature maps
%   m = blskernel("inspect", "model.bls")  a struct that describes the model: m.digits is a lower bound on
%       the correct digits of its weights, and m.advice says what to do if they are few
%   y = blskernel("predict", "model.bls", X, flag, ...)
%       the labels, a column of numbers or a cell array, or the predictions; with the flag "--scores" or
%       "--probabilities" a matrix with a column for each class
%   m = blskernel("export", "model.bls")  a struct of the weights and feature maps (docs/interchange.md)
%   a = blskernel("read", "x.npy")        an array from a NumPy file; for "x.npz", a struct of its arrays
%   blskernel("write", "x.npy", a)        writes a matrix, or a cell array of labels
%
% Flags of the command may follow, as in blskernel("train", "m.bls", X, y, "--task", "regression"). The
% environment variable BLSKERNEL names the program; by default it is found on the path. Numbers pass
% through .npy files in a temporary folder, with all of their bits.
function out = blskernel(verb, file, varargin)
  file = char(file);
  switch verb
    case 'read'
      out = load_arrays(file);
      return
    case 'write'
      write_npy(file, varargin{1});
      return
    case 'inspect'
      lines = strsplit(strtrim(call(verb, '--json', file, varargin{:})), char(10));
      out = jsondecode(lines{end}); % below what --verbose prints
      return
  end
  folder = new_folder();
  cleaner = onCleanup(@() remove(folder));
  result = fullfile(folder, 'result.npy');
  switch verb
    case {'train', 'update', 'remove'}
      write_npy(fullfile(folder, 'X.npy'), varargin{1});
      write_npy(fullfile(folder, 'Y.npy'), varargin{2});
      flags = {'--targets-file', fullfile(folder, 'Y.npy'), varargin{3:end}, fullfile(folder, 'X.npy')};
      if strcmp(verb, 'train')
        call(verb, '--out', file, flags{:});
      else
        call(verb, file, flags{:});
      end
    case 'predict'
      write_npy(fullfile(folder, 'X.npy'), varargin{1});
      call(verb, file, '--out', result, varargin{2:end}, fullfile(folder, 'X.npy'));
      out = read_npy(result);
    case 'export'
      call(verb, file, '--out', [result(1:end-1) 'z'], varargin{:});
      out = load_arrays([result(1:end-1) 'z']);
    otherwise
      error('blskernel:verb', 'unknown verb %s: want train, update, remove, inspect, predict, export, read or write', verb);
  end
end

function text = call(varargin)
  program = getenv('BLSKERNEL');
  if isempty(program)
    program = 'blskernel';
  end
  quote = @(text) ['"' text '"'];
  if ~ispc()
    quote = @(text) ['''' strrep(text, '''', '''\''''') ''''];
  end
  for i = 1:numel(varargin)
    if isnumeric(varargin{i}) || islogical(varargin{i})
      varargin{i} = num2str(varargin{i}, 17); % char would make it the character of this number
    end
  end
  words = cellfun(@(word) quote(char(word)), [{program}, varargin], 'UniformOutput', false);
  if ispc()
    words = [{'"'}, words, {'"'}]; % cmd removes the first and the last quote
  end
  [status, text] = system([strjoin(words, ' ') ' 2>&1']);
  if status ~= 0
    error('blskernel:failed', '%s', strtrim(text));
  end
end

% Make a new folder for temporary files. An existing folder is an error, since others may write to it.
function folder = new_folder()
  folder = tempname();
  [made, text] = mkdir(folder);
  if ~made || ~isempty(text)
    error('blskernel:file', 'cannot create the folder %s: %s', folder, text);
  end
end

function remove(folder)
  delete(fullfile(folder, '*'));
  rmdir(folder);
end

function out = load_arrays(file)
  if ~strcmpi(file(end-3:end), '.npz')
    out = read_npy(file);
    return
  end
  folder = new_folder();
  cleaner = onCleanup(@() remove(folder));
  unzip(file, folder);
  for entry = dir(fullfile(folder, '*.npy'))'
    out.(entry.name(1:end-4)) = read_npy(fullfile(folder, entry.name));
  end
end

function out = read_npy(file)
  from = fopen(file, 'r', 'ieee-le');
  if from < 0
    error('blskernel:file', 'cannot open %s', file);
  end
  closer = onCleanup(@() fclose(from));
  magic = fread(from, 8, 'uint8=>uint8')';
  if numel(magic) < 8 || ~isequal(magic(1:6), [uint8(147), uint8('NUMPY')])
    error('blskernel:file', '%s is not a .npy file', file);
  end
  if magic(7) == 1
    header = fread(from, fread(from, 1, 'uint16'), 'uint8=>char')';
  else
    header = fread(from, fread(from, 1, 'uint32'), 'uint8=>char')';
  end
  kind = regexp(header, '''descr'': ''[<|]([a-zA-Z])(\d+)''', 'tokens', 'once');
  if isempty(kind)
    error('blskernel:file', '%s has elements that are not little-endian numbers or text: %s', file, header);
  end
  shape = str2double(regexp(regexp(header, '\([^)]*\)', 'match', 'once'), '\d+', 'match'));
  scalar = isempty(shape);
  shape = [shape, ones(1, 2 - numel(shape))]; % a vector becomes a column
  bytes = str2double(kind{2});
  switch kind{1}
    case 'U'
      text = fread(from, [4 * bytes, prod(shape)], 'uint8=>uint8')';
      out = cell(shape);
      for i = 1:numel(out)
        used = 4 * ceil(max([0, find(text(i, :))]) / 4);
        out{i} = native2unicode(text(i, 1:used), 'UTF-32LE');
      end
      if scalar
        out = out{1};
      end
      return
    case 'f'
      values = fread(from, prod(shape), sprintf('float%d=>double', 8 * bytes));
    case 'i'
      values = fread(from, prod(shape), sprintf('int%d=>double', 8 * bytes));
    case 'u'
      values = fread(from, prod(shape), sprintf('uint%d=>double', 8 * bytes));
    otherwise
      error('blskernel:file', '%s has elements of type %s%s, which cannot be read', file, kind{:});
  end
  if ~isempty(strfind(header, '''fortran_order'': True'))
    out = reshape(values, shape);
  else
    out = permute(reshape(values, fliplr(shape)), numel(shape):-1:1);
  end
end

function write_npy(file, values)
  if isa(values, 'string')
    values = cellstr(values);
  end
  if iscell(values)
    values = cellfun(@utf32, values, 'UniformOutput', false);
    width = max(4, max(cellfun(@numel, values)));
    descr = sprintf('<U%d', width / 4);
    shape = sprintf('(%d,)', numel(values));
  else
    descr = '<f8';
    shape = sprintf('(%d, %d)', size(values, 1), size(values, 2));
  end
  header = sprintf('{''descr'': ''%s'', ''fortran_order'': False, ''shape'': %s, }', descr, shape);
  header = [header, repmat(' ', 1, mod(-(numel(header) + 11), 64)), char(10)];
  to = fopen(file, 'w', 'ieee-le');
  if to < 0
    error('blskernel:file', 'cannot write %s', file);
  end
  closer = onCleanup(@() fclose(to));
  fwrite(to, [uint8(147), uint8('NUMPY'), 1, 0], 'uint8');
  fwrite(to, numel(header), 'uint16');
  fwrite(to, header, 'uint8');
  if iscell(values)
    for i = 1:numel(values)
      fwrite(to, [values{i}, zeros(1, width - numel(values{i}), 'uint8')], 'uint8');
    end
  else
    fwrite(to, double(values)', 'double');
  end
end

% Return the bytes of a string in a .npy file. A char is a byte of UTF-8 in Octave, and a unit of UTF-16 in MATLAB.
function bytes = utf32(text)
  text = char(text);
  bytes = reshape(unicode2native(text, 'UTF-32LE'), 1, []);
  if ~isequal(reshape(native2unicode(bytes, 'UTF-32LE'), 1, []), reshape(text, 1, []))
    error('blskernel:text', 'a label is not valid Unicode: %s', text);
  end
end
