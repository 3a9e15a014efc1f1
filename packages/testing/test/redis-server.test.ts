import { once } from 'node:events';
import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { startRedis } from '../src/redis-server.ts';

async function command(port: number | undefined, line: string): Promise<string> {
  const socket = createConnection({ host: '127.0.0.1', port: port ?? 0 });
  socket.write(`${line}\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return answer.toString();
}

test('a Redis that was killed is started again, and one that was stopped is not', async () => {
  const { promise: ended, resolve: onEnd } = Promise.withResolvers<string>();
  const redis = await startRedis({ onEnd });
  const pid = Number(/process_id:(\d+)/.exec(await command(redis.port, 'INFO server'))?.[1]);
  process.kill(pid, 'SIGKILL');
  expect(await ended).toContain('ended (signal SIGKILL)');
  let answer: string | undefined;
  while (answer === undefined) {
    answer = await command(redis.port, 'PING').catch(() => undefined);
    await sleep(50);
  }
  expect(answer).toBe('+PONG\r\n');

  await redis.stop();
  await sleep(1_500);
  await expect(command(redis.port, 'PING')).rejects.toThrow('ECONNREFUSED');
});
