"""Whose request comes next: the order in which requests wait, and how many may go on at once.

Repositories take turns. The n-th request that a repository has waiting stands behind the
first n-1 of every other, so that five hundred labels of one delay another's single command
by one request and not by five hundred. arq reads its queue in the order of its scores: a
turn is a score below zero, and so always due, while a time above zero is a job that waits
for another try.

A request in progress holds a slot in each of its lanes: its repository, its models'
providers, all of the fleet. Slots are leases, renewed with the job's own. Which jobs fit is
decided in Redis, for all workers alike; a job that does not fit stays on the queue, and
nobody holds anything for it.
"""

from dataclasses import dataclass

from jobs.planning.model_names import find_provider
from jobs.requests import Request

SERVED = "skillbench:turn"
"""The latest turn that was begun."""
LATEST = "skillbench:turns"
"""Sorted set: repository to the last turn it has taken, as long as that is still to come."""
ARRIVALS = "skillbench:arrivals"
SLOTS = "skillbench:slots:"
ALL = "all"
WELCOMES = "welcome:"
"""The party of all welcomes of an owner, and the one lane of all welcomes."""
DEFAULT_PROVIDER = "provider:"
"""The lane of a request that names no model: the worker knows which one that means."""
LOOK_AHEAD = 1000
"""Waiting jobs that are looked at for one that fits, beyond those in progress."""
MOST_READ = 200
"""Of these, how many are read in one look; the next one goes on behind them."""

ENQUEUE_IN_TURN = """
if redis.call('exists', KEYS[3]) == 1 then return 0 end
if redis.call('zscore', KEYS[1], ARGV[1]) then return 0 end
redis.call('set', KEYS[2], ARGV[2], 'px', ARGV[4])
local served = tonumber(redis.call('get', KEYS[4]) or 1)
local turn = math.max(served, tonumber(redis.call('zscore', KEYS[5], ARGV[3]) or 0) + 1)
redis.call('zadd', KEYS[5], turn, ARGV[3])
redis.call('zremrangebyscore', KEYS[5], '-inf', '(' .. served)
local arrival = redis.call('incr', KEYS[6]) % 1000000
redis.call('zadd', KEYS[1], string.format('%.0f', (turn - 1e9) * 1e6 + arrival), ARGV[1])
if ARGV[5] ~= '0' then redis.call('set', KEYS[3], '1', 'px', ARGV[5]) end
return 1
"""
"""Queue, job, memory, `SERVED`, `LATEST`, `ARRIVALS`; id, body, repository, times to live
of the job and the memory. Within a turn, whoever came first comes first.
"""

