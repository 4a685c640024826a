/** The layer rules as data: allowed imports, and code that has one place only. The linter and tests/lint read them. */

/**
 * The packages that each package may import, by their public entries and by `internal`, which is for packages of this
 * repository. Applications and tests may import all of them.
 */
export const packages: Readonly<Record<string, readonly string[]>> = {
  core: [],
  persist: ['core'],
  messages: ['core', 'persist'],
  inspect: ['core', 'persist'],
  // Public names of core only, as an application would.
  plugins: ['core'],
  testing: ['core', 'persist', 'inspect'],
  // The detectors of faults for people are loaded when a run has ended.
  react: ['core', 'persist', 'messages', 'inspect'],
  devtools: ['core', 'inspect', 'web-mcp'],
  proxy: ['core', 'persist', 'ai-sdk', 'otel'],
  cli: ['core', 'inspect'],
  // It is mounted beside the proxy, with its guard and over its stores.
  server: ['core', 'persist', 'testing', 'ag-ui', 'ai-sdk', 'proxy'],
  // Bridges: one package a peer.
  'ag-ui': ['core', 'messages', 'inspect'],
  'ai-sdk': ['core', 'messages', 'inspect'],
  'assistant-ui': ['core', 'ai-sdk'],
  langgraph: ['core', 'messages', 'inspect', 'ag-ui'],
  mcp: ['core', 'react'],
  otel: ['core', 'inspect'],
  'tanstack-ai': ['core', 'inspect', 'ag-ui'],
  'web-mcp': ['core'],
};

/**
 * The rooms of a package (folders below its `src`) with the rooms that each may import. A file belongs to the innermost
 * room that holds it; `.` stands for the files directly in `src`. What is named here need not exist.
 */
export const rooms: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  core: above(
    { kit: [] },
    { graph: [] },
    { 'graph/document': [] },
    { model: [] },
    { agent: [] },
    // The kernel of the loop. It knows no feature; `features/features.ts` lists them.
    { run: ['run/step', 'run/tools'], 'run/step': ['run', 'run/tools'], 'run/tools': ['run'] },
    { features: [] },
    { 'agent-loop': [] },
    // The contract of stores, and what keeps a session without one.
    { 'session/store': ['session'] },
    { 'session/branches': ['session'] },
    { 'session/conversation': ['session'], 'session/machine': ['session', 'session/machine/actions'] },
    { 'session/machine/actions': ['session'], 'session/publishing': ['session'] },
    { 'session/running': ['session'] },
    { 'session/controller': ['session'] },
    { 'session/commands': ['session'] },
    { session: [] },
  ),
  persist: above(
    // The attachment of sessions is loaded with a store, what it attaches later.
    { '.': ['session'], rows: ['.'] },
    { drivers: ['.'] },
    { writer: [] },
    { session: ['link', 'manage'], link: ['session'], manage: [] },
  ),
  inspect: above(
    { findings: ['.', 'replay'], replay: ['.'], trace: ['.', 'replay'] },
    { '.': ['findings', 'replay', 'trace'] },
    { remote: [], foreign: [], questions: [], experiments: [] },
  ),
  devtools: {
    kit: ['.'],
    tabs: ['.', 'kit'],
    redux: ['.', 'kit'],
    shell: ['.', 'kit', 'tabs', 'redux'],
    viewer: ['tabs', 'shell'],
  },
  proxy: above(
    { kit: [] },
    // Logs and bodies of streams, for any model.
    { stream: [] },
    { providers: [] },
    { operator: [] },
    { guard: [] },
    { routes: ['.'] },
    { sessions: [] },
    // The proxy itself, built from its rooms, and the entries.
    { '.': [] },
    { node: [] },
  ),
  server: above(
    // The contract of a host, and what all hosts share.
    { host: [] },
    { sqlite: [], dbos: [] },
    // One session under a lease, and its followers.
    { run: [] },
    // The laws of hosts run sessions too.
    { routes: [], testing: [] },
    // The entries.
    { '.': [] },
  ),
  react: {
    '.': [],
    hooks: ['.'],
    components: ['.', 'hooks'],
    server: [],
  },
};

