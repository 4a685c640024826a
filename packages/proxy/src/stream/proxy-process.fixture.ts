import { scriptedInference } from '@vitrine/testing';
import { createClient } from 'redis';
import { serveInferenceProxy } from '../node/serve-inference-proxy.ts';
import { redisStreamLog } from './redis-stream-log.ts';
import { proxyOf } from './served.fixture.ts';

// A proxy in its own process, to be killed: `node proxy-process.fixture.ts <url of Redis>` prints its address.
const client = createClient({ url: process.argv[2] ?? '' });
client.on('error', () => undefined);
await client.connect();
const words = scriptedInference([{ text: 'x'.repeat(5000), chunks: 5000, delayMs: 2 }]);
const proxy = proxyOf(words, { streamLog: redisStreamLog({ client }), limits: { leaseMs: 600 } });
const { url } = await serveInferenceProxy(proxy, { port: 0 });
process.stdout.write(`${url}\n`);
