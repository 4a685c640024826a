import { serveFromEnv } from '@vitrine/proxy/node';
import { existsSync } from 'node:fs';

if (existsSync('.env')) process.loadEnvFile();

// Lead /api of your pages to it. PORT is 8787 unless you set it.
const { url, close } = await serveFromEnv(process.env);
console.log(`The proxy answers at ${url}`);
process.once('SIGTERM', () => void close());
