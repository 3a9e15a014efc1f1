import type { Redis } from 'ioredis';
import { KEY_PREFIX } from './connection.ts';
import { depthKeys } from './depth.ts';
import { runScript, type Script } from './script.ts';

/** KEYS: list and sorted set of waiting jobs. ARGV: prefix of the keys of jobs, owner. Returns 1 if one has another owner. */
const ANOTHER_WAITS: Script = {
  name: 'scriptoriumAnotherWaits',
  lua: `
local ids = redis.call('LRANGE', KEYS[1], -50, -1)
for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, 49)) do ids[#ids + 1] = id end
for _, id in ipairs(ids) do
  local data = redis.call('HGET', ARGV[1] .. id, 'data')
  if data and (cjson.decode(data).owner or '') ~= ARGV[2] then return 1 end
end
return 0
`,
};

/** Whether one of the next jobs of the queue has another owner. */
export async function anotherWaits(redis: Redis, queue: string, owner = ''): Promise<boolean> {
  const { wait, prioritized } = depthKeys(queue);
  const values = [`${KEY_PREFIX}:${queue}:`, owner];
  return (await runScript(redis, ANOTHER_WAITS, [wait, prioritized], values)) === 1;
}
