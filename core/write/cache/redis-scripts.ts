/**
 * Atomic scripts that read and raise versions in Redis. The first key is a hash of versions. The
 * other keys are sorted sets, one for each table, with its writers and the time (ms) when their
 * marks expire.
 */

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * Arguments: an epoch for a hash without one, then the fields of the tables. Returns the epoch and
 * the version of each table, empty while the table is being written. A lost hash gets a new epoch,
 * so that its versions equal none from before.
 */
export const READ_SCRIPT = `${NOW}
local epoch = redis.call('HGET', KEYS[1], 'epoch')
if not epoch then
  epoch = ARGV[1]
  redis.call('HSET', KEYS[1], 'epoch', epoch)
end
local found = {epoch}
for i = 2, #KEYS do
  if redis.call('ZCOUNT', KEYS[i], string.format('%.0f', now), '+inf') > 0 then
    found[i] = ''
  else
    found[i] = redis.call('HGET', KEYS[1], ARGV[i]) or '0'
  end
end
return found`;

/** Arguments: the writer, the lifetime of its marks (ms), then the fields of the tables. */
export const MARK_SCRIPT = `${NOW}
for i = 2, #KEYS do
  redis.call('HINCRBY', KEYS[1], ARGV[i + 1], 1)
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', string.format('(%.0f', now))
  redis.call('ZADD', KEYS[i], string.format('%.0f', now + ARGV[2]), ARGV[1])
  redis.call('PEXPIRE', KEYS[i], ARGV[2])
end
return 1`;

/** Arguments: the writer, then the fields of the tables. */
export const SETTLE_SCRIPT = `
for i = 2, #KEYS do
  redis.call('HINCRBY', KEYS[1], ARGV[i], 1)
  redis.call('ZREM', KEYS[i], ARGV[1])
end
return 1`;
