import { readFileSync } from 'node:fs';
import type { KnipConfig } from 'knip';

const peers = JSON.parse(readFileSync(new URL('tests/peers/package.json', import.meta.url), 'utf8')) as {
  readonly dependencies: object;
};

const config: KnipConfig = {
  ignoreBinaries: ['apt-get', 'mount', 'umount'],
  // An unused export in the same file is a matter of taste; one that nobody uses is dead.
  ignoreExportsUsedInFile: true,
  ignoreIssues: {
    'packages/*/src/**/schema.ts': ['types'],
    // Passed on as a module to the code that picks a sentence.
    'packages/react/src/warnings.ts': ['exports'],
    // Read from the module, which is loaded late.
    'apps/demo/src/server/server-sessions.ts': ['exports'],
  },
  workspaces: {
    '.': {
      entry: [
        'scripts/{test,check-sizes,check-subjects,name-repository,ensure-chromium,ensure-peers,take-screenshots}.ts',
        // Started in its own process, or by hand.
        'scripts/house/walks.ts',
        'scripts/mutate/tester.ts',
        'tests/**/*.test.{ts,tsx}',
        'benches/{*,deltas/measure,debugger/measure,heap/measure,observers/measure,observers/serve}.ts',
        'benches/page/main.tsx',
        'benches/start/page/{plain,stored}.tsx',
        'benches/{hosts/run-process,proxy/paced-upstream,proxy/server-process,recording/provider,soak/faulty-upstream}.ts',
        // Built and opened by the tests beside them.
        'tests/next-app/next.config.js',
        'tests/matrix/app/{client,server}.tsx',
        'tests/matrix/app/hot/client.tsx',
        'tests/runtimes/{serve-bun,serve-deno,worker}.ts',
        'tests/stores/app/client.ts',
        'tests/processes/proxy-process.ts',
        'tests/hosts/{agent-process,prove,serve-three}.ts',
        'tests/journeys/chat-page/client.ts',
        // Run by hand after a change of the stored format.
        'tests/stored-format/write-fixtures.ts',
        'tests/journeys/page/{clerk-process.ts,draw-prefixes.tsx,findings.ts,show-components.tsx,show-device.tsx,show-hostile-output.tsx,show-line.tsx,show-server.tsx,show-two-sessions.tsx}',
        'tests/journeys/{artifact,bridge,cause,debugger}-page/client.ts',
        // Built as the view of an MCP server.
        'tests/journeys/mcp-page/seats-view.ts',
        'tests/journeys/{artifact-page/show-artifacts,cause-page/show-forgetful,debugger-page/show-debugged}.tsx',
        // Loaded by examples of the guide.
        'tests/public-api/example-{model,page}.ts',
        // Counted by the test beside them.
        'tests/twelve-tasks/*/*.{ts,tsx}',
        // Started, built and loaded by the benches and by the journeys beside it.
        'tests/peers/{a2ui-page/client,measure-observers,streamdown,panel-page/client}.ts',
        // Copied into the folder of the consumer test.
        'tests/public-api/consumer.tsx',
      ],
      project: ['{scripts,tests,benches}/**/*.{ts,tsx,js}', '*.config.ts'],
      ignoreDependencies: [
        // A peer dependency of packages/react, also for the consumer test in this version.
        'zustand',
        // The version of an optional peer of packages/server.
        '@dbos-inc/dbos-sdk',
        // Installed by `npm run prove`.
        ...Object.keys(peers.dependencies),
      ],
    },
    'apps/demo': { project: ['{server,src}/**/*.{ts,tsx}'] },
    'packages/proxy': {
      entry: [
        'src/**/*.{test,test-d}.{ts,tsx}',
        'src/{stream/proxy-process,sessions/session-writer,sessions/faulty-sqlite-worker}.fixture.ts',
        // The command.
        'src/node/cli.ts',
        // Started as a thread.
        'src/sessions/sqlite/sqlite-worker.ts',
      ],
      project: ['src/**/*.{ts,tsx}'],
      // The drivers take a client of the application; the others are optional peers of their entries.
      ignoreDependencies: ['@opentelemetry/api', 'jose', 'pg', 'pino', 'prom-client', 'redis', 'vite'],
    },
    'packages/react': {
      entry: ['src/**/*.{test,test-d}.{ts,tsx}'],
      project: ['src/**/*.{ts,tsx}'],
    },
    'packages/server': {
      // Processes to be killed are started by their path.
      entry: ['src/**/*.{test,test-d}.{ts,tsx}', 'src/**/*-process.fixture.ts'],
      project: ['src/**/*.{ts,tsx}'],
      // Optional peers of the entry for many processes.
      ignoreDependencies: ['@dbos-inc/dbos-sdk', 'pg'],
    },
    'packages/devtools': {
      // Loaded by trace-viewer.html.
      entry: ['src/viewer/view-traces.ts', 'src/**/*.{test,test-d}.{ts,tsx}'],
      project: ['src/**/*.{ts,tsx}'],
    },
    // Optional peers of their entries, and of the packages that use a part of them.
    'bridges/mcp': {
      entry: ['src/**/*.{test,test-d}.{ts,tsx}'],
      project: ['src/**/*.{ts,tsx}'],
      ignoreDependencies: ['@modelcontextprotocol/ext-apps', 'react'],
    },
    'bridges/otel': {
      project: ['src/**/*.ts'],
      ignoreDependencies: ['@opentelemetry/api'],
    },
    'bridges/web-mcp': { project: ['src/**/*.ts'], ignoreDependencies: ['react'] },
    'bridges/tanstack-ai': { project: ['src/**/*.ts'] },
    'bridges/*': {
      entry: ['src/**/*.{test,test-d}.{ts,tsx}'],
      project: ['src/**/*.{ts,tsx}'],
    },
    'packages/*': {
      entry: ['src/**/*.{test,test-d}.{ts,tsx}'],
      project: ['src/**/*.{ts,tsx}'],
    },
  },
};

export default config;
