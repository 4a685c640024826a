/** A goal for one kind of figure; a figure above `atMost` misses it. */
export type Goal = {
  readonly what: string;
  readonly unit: 'x' | 'ms' | 'us' | 'B' | 'MB' | '';
  readonly atMost: number;
};

/** All goals of the benches. Ratios compare figures of the same interleaved run. */
export const goals = {
  streamingWall: { what: 'streaming: wall time / floor-frame', unit: 'x', atMost: 1.1 },
  streamingGrowth: {
    what: 'streaming: wall time at 1,000 messages / at none, or the same / floor-frame, the lower',
    unit: 'x',
    atMost: 1.1,
  },
  streamingHistory: { what: 'streaming: renders of history', unit: '', atMost: 0 },
  streamingCommits: { what: 'streaming: commits a frame, in the worst ten frames', unit: 'x', atMost: 1 },
  answerWall: { what: 'long answer: wall time / floor-frame', unit: 'x', atMost: 1.2 },
  answerLongTasks: { what: 'long answer: tasks over 50 ms of CPU, layout aside', unit: '', atMost: 0 },
  markdownGrowth: {
    what: 'Markdown: CPU of a delta at 20,000 characters / at 1,000',
    unit: 'x',
    atMost: 1.5,
  },
  sessionsCommits: { what: '100 sessions: commits a frame, in the worst ten frames', unit: 'x', atMost: 1 },
  sessionsDropped: { what: '100 sessions: frames dropped by the page', unit: '', atMost: 0 },
  panelClosed: { what: 'panel closed: share of the main thread, 1,000 deltas/s', unit: 'x', atMost: 0.02 },
  panelOpen: { what: 'panel open: share of the main thread, 1,000 deltas/s', unit: 'x', atMost: 0.1 },
  panelCommits: { what: 'panel open: commits a second', unit: '', atMost: 10 },
  panelOpens: { what: 'panel opens on a large record', unit: 'ms', atMost: 250 },
  panelMinute: { what: 'panel open for a minute of 200 deltas/s: longest task, CPU', unit: 'ms', atMost: 50 },
  panelSelect: { what: 'panel, large record: a step is selected, p95 of CPU', unit: 'ms', atMost: 50 },
  panelScrub: { what: 'panel, large record: a frame while scrubbing, p95 of CPU', unit: 'ms', atMost: 32 },
  panelSearch: { what: 'panel, large record: longest task of a search, CPU', unit: 'ms', atMost: 50 },
  panelDiagnosis: {
    what: 'panel, large record: longest task of its diagnosis, CPU',
    unit: 'ms',
    atMost: 50,
  },
  panelOpening: { what: 'panel opens on a large record: longest task, CPU', unit: 'ms', atMost: 50 },
  panelElements: { what: 'panel, large record: elements', unit: '', atMost: 3000 },
  treeOpens: { what: 'tree of 100,000 rows opens, CPU', unit: 'ms', atMost: 100 },
  treeRows: { what: 'tree of 100,000 rows: row elements', unit: '', atMost: 100 },
  /** The limit of the recorder, and 10 MB. */
  panelHeap: {
    what: 'panel: heap that 5,000 steps leave beside those of the session',
    unit: 'MB',
    atMost: 42,
  },
  panelHeapClosed: { what: 'panel: heap that it leaves when it is closed again', unit: 'MB', atMost: 1 },
  recordedStep: { what: 'panel closed: CPU of a step / of a step of a mock loop', unit: 'x', atMost: 0.02 },
  diagnose: { what: 'findings: CPU of a step', unit: 'ms', atMost: 0.1 },
  breakpointSet: {
    what: 'a run with a breakpoint that never applies / without one, CPU of a step',
    unit: 'x',
    atMost: 1.1,
  },
  stepMean: { what: 'tool step: mean', unit: 'ms', atMost: 0.5 },
  stepGrowth: { what: 'tool step: last ten / first ten', unit: 'x', atMost: 1.2 },
  longSession: {
    what: 'tool step in a session with a store: last tenth / first tenth',
    unit: 'x',
    atMost: 1.2,
  },
  deltaAtRoot: { what: 'text delta through commit, CPU / in the first version', unit: 'x', atMost: 1.2 },
  deltaBelow: { what: 'text delta through commit of a subagent, CPU', unit: 'us', atMost: 1 },
  observedDelta: {
    what: 'text delta in the client of another library: CPU with its observer / without',
    unit: 'x',
    atMost: 1.05,
  },
  heapAfterRun: { what: 'heap after 5,000 steps', unit: 'MB', atMost: 15 },
  heapAfterReload: { what: 'heap after loading 5,000 steps', unit: 'MB', atMost: 15 },
  heapPerExecution: { what: 'heap per finished execution, messages aside', unit: 'B', atMost: 1024 },
  /** 5 ms on the machine that the goals were set on, where JSON.parse of the plain messages took 0.71 ms. */
  load: {
    what: 'load and validate 1,000 messages and 200 steps / JSON.parse of the messages',
    unit: 'x',
    atMost: 7,
  },
  saveOneMore: { what: 'one more message into a store', unit: 'ms', atMost: 0.5 },
  diffShared: { what: 'difference of two steps of one run', unit: 'ms', atMost: 20 },
  diffImported: { what: 'difference of two steps, one from a file', unit: 'ms', atMost: 60 },
  documentSize: { what: 'document / JSON of its messages', unit: 'x', atMost: 1.3 },
  bytesWritten: { what: 'bytes written per streamed character', unit: 'x', atMost: 2.2 },
  bytesOfSteps: { what: 'bytes written in slow steps / size of the session', unit: 'x', atMost: 2 },
  request: { what: 'CPU time of a 1 MB request to the proxy, JSON.parse aside', unit: 'ms', atMost: 15 },
  recordShort: { what: 'record: added to the first byte, p50', unit: 'ms', atMost: 2 },
  recordShort95: { what: 'record: added to the first byte, p95', unit: 'ms', atMost: 5 },
  recordLong: { what: 'record: added to the first byte, p50', unit: 'ms', atMost: 4 },
  recordLong95: { what: 'record: added to the first byte, p95', unit: 'ms', atMost: 10 },
  recordStep: { what: 'record: a step is in the page after its answer', unit: 'ms', atMost: 3_000 },
  recordJoins: { what: 'record: sessions that are not one conversation', unit: '', atMost: 0 },
  recordMemory: { what: 'record: peak of memory', unit: 'MB', atMost: 400 },
  /** Reasons and figures: `docs/decisions/provider-packages.md`. */
  proxyCpu: { what: 'proxy: CPU a chunk / the AI SDK', unit: 'x', atMost: 0.7 },
  proxyMemory: { what: 'proxy: memory / the AI SDK', unit: 'x', atMost: 0.9 },
  proxyDelay: { what: 'proxy: 99th percentile of delays / the AI SDK', unit: 'x', atMost: 1 },
  serverDeltaSqlite: {
    what: 'server with SQLite, followed: CPU of a delta / in memory',
    unit: 'x',
    atMost: 1.8,
  },
  serverDeltaDbos: { what: 'server with DBOS, followed: CPU of a delta / in memory', unit: 'x', atMost: 2.2 },
  serverLive: {
    what: 'server: from a word of the model to a device that follows, p99',
    unit: 'ms',
    atMost: 200,
  },
  devicesLive: {
    what: 'server: from a word of the model to its paint on three devices, p99',
    unit: 'ms',
    atMost: 200,
  },
  serverStepSqlite: { what: 'server with SQLite: a step, more than in memory', unit: 'ms', atMost: 5 },
  serverStepDbos: { what: 'server with DBOS: a step, more than in memory', unit: 'ms', atMost: 10 },
  billRead: {
    what: 'bill: input of all runs, paid as, at caches without a price of writes',
    unit: 'x',
    atMost: 0.36,
  },
  billWritten: {
    what: 'bill: input of all runs, paid as, at caches with a price of writes',
    unit: 'x',
    atMost: 0.41,
  },
  soakGrowth: { what: 'soak: heap of the last quarter / of the first', unit: 'x', atMost: 1.1 },
  soakLeft: { what: 'soak: answers of the upstream left open', unit: '', atMost: 0 },
  plainChat: { what: 'plain chat, all that it downloads, gzip', unit: 'B', atMost: 53_248 },
  storedChat: { what: 'chat with browserSessions, tabs and branches, gzip', unit: 'B', atMost: 69_632 },
  firstMessage: { what: 'before the first message can be typed, gzip', unit: 'B', atMost: 20_480 },
} as const satisfies Readonly<Record<string, Goal>>;

export type GoalName = keyof typeof goals;

/** One measured figure with its goal. */
export type Figure = {
  readonly goal: GoalName;
  /** The subject: an adapter or a size. */
  readonly of: string;
  readonly value: number;
};

/** True when the goal is met; a figure that could not be measured (NaN) never meets it. */
export function isMet({ goal, value }: Figure): boolean {
  return value <= goals[goal].atMost;
}