ADMIT = """
local clock = redis.call('time')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local room, until_ms = tonumber(ARGV[1]), now + tonumber(ARGV[2])
local taken = {}
local function is_full(lane)
  local key = ARGV[9] .. lane
  if not taken[lane] then
    redis.call('zremrangebyscore', key, '-inf', now)
    taken[lane] = redis.call('zcard', key)
  end
  local most = ARGV[4]
  if lane == 'all' then most = ARGV[3] end
  if string.sub(lane, 1, 9) == 'provider:' then most = ARGV[5] end
  return taken[lane] >= tonumber(most)
end
if is_full('all') then return {0, 0} end
local ahead, from = tonumber(ARGV[7]) + taken['all'], tonumber(ARGV[12])
local tries = redis.call('zcount', KEYS[1], '(0', now)
local waiting = redis.call('zrangebyscore', KEYS[1], '(0', now, 'limit', from, ahead)
local turns = math.max(from - tries, 0)
for _, id in ipairs(redis.call('zrangebyscore', KEYS[1], '-inf', 0, 'limit', turns, ahead)) do
  table.insert(waiting, id)
end
local admitted, read, kept_waiting, looked_at, is_cut_off = {}, 0, 0, 0, false
local function is_passed_over(id)
  local name = string.match(id, '^request:%l+:([^:#]+)[:#]')
  local lane = name and 'repository:' .. string.lower(name)
  if lane and taken[lane] and is_full(lane) then
    kept_waiting = kept_waiting + 1
    return true
  end
  return redis.call('zscore', ARGV[9] .. 'all', id)
end
for _, id in ipairs(waiting) do
  if #admitted >= room or is_full('all') then break end
  is_cut_off = read >= tonumber(ARGV[11])
  if is_cut_off then break end
  looked_at = looked_at + 1
  local is_held = is_passed_over(id)
  if not is_held and redis.call('exists', ARGV[10] .. id) == 0 then
    read = read + 1
    local lanes = {'all'}
    local readable, job = pcall(cjson.decode, redis.call('get', ARGV[8] .. id) or '')
    if readable and type(job) == 'table' and type(job['lanes']) == 'table' then
      for _, lane in ipairs(job['lanes']) do
        table.insert(lanes, lane == 'provider:' and ARGV[6] or lane)
      end
    end
    local fits = true
    for _, lane in ipairs(lanes) do
      if fits and is_full(lane) then fits = false end
    end
    if fits then
      for _, lane in ipairs(lanes) do
        redis.call('zadd', ARGV[9] .. lane, until_ms, id)
        redis.call('pexpire', ARGV[9] .. lane, 86400000)
        taken[lane] = taken[lane] + 1
      end
      local score = tonumber(redis.call('zscore', KEYS[1], id))
      local turn = math.floor((score + 0.5) / 1e6 + 1e9)
      if score < 0 and turn > tonumber(redis.call('get', KEYS[2]) or 0) then
        redis.call('set', KEYS[2], turn)
      end
      table.insert(admitted, cjson.encode({id = id, lanes = lanes}))
    else
      kept_waiting = kept_waiting + 1
    end
  end
end
local goes_on = is_cut_off or (looked_at == #waiting and looked_at >= ahead)
return {kept_waiting, goes_on and from + looked_at or 0, unpack(admitted)}
"""
"""Queue and `SERVED`; room, lease, the three limits, the default model's provider, how far to
look, the beginnings of the keys of jobs, slots and jobs in progress, how many jobs to read, and
how many to pass over, because a look before this one has ended there.
Tries that are due come first. By the clock of Redis, since workers' clocks differ. A job whose
id tells that its repository is at its limit is passed over unread: a thousand of them cost
less than reading fifty. Gives how many were seen that do not fit, where the next look goes on
(0 where this one has reached the end), then those that begin.
"""

RENEW_SLOTS = """
local clock = redis.call('time')
local until_ms = clock[1] * 1000 + math.floor(clock[2] / 1000) + tonumber(ARGV[2])
for _, key in ipairs(KEYS) do
  redis.call('zadd', key, until_ms, ARGV[1])
  redis.call('pexpire', key, 86400000)
end
return 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How many requests go on at once, over all workers."""

    overall: int = 100
    per_repository: int = 3
    per_provider: int = 50
    default_model: str = ""
    """The model of a request that names none."""


def find_party(request: Request) -> str:
    """Whose turn a request takes: its repository's; a welcome takes that of all the owner's
    welcomes, so that an App that comes to five hundred repositories keeps nobody waiting.
    """
    repo = request.repo
    return f"{WELCOMES}{repo.owner}" if request.kind == "welcome" else repo.full_name.casefold()


def find_lanes(request: Request) -> list[str]:
    """The lanes a request takes a slot in, beside that of the whole fleet."""
    if request.kind == "welcome":
        return [f"repository:{WELCOMES}"]  # it asks no model, and GitHub only so often
    providers = {provider_lane(model) for model in request.models} or {DEFAULT_PROVIDER}
    return [f"repository:{request.repo.full_name.casefold()}", *sorted(providers)]


def provider_lane(model: str) -> str:
    """The lane of a model's provider; a name that tells none is the compatible endpoint's."""
    return f"{DEFAULT_PROVIDER}{find_provider(model) or 'openai'}"
