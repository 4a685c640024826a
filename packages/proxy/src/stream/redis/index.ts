export type { RedisClient, RedisSubscriber } from './redis-client.ts';
export { redisStreamLog, type RedisStreamLogOptions } from './redis-stream-log.ts';
