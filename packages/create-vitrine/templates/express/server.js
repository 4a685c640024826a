import { createInferenceProxy } from '@vitrine/proxy';
import { requestListener } from '@vitrine/proxy/node';
import express from 'express';
import { existsSync } from 'node:fs';

if (existsSync('.env')) process.loadEnvFile();

const app = express();
// Before every body parser: the proxy reads the body itself.
app.use('/api', requestListener(createInferenceProxy()));

if (process.env.NODE_ENV === 'production') {
  app.use(express.static('dist'));
} else {
  const { createServer } = await import('vite');
  const vite = await createServer({ server: { middlewareMode: true } });
  app.use(vite.middlewares);
}

const port = process.env.PORT ?? 3000;
app.listen(port, () => console.log(`http://localhost:${port}`));
