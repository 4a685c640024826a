export type { RedisClient, RedisSubscriber } from './stream/redis-stream-log.ts';
export { redisStreamLog, type RedisStreamLogOptions } from './stream/redis-stream-log.ts';
