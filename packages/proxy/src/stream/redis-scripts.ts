/**
 * Every change of a stream as one script, so that it is atomic and uses Redis's own time, whatever the clocks of the
 * proxies say. KEYS: the head (a hash), the entries (a Redis Stream whose ids are `0-<number of the entry, from 1
 * on>`), the readers (a sorted set by the end of their leases). An ended stream is kept for as long as it is read.
 */
const now = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function keep(ms) for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ms) end end
local function keepRead()
  local ms = tonumber(redis.call('HGET', KEYS[1], 'until')) - now
  local last = redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')
  if last[2] then ms = math.max(ms, tonumber(last[2]) - now) end
  keep(ms)
end
local function head()
  local h = redis.call('HMGET', KEYS[1], 'owner', 'ended', 'lease', 'digest')
  if not h[1] then return nil end
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
  local abandoned = h[2] == '0' and tonumber(h[3]) <= now
  return { h[1], tonumber(h[2]), abandoned and 1 or 0, redis.call('ZCARD', KEYS[3]), h[4] or '' }
end
`;

/** ARGV: owner, lease, retention without a sign, digest or ''. @returns 1 when the stream was created. */
export const create = `${now}
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'ended', 0, 'lease', now + ARGV[2], 'next', 0, 'bytes', 0, 'digest', ARGV[4])
keep(ARGV[3])
return 1`;

/**
 * ARGV: ends, only if abandoned, retention, the channel, then the entries. @returns the bytes of the stream, -1 when
 * refused.
 */
export const append = `${now}
local h = head()
if not h or h[2] == 1 or (ARGV[2] == '1' and h[3] == 0) then return -1 end
local at = tonumber(redis.call('HGET', KEYS[1], 'next'))
local bytes = 0
for i = 5, #ARGV do
  at = at + 1
  bytes = bytes + #ARGV[i]
  redis.call('XADD', KEYS[2], '0-' .. at, 'd', ARGV[i])
end
redis.call('HSET', KEYS[1], 'next', at)
local total = redis.call('HINCRBY', KEYS[1], 'bytes', bytes)
if ARGV[1] == '1' then
  redis.call('HSET', KEYS[1], 'ended', 1, 'until', now + ARGV[3])
  keepRead()
else keep(ARGV[3]) end
redis.call('PUBLISH', ARGV[4], 'entries')
if ARGV[1] == '1' then redis.call('PUBLISH', ARGV[4], 'state') end
return total`;

/** ARGV: index of the last known entry, bytes of a page. @returns nil, or { next, ended, abandoned, entries }. */
export const read = `${now}
local h = head()
if not h then return nil end
local next = tonumber(redis.call('HGET', KEYS[1], 'next'))
local at, bytes, entries = tonumber(ARGV[1]) + 1, 0, {}
while at < next and bytes < tonumber(ARGV[2]) do
  local part = redis.call('XRANGE', KEYS[2], '0-' .. (at + 1), '+', 'COUNT', 32)
  if #part == 0 then break end
  for i = 1, #part do
    local data = part[i][2][2]
    entries[#entries + 1] = data
    bytes = bytes + #data
    at = at + 1
    if bytes >= tonumber(ARGV[2]) then break end
  end
end
return { next, h[2], h[3], entries }`;

/** @returns nil, or { owner, ended, abandoned, readers, digest or '' }. */
export const head = `${now}
return head()`;

/** ARGV: lease, retention. @returns as `head`. */
export const renew = `${now}
local h = head()
if h and h[2] == 0 then
  redis.call('HSET', KEYS[1], 'lease', now + ARGV[1])
  keep(ARGV[2])
  h[3] = 0
end
return h`;

/** ARGV: reader, lease, the channel. */
export const attend = `${now}
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local changed
if ARGV[2] == '0' then changed = redis.call('ZREM', KEYS[3], ARGV[1])
else changed = redis.call('ZADD', KEYS[3], now + ARGV[2], ARGV[1]) end
if redis.call('HGET', KEYS[1], 'ended') == '1' then keepRead()
else redis.call('PEXPIRE', KEYS[3], redis.call('PTTL', KEYS[1])) end
if changed == 1 then redis.call('PUBLISH', ARGV[3], 'state') end
return 1`;

/** KEYS of `finish` and `drop`: the finished streams by the time of their end, and their sizes (a hash). */
const dropOne = `
local function drop(id)
  if redis.call('ZREM', KEYS[1], id) == 0 then return false end
  redis.call('HINCRBY', KEYS[2], '', -tonumber(redis.call('HGET', KEYS[2], id) or '0'))
  redis.call('HDEL', KEYS[2], id)
  return true
end
local function isFull(most) return tonumber(redis.call('HGET', KEYS[2], '') or '0') > tonumber(most) end
`;

/** ARGV: id, bytes, the most that may be kept, retention. @returns the oldest streams, but this one, above the limit */
export const finish = `${dropOne}
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[4])) do drop(id) end
-- An id may have been used before, and this may be asked again for more room.
drop(ARGV[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[2], '', ARGV[2])
if isFull(ARGV[3]) then return redis.call('ZRANGE', KEYS[1], 0, 99) end
return {}`;

/** ARGV: the most that may be kept, then the candidates in order. @returns those that must go. */
export const drop = `${dropOne}
local gone = {}
for i = 2, #ARGV do
  if not isFull(ARGV[1]) then break end
  if drop(ARGV[i]) then gone[#gone + 1] = ARGV[i] end
end
return gone`;
