import react from '@vitejs/plugin-react';
import { modelsFromEnv } from '@vitrine/proxy';
import { tracedModels } from '@vitrine/proxy/otel';
import { vitrine } from '@vitrine/proxy/vite';
import { defineConfig } from 'vite';

const models = modelsFromEnv(process.env, { offline: true });

export default defineConfig({
  plugins: [react(), vitrine({ models: tracedModels(models, { conventions: 'genai-0.1' }) })],
  server: {
    proxy: { '/v1/traces': process.env.OTEL_EXPORTER_OTLP_ENDPOINT ?? 'http://localhost:4318' },
  },
});
