-- What copies of pgsieve have counted of users, brought together. Valkey, and Redis from 6 on.
--
-- For each user three keys: the hash of this day, that of the day before, which is only read, and
-- that of what copies have of the user now: connections, statements, and when that was told.
-- Fields of a day: rows and bytes of the day; after how many microseconds the buckets of a second and of a
-- day are full again, as of the moment `at`; and what each copy has told so far, by its name.
-- What a copy tells is "so many in all", so that telling it twice changes nothing.
--
-- ARGV: the copy, how many seconds the hash of a day is kept, and how many milliseconds hold what a
-- copy has now; then of each user its number in the copy, rows, bytes, and of each bucket: taken in
-- all, confirmed before, the most that counts of what is new, and after how long it is full at the
-- earliest; connections and statements.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function told(text)
  local rows, bytes, seconds, days =
    string.match(text or '', '^(%d+) (%d+) (%d+) (%d+)$')
  if not rows then return nil end
  return { tonumber(rows), tonumber(bytes), tonumber(seconds), tonumber(days) }
end

local function whole(number) return string.format('%.0f', number) end

local answers = {}
local at = 4
for place = 1, #KEYS, 3 do
  local today, before, present = KEYS[place], KEYS[place + 1], KEYS[place + 2]
  local name = ARGV[1] .. '.' .. ARGV[at]
  local own = {}
  for number = 1, 12 do own[number] = tonumber(ARGV[at + number]) end
  at = at + 13

  local kept = redis.call('HMGET', today, 'rows', 'bytes', 'seconds', 'days', 'at', name)
  local last = told(kept[6])
  local old = nil
  if not kept[5] or not last then
    old = redis.call('HMGET', before, 'seconds', 'days', 'at', name)
  end
  local counted = last or { 0, 0 }
  local taken = last or told(old[4]) or { 0, 0, own[4], own[8] }
  local buckets = kept[5] and { kept[3], kept[4], kept[5] } or old

  local rows = math.max(0, (tonumber(kept[1]) or 0) + own[1] - counted[1])
  local bytes = math.max(0, (tonumber(kept[2]) or 0) + own[2] - counted[2])
  -- A clock that was set back lets nothing run out.
  local gone = math.max(0, now - (tonumber(buckets[3]) or now))
  local function bucket(stored, own_at, taken_before)
    local left = math.max(0, (tonumber(stored) or 0) - gone)
    local new = math.min(own[own_at] - taken_before, own[own_at + 2])
    return math.max(0, left + new, own[own_at + 3]), left
  end
  local seconds, seconds_left = bucket(buckets[1], 3, taken[3])
  local days, days_left = bucket(buckets[2], 7, taken[4])

  local text = whole(own[1]) .. ' ' .. whole(own[2]) .. ' ' .. whole(own[3]) .. ' ' .. whole(own[7])
  local is_told = text == (kept[6] or '0 0 0 0')
  if not is_told or seconds ~= seconds_left or days ~= days_left then
    redis.call('HSET', today, 'rows', whole(rows), 'bytes', whole(bytes),
      'seconds', whole(seconds), 'days', whole(days), 'at', whole(now), name, text)
    redis.call('EXPIRE', today, ARGV[2])
  end

  if own[11] > 0 then
    redis.call('HSET', present, ARGV[1],
      whole(own[11]) .. ' ' .. whole(own[12]) .. ' ' .. whole(now))
    redis.call('PEXPIRE', present, ARGV[3])
  else
    redis.call('HDEL', present, ARGV[1])
  end
  local connections, running = 0, 0
  local copies = redis.call('HGETALL', present)
  for number = 1, #copies, 2 do
    local open, busy, since = string.match(copies[number + 1], '^(%d+) (%d+) (%d+)$')
    if not since or now - since > ARGV[3] * 1000 then
      redis.call('HDEL', present, copies[number])
    elseif copies[number] ~= ARGV[1] then
      connections, running = connections + open, running + busy
    end
  end

  for _, answer in ipairs({ rows, bytes, seconds, days, connections, running }) do
    answers[#answers + 1] = answer
  end
end
return answers
