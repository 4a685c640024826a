/** Tests of one project of vitest, in a part of `npm run prove`. */
export type ProofTests = {
  readonly projects: readonly string[];
  /** Paths from the root, or parts of paths; none means the whole project. */
  readonly files?: readonly string[];
  /** Counts of random cases and the like; a variable of the caller comes before them. */
  readonly env?: Readonly<Record<string, string>>;
  /** More words for vitest. */
  readonly flags?: readonly string[];
};

/** One named part of `npm run prove`. */
export type Proof = {
  /** The minutes that it takes on two quiet cores. */
  readonly minutes: number;
  readonly needs?: readonly ('build' | 'chromium' | 'peers' | 'oldest peers')[];
  /** Tests that `npm test` leaves out. */
  readonly leftOut?: readonly ProofTests[];
  /** Tests that `npm test` plays with fewer cases. */
  readonly more?: readonly ProofTests[];
  /** A program that takes the flags of the caller. */
  readonly program?: readonly [string, ...string[]];
};

const node = ['node'];

function journeys(...names: readonly string[]): ProofTests {
  return { projects: ['journeys'], files: names.map((name) => `tests/journeys/${name}.test.ts`) };
}

/**
 * The parts of `npm run prove`: what takes too long for the ten minutes of `npm test`. CI runs those that fit into its
 * hour, each in its turn. A part of more than half an hour is for a person.
 */
