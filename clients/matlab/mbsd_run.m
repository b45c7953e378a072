function [result, job] = mbsd_run(model, varargin)
% MBSD_RUN  Runs a multibody model on an mbsd service and fetches its arrays (GNU Octave 7, MATLAB R2016b or later).
%
%   result = mbsd_run('models/SC.json');
%   plot(result.T, result.Lam), legend(result.labels.Lam)
%
%   [result, job] = mbsd_run(model, name, value, ...) takes the name of a JSON file, or a struct (a list in it that has
%   one member must be a cell, {x}, but for bodies, joints, drivers, forces and sensors), or a job, as it was returned,
%   to wait for it again. Options:
%
%     'url'       the service; 'http://127.0.0.1:8080', or 'unix:PATH' for a Unix socket
%     'token'     the token, if the service requires one
%     'analysis'  a struct that replaces the model's own analysis
%     'wait'      seconds to wait for the end (Inf); then result is [] and job.status is 'queued' or 'running'
%     'progress'  true shows the progress of the job
%     'arrays'    a cell of the names of the arrays wanted; all of them
%     'check'     false: a job that fails is no error, and result has what it computed until then
%     'retries'   how often a request is repeated if there is no answer or the service is busy (5)
%
%   result has a field for each array (T, uT, Lam, ..., named by matlab.lang.makeValidName), and
%   result.labels and result.units, of the same fields, a cell for the columns of each. job is what the service says of
%   the job: id, status, report, error.
%
%   Errors: mbsd:invalid (every mistake of the document with its JSON pointer), mbsd:failed (the job: code, time,
%   element), mbsd:service (what the service refused), mbsd:unreachable. Requests are made by curl, which has to be in
%   the path; Windows 10 has it.

  model = plain(model);
  options = read_options(cellfun(@plain, varargin, 'UniformOutput', false));
  folder = make_folder();
  cleanup = onCleanup(@() remove_folder(folder));
  service = struct('options', options, 'folder', folder);
  started = tic;
  if isstruct(model) && isfield(model, 'id') && isfield(model, 'status')
    job = get_job(service, model.id, 0);
  else
    job = submit(service, model, slice_of(options, started));
  end
  pause_seconds = 0.25;
  while ~has_ended(job) && toc(started) < options.wait
    show(options, job);
    seconds = slice_of(options, started);
    asked = tic;
    job = get_job(service, job.id, seconds);
    if ~has_ended(job) && toc(asked) < seconds / 2 % the service waits for less, or not at all
      pause(min(pause_seconds, max(0, options.wait - toc(started))));
      pause_seconds = min(2 * pause_seconds, 2);
    end
  end
  show(options, job);
  result = [];
  if ~has_ended(job)
    return
  end
  if options.check && ~strcmp(job.status, 'succeeded')
    fail(job);
  end
  result = fetch(service, job);
end

