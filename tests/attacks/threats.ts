/**
 * A list of attacks, with the test of each defence. The tests of this folder are about the proxy, and about orders in
 * results of tools. Rendering, stores and the panel are tested beside their code, and in a real browser by
 * `tests/journeys/hostile-page.test.ts`. A feature that does not exist is listed with that reason.
 */
export const threats: readonly Threat[] = [
  { id: 'T1', attack: 'finds the key in answers and logs', tests: ['tests/attacks/secrets.test.ts'] },
  { id: 'T2', attack: 'makes a provider tell the key in an error', tests: ['tests/attacks/secrets.test.ts'] },
  { id: 'T3', attack: 'reads headers of the provider', tests: ['tests/attacks/secrets.test.ts'] },
  { id: 'T4', attack: 'sends headers of its own to the provider', tests: ['tests/attacks/requests.test.ts'] },
  {
    id: 'T5',
    attack: 'has the proxy or its provider call an address within',
    tests: [
      'tests/attacks/file-urls.test.ts',
      'tests/attacks/requests.test.ts',
      'tests/attacks/pollution.test.ts',
      'tests/attacks/secrets.test.ts',
    ],
  },
  { id: 'T6', attack: 'has a fetch tool call an address within', absent: 'no package has such a tool' },
  {
    id: 'T7',
    attack: 'uses the proxy as a gateway for nothing',
    tests: ['tests/attacks/owners.test.ts', 'tests/attacks/tokens.test.ts', 'tests/attacks/quotas.test.ts'],
  },
  {
    id: 'T8',
    attack: 'raises tokens, count or model',
    tests: ['tests/attacks/requests.test.ts', 'tests/attacks/owners.test.ts'],
  },
  {
    id: 'T9',
    attack: 'burns tokens with many, slow or deserted streams',
    tests: [
      'tests/attacks/quotas.test.ts',
      'tests/attacks/buying.test.ts',
      'packages/proxy/src/stream/leaving-readers.test.ts',
    ],
  },
  { id: 'T10', attack: 'is another for the limiter by a header', tests: ['tests/attacks/quotas.test.ts'] },
  {
    id: 'T11',
    attack: 'sends large, deep, slow or packed bodies',
    tests: ['tests/attacks/requests.test.ts'],
  },
  {
    id: 'T12',
    attack: 'posts from a page of another site',
    tests: ['tests/attacks/sites.test.ts', 'tests/journeys/cross-origin.test.ts'],
  },
  {
    id: 'T13',
    attack: 'has an origin that looks like an allowed one',
    tests: ['tests/attacks/sites.test.ts', 'tests/journeys/cross-origin.test.ts'],
  },
  { id: 'T14', attack: 'reads or ends another’s stream', tests: ['tests/attacks/owners.test.ts'] },
  {
    id: 'T15',
    attack: 'reads what addresses tell',
    tests: ['tests/attacks/secrets.test.ts', 'tests/attacks/owners.test.ts'],
  },
  {
    id: 'T16',
    attack: 'has an answer load an image',
    tests: ['tests/journeys/hostile-page.test.ts', 'tests/journeys/chat.test.ts'],
  },
  {
    id: 'T17',
    attack: 'has an answer load styles, fonts or frames',
    tests: ['tests/journeys/hostile-page.test.ts', 'tests/journeys/built-demo.test.ts'],
  },
  { id: 'T18', attack: 'writes a script into an answer', tests: ['tests/journeys/hostile-page.test.ts'] },
  {
    id: 'T19',
    attack: 'writes one that is there for a moment',
    tests: ['tests/journeys/hostile-page.test.ts'],
  },
  {
    id: 'T20',
    attack: 'writes a link that runs',
    tests: [
      'tests/journeys/hostile-page.test.ts',
      'packages/react/src/components/markdown/markdown.test.tsx',
    ],
  },
  {
    id: 'T21',
    attack: 'writes a link that lies',
    tests: ['packages/react/src/components/markdown/markdown.test.tsx'],
  },
  {
    id: 'T22',
    attack: 'names an element as the page names its own',
    tests: ['tests/journeys/hostile-page.test.ts'],
  },
  {
    id: 'T23',
    attack: 'hides text in an answer',
    tests: [
      'packages/react/src/components/kit/hidden-characters.test.ts',
      'tests/journeys/hostile-page.test.ts',
    ],
  },
  { id: 'T24', attack: 'orders a tool by its result', tests: ['tests/attacks/orders.test.ts'] },
  {
    id: 'T25',
    attack: 'has an approval used twice',
    tests: [
      'packages/persist/src/session/several-actors.test.ts',
      'packages/persist/src/session/session-commands.test.ts',
    ],
  },
  {
    id: 'T26',
    attack: 'forges a document',
    tests: ['packages/persist/src/manage/export-import.test.ts'],
  },
  {
    id: 'T27',
    attack: 'changes what objects inherit',
    tests: [
      'tests/attacks/pollution.test.ts',
      'packages/core/src/kit/to-json.test.ts',
      'packages/core/src/kit/json.test.ts',
    ],
  },
  {
    id: 'T28',
    attack: 'writes what takes long to read',
    tests: [
      'packages/react/src/components/markdown/markdown.test.tsx',
      'tests/journeys/hostile-answers.test.ts',
      'packages/core/src/kit/mask-secrets.test.ts',
    ],
  },
  {
    id: 'T29',
    attack: 'has a model say an event',
    tests: ['packages/proxy/src/create-inference-proxy.test.ts'],
  },
  {
    id: 'T30',
    attack: 'reads secrets in the log',
    tests: ['tests/attacks/secrets.test.ts', 'packages/core/src/kit/mask-secrets.test.ts'],
  },
  { id: 'T31', attack: 'opens the panel in production', tests: ['tests/journeys/built-demo.test.ts'] },
  { id: 'T32', attack: 'reads secrets in a trace', tests: ['packages/inspect/src/redact.test.ts'] },
  { id: 'T33', attack: 'commands the panel from a frame', absent: 'the panel has no bridge' },
  { id: 'T34', attack: 'writes for the panel', tests: ['tests/journeys/hostile-page.test.ts'] },
  {
    id: 'T35',
    attack: 'reads what the last person left',
    tests: ['packages/persist/src/manage/clear-sessions.test.ts'],
  },
  { id: 'T36', attack: 'writes into a store', tests: ['packages/persist/src/rows/stores.test.ts'] },
  { id: 'T37', attack: 'reads an answer in a cache', tests: ['tests/attacks/secrets.test.ts'] },
  {
    id: 'T38',
    attack: 'frames the button that approves',
    tests: ['tests/journeys/hostile-page.test.ts', 'tests/journeys/built-demo.test.ts'],
  },
  {
    id: 'T39',
    attack: 'passes a limit by many at once',
    tests: ['tests/attacks/quotas.test.ts', 'tests/attacks/buying.test.ts'],
  },
  { id: 'T40', attack: 'ends the process by an error', tests: ['tests/attacks/secrets.test.ts'] },
  {
    id: 'T41',
    attack: 'reads, forges or opens a stored file',
    tests: ['tests/attacks/stored-files.test.ts', 'packages/proxy/src/sessions/session-files.test.ts'],
  },
  {
    id: 'T42',
    attack: 'fills the memory with uploads, answers and readers',
    tests: ['tests/attacks/flooding.test.ts', 'packages/proxy/src/routes/uploads.test.ts'],
  },
];

/** Something that somebody tries. */
export type Threat = {
  readonly id: string;
  readonly attack: string;
} & ({ readonly tests: readonly string[] } | { readonly absent: string });
