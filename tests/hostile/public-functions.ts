import { packageFolders } from '../../scripts/packages.ts';
import { entriesOf } from '../public-api/source-module.ts';

/** Entries that hold types only, or the same functions for production. */
const withoutOwn = new Set(['@vitrine/core/types', '@vitrine/devtools/production']);

/** The functions by which packages of this repository read and write what comes from elsewhere; no application imports them. */
const outside: Readonly<Record<string, readonly string[]>> = {
  '@vitrine/core/internal/kit/ids': ['isSessionId'],
  '@vitrine/core/internal/kit/mask-secrets': ['maskSecrets'],
  '@vitrine/core/internal/kit/server-in-front': ['serverInFront'],
  '@vitrine/inspect/internal/events': ['bufferEvents'],
  '@vitrine/inspect/internal/redact': ['isSecretName', 'redactText'],
  '@vitrine/langgraph/internal/run-filter': ['runFilter'],
  '@vitrine/mcp/internal/views': ['isVisibleTo'],
  '@vitrine/otel/internal/conventions': ['answerAttributes', 'modelCallAttributes', 'modelSpanName'],
  '@vitrine/persist/internal/link/link-json': [
    'linkFromJSON',
    'linkToJSON',
    'positionFromText',
    'positionToText',
  ],
  '@vitrine/persist/internal/link/protocol': ['unseal', 'seal'],
  '@vitrine/persist/internal/manage/moving-session': ['takeMovingSession', 'writeMovingSession'],
  '@vitrine/persist/internal/manage/stored-past': ['readStoredPast', 'writeStoredPast'],
  '@vitrine/persist/internal/rows/head': ['storedHeadTag'],
  '@vitrine/persist/internal/rows/head-shape': ['storedHeadVersion'],
  '@vitrine/proxy/internal/guard': ['causeOf', 'entryRecorder', 'guardedCalls', 'guardedRoutes'],
};

/** The functions that applications may import, by entry and name; those of the main entry of core by their name alone. */
export async function publicFunctions(): Promise<readonly string[]> {
  const entries = packageFolders
    .map((folder) => folder.split('/')[1] ?? '')
    .flatMap((name) => Object.keys(entriesOf(name)).map((path) => `@vitrine/${name}${path.slice(1)}`));
  const core = new Set(await functionsOf('@vitrine/core'));
  // The entry of React hands on all of core, and what a chat needs of persist.
  const handedOn = new Set([...core, ...(await functionsOf('@vitrine/persist'))]);
  const found = [...core];
  for (const [module, names] of Object.entries(outside)) {
    const there = await functionsOf(module);
    found.push(...names.filter((name) => there.includes(name)).map((name) => `${module} ${name}`));
  }
  for (const entry of entries) {
    if (entry === '@vitrine/core' || withoutOwn.has(entry)) continue;
    for (const name of await functionsOf(entry))
      if (entry !== '@vitrine/react' || !handedOn.has(name)) found.push(`${entry} ${name}`);
  }
  return found;
}

async function functionsOf(entry: string): Promise<readonly string[]> {
  const module = (await import(/* @vite-ignore */ entry)) as Readonly<Record<string, unknown>>;
  return Object.entries(module).flatMap(([name, value]) => {
    if (typeof value === 'function') return [name];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([member, inner]) =>
      typeof inner === 'function' ? [`${name}.${member}`] : [],
    );
  });
}