function options = read_options(given)
  options = struct('url', 'http://127.0.0.1:8080', 'token', '', 'analysis', [], 'wait', Inf, 'progress', false, ...
                   'arrays', [], 'check', true, 'retries', 5);
  for i = 1:2:numel(given)
    if i == numel(given) || ~ischar(given{i}) || ~isfield(options, given{i})
      error('mbsd:option', 'Options are pairs of a name and a value; the names are %s', ...
            strjoin(fieldnames(options)', ', '));
    end
    options.(given{i}) = given{i + 1};
  end
end

% Converts a MATLAB string to a character array, which Octave has, too.
function value = plain(value)
  if isa(value, 'string') && isscalar(value)
    value = char(value);
  end
end

% ---- jobs ------------------------------------------------------------------------------------------------------------

% Seconds that one request may wait for the end of the job: proxies end a request after 60 s.
function seconds = slice_of(options, started)
  longest = 55;
  if options.progress
    longest = 1;
  end
  seconds = max(0, min(longest, options.wait - toc(started)));
end

function ended = has_ended(job)
  ended = any(strcmp(job.status, {'succeeded', 'failed', 'cancelled'}));
end

function show(options, job)
  if ~options.progress
    return
  end
  share = '';
  if ~isempty(job.progress.fraction)
    share = sprintf(' %.0f %%', 100 * job.progress.fraction);
  end
  fprintf('%s%s\n', job.status, share);
end

function fail(job)
  place = '';
  if ~isstruct(job.error)
    error('mbsd:failed', 'job %s: %s', job.id, job.status);
  end
  if isfield(job.error, 't') && ~isempty(job.error.t)
    place = sprintf(' at t = %g s', job.error.t);
  end
  if isfield(job.error, 'element') && ~isempty(job.error.element)
    place = sprintf('%s at ''%s''', place, job.error.element);
  end
  error('mbsd:failed', '%s%s: %s [job %s]', job.error.code, place, job.error.detail, job.id);
end

function job = submit(service, model, seconds)
  % A repeated key refers to the same job, so that a repeated request makes no second one.
  [~, unique] = fileparts(tempname());
  headers = {'Content-Type: application/json', sprintf('Idempotency-Key: %s-%.0f', unique, now() * 86400e6)};
  if seconds > 0
    headers{end + 1} = sprintf('Prefer: wait=%g', seconds);
  end
  job = request_json(service, 'POST', '/api/v1/jobs', headers, bytes_of(model, service.options.analysis), seconds);
end

function job = get_job(service, id, seconds)
  headers = {};
  if seconds > 0
    headers = {sprintf('Prefer: wait=%g', seconds)};
  end
  job = request_json(service, 'GET', ['/api/v1/jobs/' escape(id)], headers, [], seconds);
end

% Returns the document; files stay unchanged, so that positions in errors are correct.
function bytes = bytes_of(model, analysis)
  if ischar(model)
    bytes = read_bytes(model);
  else
    bytes = utf8(jsonencode(with_lists(model)));
  end
  if ~isempty(analysis)
    bytes = [utf8('{"model": '), bytes, utf8(', "analysis": '), utf8(jsonencode(analysis)), utf8('}')];
  end
end

% jsonencode() makes an object of a struct, but the document needs a list with one item.
function model = with_lists(model)
  for name = {'bodies', 'joints', 'drivers', 'forces', 'sensors'}
    if isfield(model, name{1}) && isstruct(model.(name{1})) && isscalar(model.(name{1}))
      model.(name{1}) = {model.(name{1})};
    end
  end
end

% ---- arrays ----------------------------------------------------------------------------------------------------------

function result = fetch(service, job)
  place = ['/api/v1/jobs/' escape(job.id) '/results'];
  arrays = request_json(service, 'GET', place, {}, [], 0);
  arrays = as_cell(arrays.arrays);
  names = cellfun(@(array) array.name, arrays, 'UniformOutput', false);
  fields = matlab.lang.makeUniqueStrings(matlab.lang.makeValidName(names), {'labels', 'units'});
  wanted = service.options.arrays;
  if ~isempty(wanted) && ~all(ismember(wanted, names))
    error('mbsd:service', 'The job has no array ''%s'', but %s', ...
          strjoin(setdiff(cellstr(wanted), names), ''', '''), strjoin(names(:)', ', '));
  end
  result = struct('labels', struct(), 'units', struct());
  for i = 1:numel(names)
    if ~isempty(wanted) && ~any(strcmp(names{i}, wanted))
      continue
    end
    file = request(service, 'GET', [place '/' escape(names{i}) '?format=npy'], {'Accept: application/x-npy'}, [], 0);
    result.(fields{i}) = read_npy(file);
    result.labels.(fields{i}) = as_cell(arrays{i}.labels);
    result.units.(fields{i}) = as_cell(arrays{i}.units);
  end
end

% Converts a list from jsondecode(): a cell, a struct array, or [] for an empty one.
function list = as_cell(list)
  if isempty(list)
    list = {};
  elseif ~iscell(list)
    list = num2cell(list);
  end
  list = list(:)';
end

% An array of doubles in NumPy's format; of one dimension it is a column.
function array = read_npy(file)
  handle = fopen(file, 'r', 'ieee-le');
  closing = onCleanup(@() fclose(handle));
  head = double(fread(handle, 10, '*uint8')');
  text = char(fread(handle, head(9) + 256 * head(10), '*uint8')');
  if head(7) ~= 1 || isempty(strfind(text, '<f8')) || isempty(strfind(text, 'False'))
    error('mbsd:service', 'The array is not of doubles, row by row: %s', text);
  end
  shape = regexp(text, '\(([^)]*)\)', 'tokens', 'once');
  shape = sscanf(strrep(shape{1}, ',', ' '), '%d')';
  array = fread(handle, Inf, 'double=>double');
  if numel(array) ~= prod(shape)
    error('mbsd:service', 'The array has %d numbers, not %d', numel(array), prod(shape));
  end
  if numel(shape) > 1
    array = permute(reshape(array, fliplr(shape)), numel(shape):-1:1);
  end
end

% ---- requests --------------------------------------------------------------------------------------------------------

function value = request_json(service, varargin)
  value = jsondecode(native2unicode(read_bytes(request(service, varargin{:})), 'UTF-8'));
end

% Sends a request, repeatedly if that is permitted; returns the name of the file with the answer.
function file = request(service, method, target, headers, body, seconds)
  for attempt = 0:service.options.retries
    [status, file, why, retry_after] = request_once(service, method, target, headers, body, seconds);
    if status >= 200 && status < 300
      return
    elseif (status >= 300 && ~any(status == [429 503])) || retry_after > 60
      break
    elseif attempt < service.options.retries
      pause(min(60, max(retry_after, 0.25 * 2 ^ attempt) * (1 + 0.5 * rand())));
    end
  end
  if status == 0
    error('mbsd:unreachable', 'No answer from %s: %s; is mbsd running there?', service.options.url, why);
  end
  refuse(status, native2unicode(read_bytes(file), 'UTF-8'));
end

% status 0: no answer; `why` is the reason.
function [status, file, why, retry_after] = request_once(service, method, target, headers, body, seconds)
  file = fullfile(service.folder, 'answer');
  head = fullfile(service.folder, 'head');
  [base, unix_socket] = place_of(service.options.url);
  lines = {'silent', 'show-error', 'globoff', option('url', [base target]), option('request', method), ...
           option('output', file), option('dump-header', head), option('write-out', '%{http_code}'), ...
           option('user-agent', 'mbsd-matlab'), option('max-time', sprintf('%.0f', 60 + seconds))};
  if ~isempty(unix_socket)
    lines{end + 1} = option('unix-socket', unix_socket);
  end
  if ~isempty(service.options.token)
    headers{end + 1} = ['Authorization: Bearer ' service.options.token];
  end
  for i = 1:numel(headers)
    lines{end + 1} = option('header', headers{i}); %#ok<AGROW>
  end
  if strcmp(method, 'POST')
    write_bytes(fullfile(service.folder, 'body'), body);
    lines{end + 1} = option('data-binary', ['@' fullfile(service.folder, 'body')]);
  end
  write_bytes(file, []);
  write_bytes(head, []);
  write_bytes(fullfile(service.folder, 'config'), utf8(sprintf('%s\n', lines{:})));
  command = sprintf('curl -q --config "%s" 2>&1', fullfile(service.folder, 'config'));
  if isunix()
    command = ['LD_LIBRARY_PATH= ' command]; % MATLAB's own libraries are not those of curl
  end
  [code, printed] = system(command);
  status = 0;
  why = strtrim(regexprep(printed, '[0-9]{3}$', ''));
  if code == 0
    status = sscanf(printed, '%d');
  end
  found = regexp(char(read_bytes(head)), '^retry-after: *([0-9]+)', 'tokens', 'once', 'ignorecase', 'lineanchors');
  retry_after = 0;
  if ~isempty(found)
    retry_after = str2double(found{1});
  end
end

function [base, unix_socket] = place_of(url)
  base = regexprep(url, '/*$', '');
  unix_socket = '';
  if strncmp(url, 'unix:', 5)
    base = 'http://localhost';
    unix_socket = url(6:end);
  end
end

function refuse(status, text)
  problem = struct();
  try
    problem = jsondecode(text);
  catch
    % Perhaps a page of a proxy: only the status is known.
  end
  if ~isstruct(problem) || ~isfield(problem, 'detail')
    error('mbsd:service', '%d: %s', status, text(1:min(end, 200)));
  end
  message = sprintf('%s: %s', problem.title, problem.detail);
  if isfield(problem, 'line')
    message = sprintf('%s (line %d, column %d)', message, problem.line, problem.column);
  end
  if isfield(problem, 'errors') || isfield(problem, 'line')
    mistakes = {};
    if isfield(problem, 'errors')
      mistakes = as_cell(problem.errors);
    end
    for i = 1:numel(mistakes)
      message = sprintf('%s\n  %s: %s', message, mistakes{i}.pointer, mistakes{i}.detail);
    end
    error('mbsd:invalid', '%s', message);
  end
  error('mbsd:service', '%d %s', status, message);
end

% ---- texts and files -------------------------------------------------------------------------------------------------

% Returns a line of a configuration file of curl.
function line = option(name, value)
  line = sprintf('%s = "%s"', name, strrep(strrep(value, '\', '\\'), '"', '\"'));
end

% Returns an encoded part of a path.
function text = escape(name)
  text = '';
  for byte = utf8(name)
    if any(char(byte) == ['a':'z', 'A':'Z', '0':'9', '-._~'])
      text = [text, char(byte)]; %#ok<AGROW>
    else
      text = [text, sprintf('%%%02X', byte)]; %#ok<AGROW>
    end
  end
end

function bytes = utf8(text)
  bytes = reshape(unicode2native(text, 'UTF-8'), 1, []);
end

function bytes = read_bytes(name)
  handle = fopen(name, 'r');
  if handle < 0
    error('mbsd:file', '%s: cannot be read', name);
  end
  bytes = fread(handle, Inf, '*uint8')';
  fclose(handle);
end

function write_bytes(name, bytes)
  handle = fopen(name, 'w');
  fwrite(handle, bytes, 'uint8');
  fclose(handle);
end

% Creates a folder that only this user can read, for a file with the token.
function folder = make_folder()
  folder = tempname();
  if isunix()
    code = system(sprintf('mkdir -m 700 "%s"', folder));
  else
    code = ~mkdir(folder);
  end
  if code ~= 0
    error('mbsd:file', '%s: cannot be made', folder);
  end
end

function remove_folder(folder)
  if exist('OCTAVE_VERSION', 'builtin')
    confirm_recursive_rmdir(false, 'local');
  end
  rmdir(folder, 's');
end
