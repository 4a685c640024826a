import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defaultServerConditions, defineConfig } from 'vite';
import type {} from 'vitest/config';
import { withOldestPeers } from './scripts/oldest-peers.ts';
import { leftOut } from './scripts/proofs.ts';

// Development and tests read the packages' source; VITRINE_DIST=1 tests the builds instead.
const own = process.env['VITRINE_DIST'] === '1' ? [] : ['@vitrine/source'];
// As Node resolves: the condition `module` is for bundlers and may not load in Node.
const server = defaultServerConditions.filter((condition) => condition !== 'module');

// The Markdown parser decodes `&amp;` by innerHTML in browsers, which pages with Trusted Types forbid.
const characters = 'decode-named-character-reference';
const charactersByTable = fileURLToPath(new URL(`node_modules/${characters}/index.js`, import.meta.url));

const freshPage = fileURLToPath(new URL('tests/fresh-page.ts', import.meta.url));
const fixedSeeds = fileURLToPath(new URL('tests/fixed-seeds.ts', import.meta.url));
const patientWaits = fileURLToPath(new URL('tests/patient-waits.ts', import.meta.url));
const freshFile = fileURLToPath(new URL('tests/fresh-file.ts', import.meta.url));
// On a shared machine a browser or a server may stall for longer than a test waits; CI plays such a test once more. A test
// that is wrong fails twice, because its seeds are fixed.
const retry = process.env['CI'] === undefined ? 0 : 1;
const buildDemo = fileURLToPath(new URL('tests/journeys/build-demo.ts', import.meta.url));

// Uses the builds, not the sources.
const stranger = 'tests/public-api/stranger.test.ts';

// What watches a page, and components.
const browserTests = [
  'packages/inspect/src/foreign/**/*.test.{ts,tsx}',
  'bridges/*/src/{observe,react}/**/*.test.{ts,tsx}',
  'bridges/{assistant-ui,tanstack-ai}/src/**/*.test.{ts,tsx}',
];

// `npm test` leaves them to `npm run prove`; a run of vitest by hand has all.
const forProve = process.env['WITHOUT_PROOFS'] === undefined ? [] : leftOut;

export default defineConfig({
  ...(process.env['VITEST'] ? {} : { root: 'apps/demo' }),
  plugins: [react(), withOldestPeers()],
  build: {
    // Every supported browser knows module preload.
    modulePreload: { polyfill: false },
    // The start of the page is one file, because thirty small ones compress badly.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'page', tags: ['$initial'] }] } } },
  },
  resolve: { alias: { [characters]: charactersByTable }, conditions: [...own, ...defaultClientConditions] },
  // Only the pages of journeys import it, and a late dependency would reload a page.
  optimizeDeps: { include: ['zod'] },
  ssr: { resolve: { conditions: [...own, ...server] } },
  test: {
    // No test depends on its own duration: a busy machine takes longer.
    testTimeout: 60_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 15_000 } },
    coverage: {
      provider: 'v8',
      include: ['{packages,bridges}/*/src/**/*.{ts,tsx}'],
      exclude: ['**/*.test.*', '**/*.test-d.*', '**/fixtures*', '**/*.fixture.*'],
      reporter: ['text-summary', 'html'],
      // A little below the reached coverage, also without recorded streams of providers.
      thresholds: { statements: 83, branches: 74, functions: 80, lines: 85 },
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          environment: 'node',
          isolate: false,
          retry,
          setupFiles: [fixedSeeds, patientWaits, freshFile],
          include: [
            'packages/{core,persist,inspect,testing,messages,plugins,proxy,server,create-vitrine,cli}/src/**/*.test.ts',
            'bridges/*/src/**/*.test.ts',
            'apps/demo/{server,src}/**/*.test.ts',
            'tests/**/*.test.ts',
          ],
          exclude: [
            stranger,
            ...forProve,
            ...browserTests,
            'tests/{journeys,matrix,stores,kills,next-app,peers,pictures,runtimes,starts}/**',
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'dom',
          environment: 'jsdom',
          isolate: false,
          retry,
          setupFiles: [fixedSeeds, patientWaits, freshFile, freshPage],
          include: [
            'packages/{react,devtools}/src/**/*.test.{ts,tsx}',
            'packages/plugins/src/**/*.test.tsx',
            'apps/demo/src/**/*.test.tsx',
            'tests/public-api/*.test.tsx',
            ...browserTests,
          ],
          exclude: [...forProve],
        },
      },
      {
        extends: true,
        test: {
          // With the packages that tests/peers installs.
          name: 'peers',
          environment: 'node',
          retry,
          setupFiles: [fixedSeeds, patientWaits],
          include: ['tests/peers/*.test.ts'],
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
            include: ['{packages,bridges}/*/src/**/*.test-d.{ts,tsx}'],
          },
        },
      },
      {
        extends: true,
        test: { name: 'packages', environment: 'node', include: [stranger] },
      },
      {
        extends: true,
        test: {
          name: 'matrix',
          environment: 'node',
          include: ['tests/{matrix,stores,kills}/**/*.test.ts'],
          retry,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'next',
          environment: 'node',
          include: ['tests/next-app/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'starts',
          environment: 'node',
          include: ['tests/starts/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'runtimes',
          environment: 'node',
          include: ['tests/runtimes/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'pictures',
          environment: 'node',
          include: ['tests/pictures/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'journeys',
          environment: 'node',
          globalSetup: [buildDemo],
          include: ['tests/{journeys,peers/journeys}/**/*.test.ts'],
          exclude: [...forProve],
          retry,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
