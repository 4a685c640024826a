import react from '@vitejs/plugin-react';
import { defaultClientConditions, defaultServerConditions, defineConfig } from 'vite';
import type {} from 'vitest/config';

// Development and tests read the packages' source; VITRINE_DIST=1 tests the builds instead.
const own = process.env['VITRINE_DIST'] === '1' ? [] : ['@vitrine/source'];

export default defineConfig({
  ...(process.env['VITEST'] ? {} : { root: 'apps/demo' }),
  plugins: [react()],
  resolve: { conditions: [...own, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [...own, ...defaultServerConditions] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          environment: 'node',
          include: [
            'packages/{core,proxy}/src/**/*.test.ts',
            'apps/demo/server/**/*.test.ts',
            'apps/demo/src/**/*.test.ts',
            'tests/{public-api,bundle,lint}/**/*.test.{ts,tsx}',
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'dom',
          environment: 'jsdom',
          include: ['packages/{react,devtools}/src/**/*.test.{ts,tsx}'],
        },
      },
      {
        extends: true,
        test: {
          name: 'types',
          environment: 'node',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ['packages/*/src/**/*.test-d.ts', 'packages/*/src/**/*.test-d.tsx'],
          },
        },
      },
      {
        extends: true,
        test: {
          name: 'matrix',
          environment: 'node',
          include: ['tests/matrix/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 15_000 } },
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'journeys',
          environment: 'node',
          include: ['tests/journeys/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
