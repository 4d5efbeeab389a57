-- wrk -s wrk.lua URL -- SECONDS FILE once|again [MEAN PAUSE IN MS]
--
-- Sends the requests of FILE (each preceded by a line with its length), once or repeatedly, until SECONDS have passed or
-- they are used up: wrk itself only knows whole seconds, and no end of requests. One thread. Prints one line of JSON.
-- wrk itself counts a status over 399 as an error.

local ffi = require('ffi')
ffi.cdef [[
  typedef struct { long sec; long nsec; } bench_time;
  int clock_gettime(int clock, bench_time *time);
  int kill(int pid, int signal);
  int getpid(void);
]]
local MONOTONIC = 1
local SIGINT = 2

local time = ffi.new('bench_time')
local function now()
  ffi.C.clock_gettime(MONOTONIC, time)
  return tonumber(time.sec) + tonumber(time.nsec) / 1e9
end

local requests = {}
local at = -1 -- wrk asks for one request to look at before it begins
local once = true
local seconds = 0
local started = 0
took = 0 -- from the first request to the last

function init(args)
  seconds = tonumber(args[1])
  local file = assert(io.open(args[2], 'rb'))
  once = args[3] == 'once'
  for length in function() return file:read('*l') end do
    requests[#requests + 1] = file:read(tonumber(length))
  end
  file:close()
  local pause = tonumber(args[4])
  if pause then
    function delay() return math.floor(math.random() * 2 * pause + 0.5) end
  end
end

function request()
  if at == 0 then started = now() end
  at = at + 1
  local elapsed = at > 1 and now() - started or 0
  if elapsed >= seconds or (once and at > #requests) then
    if took == 0 then
      took = elapsed
      wrk.thread:stop()
      ffi.C.kill(ffi.C.getpid(), SIGINT) -- wakes the main thread
    end
    return 'GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
  end
  return requests[(at - 1) % #requests + 1]
end

local threads = {}
function setup(thread)
  threads[#threads + 1] = thread
end

function done(summary, latency)
  local took = threads[1]:get('took')
  local errors = summary.errors
  print(string.format(
    '{"seconds":%f,"answered":%d,"p50":%f,"p99":%f,"failed":%d,"failures":"%d connections, %d reads, %d writes, %d timeouts, %d statuses over 399"}',
    took > 0 and took or summary.duration / 1e6, summary.requests,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.timeout + errors.status,
    errors.connect, errors.read, errors.write, errors.timeout, errors.status))
end
