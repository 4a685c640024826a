import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import react from '@vitejs/plugin-react';
import { vitrine } from '@vitrine/proxy/vite';
import { defineConfig } from 'vite';
import { weatherServer } from './mcp-server';

const mcp = toNodeHandler(createMcpHandler(weatherServer));

export default defineConfig({
  plugins: [
    react(),
    vitrine(),
    {
      name: 'mcp',
      configureServer(vite) {
        vite.middlewares.use('/mcp', (request, response) => void mcp(request, response));
      },
    },
  ],
});