export const proofs: Readonly<Record<string, Proof>> = {
  // The share of the code that unit tests run.
  coverage: {
    minutes: 15,
    needs: ['build', 'peers'],
    more: [
      {
        projects: ['node', 'dom', 'peers'],
        flags: ['--coverage', '--maxWorkers=3'],
        // What programs of their own run is not counted: those tests have their parts below.
        env: { WITHOUT_PROOFS: '1' },
      },
    ],
  },
  // The oldest versions of the peers that the manifests allow.
  oldest: {
    minutes: 15,
    needs: ['peers', 'oldest peers', 'chromium'],
    more: [
      {
        projects: ['node', 'dom', 'journeys', 'peers'],
        files: [
          'tests/peers/ai-6',
          'tests/peers/cut-runs',
          'tests/peers/killed-ag-ui-runs',
          'tests/peers/langgraph',
          'tests/peers/observe',
          'tests/peers/session',
          'tests/peers/to-ag-ui',
          'tests/peers/trace',
          'packages/react/src',
          'bridges/',
          'packages/inspect/src/foreign',
          'packages/messages/src',
          'packages/proxy/src/operator',
          'packages/proxy/src/sessions',
          'packages/proxy/src/node',
          'packages/server/src/dbos',
          'journeys/bridges',
          'journeys/mcp',
        ],
        env: { OLDEST_PEERS: '1', OLDER_PEERS: '1' },
      },
    ],
  },
  // Every example of the guide runs, and its types are checked; mistakes of beginners; tests that are exported from traces.
  guide: {
    minutes: 5,
    needs: ['peers'],
    leftOut: [
      {
        projects: node,
        files: ['tests/public-api/mistakes.test.ts', 'packages/inspect/src/trace/exported-tests.test.ts'],
      },
    ],
    more: [{ projects: node, files: ['tests/public-api/guide-examples.test.ts'] }],
  },
  // The bills of whole runs at the caches of providers.
  caches: {
    minutes: 2,
    leftOut: [
      {
        projects: node,
        files: [
          'packages/proxy/src/providers/cached-requests-law.test.ts',
          'packages/proxy/src/providers/prompt-caches.test.ts',
        ],
      },
    ],
  },
  // The laws of stores and streams over all drivers, with real servers of Redis and PostgreSQL.
  drivers: {
    minutes: 8,
    leftOut: [
      {
        projects: node,
        files: [
          'packages/proxy/src/sessions/session-stores.test.ts',
          'packages/proxy/src/sessions/session-quotas.test.ts',
          'packages/proxy/src/sessions/devices-law.test.ts',
          'packages/proxy/src/stream/several-proxies.test.ts',
          'packages/proxy/src/stream/leaving-readers.test.ts',
          'packages/proxy/src/stream/resuming-client.test.ts',
        ],
      },
    ],
    more: [{ projects: node, files: ['packages/proxy/src/stream/stream-log.test.ts'] }],
  },
  // Processes that are killed and stopped: proxies behind balancers, hosts of sessions, deployed programs.
  processes: {
    minutes: 12,
    leftOut: [
      {
        projects: node,
        files: [
          'tests/processes/balancers.test.ts',
          'tests/processes/several-processes.test.ts',
          'tests/hosts/agent-hosts.test.ts',
          'packages/proxy/src/sessions/killed-writers.test.ts',
          'packages/proxy/src/stream/hanging-stores.test.ts',
          'packages/proxy/src/stream/killed-process.test.ts',
          'packages/server/src/dbos/dbos-host.test.ts',
          'packages/server/src/dbos/killed-hosts.test.ts',
          'packages/server/src/equal-journals.test.ts',
          'packages/server/src/sqlite/killed-hosts.test.ts',
        ],
      },
    ],
  },
  // Servers of agents, the proxy and the demo as programs that are started, stopped and killed, and whose disk is full.
  servers: {
    minutes: 8,
    leftOut: [
      {
        projects: node,
        files: [
          'apps/demo/server/main.test.ts',
          'packages/proxy/src/node/cli.test.ts',
          'packages/proxy/src/node/serve-from-env.test.ts',
          'packages/server/src/agent-server.test.ts',
          'packages/server/src/call-quotas.test.ts',
          'packages/server/src/closed-pages.test.ts',
          'packages/server/src/full-disk.test.ts',
          'packages/server/src/manage-sessions.test.ts',
          'packages/server/src/move-session.test.ts',
          'packages/server/src/one-person.test.ts',
          'packages/server/src/run/follow.test.ts',
          'packages/server/src/sqlite/sqlite-host.test.ts',
          'tests/hosts/compose.test.ts',
          'tests/hosts/deployed-program.test.ts',
        ],
      },
    ],
  },
  // Buyers that share an account, floods of requests, the commands of the CLI as programs, the search for the commit of a
  // regression, cases in a server of Vite, and imports that the linter refuses.
  attacks: {
    minutes: 5,
    leftOut: [
      {
        projects: node,
        files: [
          'tests/attacks/buying.test.ts',
          'tests/attacks/flooding.test.ts',
          'tests/faults/cases-in-vite.test.ts',
          'packages/cli/src/bisect.test.ts',
          'packages/cli/src/record/record.test.ts',
          'packages/cli/src/record/rerun.test.ts',
          'packages/cli/src/vitrine.test.ts',
          'tests/lint/direction.test.ts',
        ],
      },
    ],
  },
  // Chats and components as a person uses them in Chromium: long and hostile answers, branches, views of plugins and of MCP
  // servers, phones, pages of the guide.
  chats: {
    minutes: 10,
    needs: ['chromium'],
    leftOut: [
      journeys(
        'agents',
        'artifacts',
        'attachments',
        'branches',
        'bridges',
        'chat-component',
        'code',
        'components',
        'files',
        'finished-answers',
        'finished-chat',
        'guide',
        'hostile-answers',
        'hostile-output',
        'hostile-page',
        'limits',
        'mcp',
        'plugins',
        'readme',
        'reading',
        'settings',
      ),
    ],
    more: [{ ...journeys('chat'), env: { STORES: 'all' } }],
  },
  // The panel in Chromium: every view, large records, secrets, the debugger, traces, the gallery of faults, other pages and
  // agents that ask.
  panels: {
    minutes: 8,
    needs: ['chromium'],
    leftOut: [
      journeys(
        'debugger',
        'gallery',
        'live-questions',
        'panel-bridges',
        'panel-frame',
        'panel-large',
        'panel-loading',
        'panel-secrets',
        'panel-streaming',
        'panel-views',
        'record',
        'remote-panel',
        'three-questions',
        'trace-viewer',
        'web-mcp',
      ),
    ],
  },
  // Sessions in several tabs, on several devices, on a server, two in one page, and the hosts of the demo, in Chromium.
  places: {
    minutes: 5,
    needs: ['chromium'],
    leftOut: [journeys('devices', 'own-hosts', 'server-runs', 'sessions', 'tabs', 'two-sessions')],
  },
  // Clients, servers, agents and older versions of other libraries, the oldest browsers, bundlers and programs that check packages:
  // what needs the packages of tests/peers.
  peers: {
    minutes: 11,
    needs: ['build', 'chromium', 'peers'],
    leftOut: [
      { projects: ['peers'] },
      {
        projects: ['journeys'],
        files: [
          'tests/peers/journeys/a2ui.test.ts',
          'tests/peers/journeys/oldest-browsers.test.ts',
          'tests/peers/journeys/panel-tanstack.test.ts',
        ],
      },
    ],
    more: [
      {
        projects: node,
        files: ['bridges/ai-sdk', 'bridges/ag-ui', 'bridges/mcp'],
        env: { OLDER_PEERS: '1' },
      },
    ],
    program: ['tsc', '-p', 'tests/peers'],
  },
  // Applications of each bundler, stores of real browsers, browsers that are killed at some points.
  matrix: { minutes: 6, needs: ['build', 'chromium', 'peers'], leftOut: [{ projects: ['matrix'] }] },
  // The templates and starting points of the guide, installed from packed packages as a stranger would.
  starts: {
    minutes: 8,
    needs: ['build', 'chromium'],
    leftOut: [
      {
        projects: ['starts'],
        files: ['tests/starts/created.test.ts', 'tests/starts/pages.test.ts', 'tests/starts/shadcn.test.ts'],
        env: { STARTS: 'all' },
      },
    ],
  },
  // The applications of other libraries below examples/, installed with the packed packages.
  examples: {
    minutes: 8,
    needs: ['build', 'chromium'],
    leftOut: [{ projects: ['starts'], files: ['tests/starts/examples.test.ts'], env: { EXAMPLES: 'all' } }],
  },
  // An application of Next with the packed packages.
  next: { minutes: 4, needs: ['build'], leftOut: [{ projects: ['next'] }] },
  // The proxy on Bun, Deno and workerd.
  runtimes: { minutes: 3, leftOut: [{ projects: ['runtimes'] }] },
  // The laws of the journal, of stores, sessions, branches, budgets and imports, with thousands of random cases.
  laws: {
    minutes: 120,
    more: [
      {
        projects: node,
        files: [
          'journal',
          'messages/src',
          'boundary',
          'session-commands',
          'branches-law',
          'compilers',
          'resumed-records',
          'removed-texts',
          'store-laws',
          'ledger-laws',
          'budget-laws',
          'grants-law',
          'one-person',
          'features/order',
          'features/define-plugin',
        ],
        env: { PROVE_RUNS: '3000' },
      },
      { projects: node, files: ['writer/faults'], env: { PROVE_RUNS: '100000' } },
      {
        projects: ['dom'],
        files: ['registry-law', 'stream-law', 'same-run', 'markdown/markdown'],
        env: { PROVE_RUNS: '500' },
      },
    ],
  },
  // The laws of features, plugins, documents, recorded programs, watched runs and runs on servers.
  features: {
    minutes: 8,
    more: [
      {
        projects: node,
        files: [
          'ag-ui/src/agui-agent',
          'ag-ui/src/remote/subagent-lanes',
          'langgraph/src/run-filter',
          'cli/src/add',
          'cli/src/record/random-programs',
          'cli/src/record/record.test',
          'cli/src/record/spans/random-spans',
          'cli/src/record/wire/answers',
          'features/open-plugin',
          'features/told-context',
          'graph/document/damaged-documents',
          'graph/document/equal-documents',
          'run/breakpoints',
          'run/effects',
          'run/hooks',
          'run/prices',
          'run/tool-elsewhere',
          'session/chosen-model',
          'tools/tool-question',
          'findings/diagnose',
          'findings/causes-in-layers',
          'findings/prefix-broken',
          'inspect/src/fork-effects',
          'link/rejoin-law',
          'link/replaced-runner',
          'persist/src/session/continue-run',
          'packages/plugins/src',
          'server/src/run/grant-limits',
          'server/src/run/read-document',
          'providers/text-calls',
          'effect-suite/test-effects',
        ],
        env: { PROVE_RUNS: '500' },
      },
    ],
  },
  // Hostile texts and JSON through every public function that takes them.
  hostile: {
    minutes: 60,
    more: [{ projects: node, files: ['tests/hostile'], env: { PROVE_SIZE: '40000' } }],
  },
  // Replays of random runs, sessions watched from another page, experiments, exported tests, bisections.
  traces: {
    minutes: 60,
    more: [
      {
        projects: node,
        files: [
          'inspect/src/replay',
          'inspect/src/remote',
          'inspect/src/with-past',
          'inspect/src/experiments',
          'cli/src/bisect',
        ],
        env: { PROVE_RUNS: '500' },
      },
      { projects: node, files: ['exported-tests'], env: { PROVE_RUNS: '50' } },
    ],
  },
  // The proxy: killed writers, lost requests, damaged streams, buyers and floods.
  proxy: {
    minutes: 120,
    more: [
      {
        projects: node,
        files: [
          'session-stores',
          'session-quotas',
          'json-reader',
          'killed-writers',
          'attacks/buying',
          'attacks/flooding',
          'several-proxies',
          'resuming-client',
          'disconnects',
          'upstream-faults',
          'damaged-streams',
          'fitted-requests',
          'cached-requests-law',
          'counted-bill',
          'stream/switching',
          'stream/foreign-signatures-law',
          'guard/estimate',
          'proxy-inference',
        ],
        env: { PROVE_RUNS: '1000', PROVE_STREAMS: '100000' },
      },
    ],
  },
  // A thousand processes of the proxy that are killed under streams, over each store.
  fleets: {
    minutes: 240,
    more: [{ projects: node, files: ['tests/processes'], env: { PROVE_KILLS: '1000' } }],
  },
  // Servers of agents that are killed at every point of a run.
  hosts: {
    minutes: 600,
    program: ['node', '--conditions=@vitrine/source', 'tests/hosts/prove.ts'],
  },
  // Chromium that is killed at every point of a run that writes.
  kills: {
    minutes: 240,
    needs: ['chromium'],
    more: [{ projects: ['matrix'], files: ['tests/kills'], env: { KILLS_PER_POINT: '20' } }],
  },
  // Schedules of simulated tabs, and real tabs with random commands and kills.
  tabs: {
    minutes: 60,
    needs: ['chromium'],
    more: [
      { projects: node, files: ['tabs-law', 'debugger-law'], env: { PROVE_RUNS: '3000' } },
      {
        projects: ['matrix'],
        files: ['tests/stores/busy-tabs'],
        env: { PROVE_RUNS: '10', TAB_COMMANDS: '200' },
      },
    ],
  },
  // Several devices on one session.
  devices: { minutes: 60, more: [{ projects: node, files: ['devices-law'], env: { PROVE_RUNS: '500' } }] },
};

/** The files that `npm test` leaves out. */
export const leftOut: readonly string[] = Object.values(proofs).flatMap(({ leftOut: tests = [] }) =>
  tests.flatMap(({ files = [] }) => files),
);

/** The parts that CI may run, in the order of a day: each begins with another one, so that all have their turn. */
export function partsOfDay(today: Date): readonly string[] {
  const names = Object.keys(proofs).filter((name) => (proofs[name]?.minutes ?? 0) <= 30);
  const day = Math.floor(today.getTime() / 86_400_000);
  return names.map((_, i) => names[(day + i) % names.length] ?? '');
}