/** Exceptions of a room: it may not import these, though they stand below it. */
export const closed: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // The contract of stores knows no run.
  core: { 'session/store': ['run/step', 'run/tools'] },
};

/** Files of the core and of what keeps and inspects it that may use zod: schemas of applications and of models. */
export const zodPlaces: readonly RegExp[] = [
  /^core\/agent\//,
  /^plugins\//,
  /^inspect\/questions\/question-shapes\.ts$/,
];

/** Files, by package and path, that may call `apply` or `fold` (`run/apply.ts`), with the reason of each. */
export const applyCallers: Readonly<Record<string, string>> = {
  'core/index.ts': 'It exports both to applications.',
  'core/run/journal.ts': 'It commits events: the one place of change.',
  'core/run/answer-call.ts': 'It looks ahead at what an answer will change, and keeps nothing.',
  'core/session/store/live-record.ts': 'It folds stored events onto the stored state.',
  'persist/link/followed-view.ts': 'It folds stored events onto the state that it can go back to.',
  'testing/effect-suite/loop-laws.ts': 'It checks that the events of a run fold to its state.',
  'inspect/findings/diagnose.ts': 'It folds the events of a journal that it reads.',
  'inspect/journal-record.ts': 'It folds recorded events up to a moment.',
  'inspect/experiments/plan-experiment.ts': 'It folds the record that an experiment is about.',
  'inspect/fork-runs.ts': 'It folds a record up to the step at which forks begin.',
  'inspect/with-past.ts': 'It folds the events before a record.',
  'inspect/trace/trace.ts': 'It folds the events of an imported trace.',
  'inspect/trace/test-of-journal.ts': 'It folds a journal to its end, for the test that it writes.',
  'inspect/replay/compare.ts': 'It looks ahead at what a recorded event changes, and keeps nothing.',
  'inspect/replay/replay-journal.ts': 'It folds a record up to where a replay begins.',
  'inspect/replay/recorded-decisions.ts':
    'It folds the decisions that a recorded call found, and keeps nothing.',
  'inspect/remote/share-sessions.ts': 'It folds the events of another window.',
};

/** Files, by package and path, that may keep an `AgentState` in a variable which an inner function sets, with the reason of each. */
export const stateKeepers: Readonly<Record<string, string>> = {
  'core/run/journal.ts': 'The one place of change.',
  'core/session/publishing/snapshot.ts': 'It keeps a published snapshot.',
  'persist/writer/change-log.ts': 'It keeps the state that was written last.',
  'core/session/unstored.ts': 'It keeps the state before an event, to find erased messages.',
  'inspect/findings/diagnose.ts': 'It keeps the state up to which it has read a record.',
  'inspect/findings/diagnosis.ts': 'It keeps the state before the next event, for detectors.',
  'ag-ui/shared-run.ts': 'It keeps the state of the last event, for a reader that comes later.',
  'inspect/journal-log.ts': 'It keeps the state that the journal has told last.',
  'inspect/remote/share-sessions.ts': 'It keeps a copy of a state in another window.',
};

/** Limits of size and naming. */
export const limits = {
  linesOfFile: 400,
  linesOfFunction: 80,
  foldersOfPackage: 10,
  namedAfterExport: 0.9,
} as const;

/** Allows every layer to import all rooms of the layers before it, and the ones that it names itself. */
function above(...floors: readonly Readonly<Record<string, readonly string[]>>[]): Record<string, string[]> {
  const below: string[] = [];
  const table: Record<string, string[]> = {};
  for (const floor of floors) {
    for (const [room, beside] of Object.entries(floor)) table[room] = [...below, ...beside];
    below.push(...Object.keys(floor));
  }
  return table;
}
