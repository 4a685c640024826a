/** The plan of the house as data: who may import whom, and where what has one place only. The linter and tests/lint read it. */

/** What a package may import of the others; applications and tests may import all of them. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  core: [],
  react: ['@vitrine/core', '@vitrine/core/types'],
  devtools: ['@vitrine/core', '@vitrine/core/hear', '@vitrine/core/inspect', '@vitrine/core/types'],
  proxy: ['@vitrine/core', '@vitrine/core/ai-sdk', '@vitrine/core/inspect', '@vitrine/core/stores'],
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
    { 'model/ai-sdk': [], agent: [] },
    { run: ['run/step', 'run/tools'], 'run/step': ['run', 'run/tools'], 'run/tools': ['run'] },
    { 'session/stores': ['session'] },
    { 'session/branches': ['session'] },
    { 'session/conversation': ['session'], 'session/machine': ['session', 'session/machine/actions'] },
    {
      'session/machine/actions': ['session'],
      'session/publishing': ['session'],
      'session/saving': ['session'],
    },
    { 'session/tabs': ['session'] },
    { session: [] },
    { inspect: [] },
    { testing: [] },
    // Namespaces for applications; who works inside takes single functions, so that a bundler drops the rest.
    { faces: [] },
  ),
  devtools: {
    kit: ['.'],
    tabs: ['.', 'kit'],
    redux: ['.', 'kit'],
    shell: ['.', 'kit', 'tabs', 'redux'],
    viewer: ['shell'],
  },
  react: { '.': [], stored: ['.'], hooks: ['.', 'stored'], components: ['.', 'hooks', 'stored'] },
};

/** Exceptions of a room: it may not import these, though they stand below it. */
export const closed: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // Stores keep documents and events; who runs them is not their business.
  core: { 'session/stores': ['run/step', 'run/tools', 'agent', 'model', 'model/ai-sdk'] },
};

/** Where unknown data enters: only these files of core may use zod. */
export const zodPlaces: readonly RegExp[] = [
  /^(graph\/document|agent)\//,
  /^(graph|model|run|session)\/(.*\/)?([\w-]*-)?(shape|schema|protocol)s?\.ts$/,
];

/** The one file of core that gives a run its next state. */
export const stateDoor = 'run/commit.ts';

/** Measures of a house in which one finds things. */
export const limits = {
  linesOfFile: 250,
  linesOfFunction: 80,
  foldersOfPackage: 10,
  namedAfterExport: 0.9,
} as const;

/** Every floor may import all rooms of the floors before it, and what it names itself. */
function above(...floors: readonly Readonly<Record<string, readonly string[]>>[]): Record<string, string[]> {
  const below: string[] = [];
  const table: Record<string, string[]> = {};
  for (const floor of floors) {
    for (const [room, beside] of Object.entries(floor)) table[room] = [...below, ...beside];
    below.push(...Object.keys(floor));
  }
  return table;
}
