import react from '@vitejs/plugin-react';
import { vitrine } from '@vitrine/proxy/vite';
import { defineConfig } from 'vite';

export default defineConfig({ plugins: [react(), vitrine()] });
