import { createClient } from 'redis';
import { expect, it, vi } from 'vitest';
import { startRedis } from '../../../../tests/servers/start-redis.ts';
import { redisStreamLog } from './redis-stream-log.ts';

it('a log closes at once, also while Redis is away and its connection for hints retries', async ({
  skip,
}) => {
  const server = await startRedis();
  if (server === null) return skip('Redis cannot be had here');
  const client = createClient({ url: server.url });
  client.on('error', () => undefined);
  await client.connect();
  await server.stop();
  const log = redisStreamLog({ client });
  log.watch('a', () => undefined);
  const onClosed = vi.fn<() => void>();
  void log.close().then(onClosed);
  await vi.waitFor(() => expect(onClosed).toHaveBeenCalled());
  await log.close();
  client.destroy();
}, 60_000);
