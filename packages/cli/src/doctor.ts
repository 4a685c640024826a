import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installedFrom, manifestIn, type Project, readProject } from './project/project.ts';
import { exitCodes } from './usage-error.ts';

/** The days after which a list of prices counts as old. */
const [maxAgeDays, dayMs] = [60, 86_400_000];

/** An outcome of a check with its remedy: a `note` is worth knowing, and something `wrong` ends with an exit code. */
type Outcome = readonly [state: 'fine' | 'note' | 'wrong', says: string, todo?: string];

export type DoctorOptions = {
  readonly now: number;
  readonly print: (line: string) => void;
  /** Prints one JSON document in place of sentences. */
  readonly json?: boolean | undefined;
  /** The address of the running application. Default: that of its development server on this machine. */
  readonly url?: string | undefined;
  readonly env?: Project['env'];
};

type Check = (project: Project, options: DoctorOptions) => readonly Outcome[] | Promise<readonly Outcome[]>;
const checks: Readonly<Record<string, Check>> = {
  versions: checkVersions,
  copies: checkCopies,
  prices: checkPrices,
  proxy: checkProxy,
  key: checkKey,
  models: checkModels,
  reach: checkReach,
  csp: checkPolicy,
  storage: checkStorage,
};

/** Checks the application of a folder and says what to do. Returns the exit code, that of a difference when something is wrong. */
export async function doctor(folder: string, options: DoctorOptions): Promise<number> {
  const project = readProject(folder, options.env);
  const outcomes = [];
  for (const [check, look] of Object.entries(checks))
    for (const [state, says, todo = null] of await look(project, options))
      outcomes.push({ check, state, says, todo });
  if (options.json === true) options.print(JSON.stringify({ folder, outcomes }, null, 2));
  else
    for (const { state, says, todo } of outcomes)
      options.print(`${state.padEnd(5)} ${says}${todo === null ? '' : ` ${todo}`}`);
  return outcomes.some(({ state }) => state === 'wrong') ? exitCodes.different : exitCodes.fine;
}

/** The packages of this library that an application has, with their versions. */
function readInstalled({ folder }: Project): ReadonlyMap<string, string> {
  const scope = join(folder, 'node_modules/@vitrine');
  const names = existsSync(scope) ? readdirSync(scope) : [];
  return new Map(
    names.flatMap((name) => {
      const { version = '?', private: isPrivate } = manifestIn(join(scope, name)) ?? {};
      return isPrivate === true ? [] : [[`@vitrine/${name}`, version] as const];
    }),
  );
}

function checkVersions(project: Project): readonly Outcome[] {
  const found = readInstalled(project);
  const all = [...new Set(found.values())];
  const none = `No package of Vitrine is installed in ${project.folder}.`;
  if (found.size === 0) return [['note', none, 'Run npm install, or npx @vitrine/cli add chat.']];
  if (all.length === 1) return [['fine', `All ${found.size} packages have the version ${all[0]}.`]];
  const listed = [...found].map((entry) => entry.join(' ')).join(', ');
  return [['wrong', `The packages have different versions: ${listed}.`, 'Install all in one version.']];
}

/** Packages that keep state in a module: a second copy has a state of its own. */
const single = ['@vitrine/core', '@vitrine/react', 'react', 'zustand'];

function checkCopies(project: Project): readonly Outcome[] {
  const users = [...readInstalled(project).keys()].flatMap(
    (name) => installedFrom(project.folder, name) ?? [],
  );
  const doubled = single.flatMap((name): Outcome[] => {
    const places = [project.folder, ...users].flatMap((from) => installedFrom(from, name) ?? []);
    const different = [...new Set(places)];
    const says = `${name} is installed ${different.length} times: ${different.join(', ')}.`;
    return different.length > 1 ? [['wrong', says, 'Run npm dedupe, or ask for one version of it.']] : [];
  });
  return doubled.length > 0 ? doubled : [['fine', `No second copy of ${single.join(', ')} is installed.`]];
}

async function checkPrices({ folder }: Project, { now }: DoctorOptions): Promise<readonly Outcome[]> {
  type Prices = { readonly modelPrices: { readonly day: string } };
  const list = await moduleOf<Prices>(folder, '@vitrine/proxy/prices');
  if (list === null)
    return [['note', `@vitrine/proxy is not installed in ${folder}, so there are no prices to check.`]];
  const { day } = list.modelPrices;
  const days = Math.floor((now - Date.parse(day)) / dayMs);
  const age = `The list prices of @vitrine/proxy are of ${day}, ${days} days ago.`;
  if (days <= maxAgeDays) return [['fine', age]];
  return [['wrong', age, 'Update @vitrine/proxy, or give your own prices in VITRINE_PRICES.']];
}

/** A module that an application has; null for none. */
async function moduleOf<Module>(folder: string, entry: string): Promise<Module | null> {
  try {
    const path = createRequire(join(folder, 'package.json')).resolve(entry);
    return (await import(pathToFileURL(path).href)) as Module;
  } catch {
    return null;
  }
}

const mounts =
  /@vitrine\/proxy\/vite|createInferenceProxy|serveFromEnv|createAgentServer|['"]\/api\b[^'"\n]{0,40}['"]\s?:/;
const elsewhere = /\binference\b|@vitrine\/(?:ag-ui|langgraph)['"]|serverSession/;

/** The place where pages ask for answers. */
function checkProxy({ kind, sources }: Project): readonly Outcome[] {
  const has = (pattern: RegExp) => [...sources].find(([, text]) => pattern.test(text))?.[0];
  const page = has(/from ['"]@vitrine\/react/);
  const place = has(mounts);
  if (page === undefined) return [];
  if (place !== undefined) return [['fine', `${place} leads pages to a proxy.`]];
  const other = has(elsewhere);
  if (other !== undefined) return [['note', `No file mounts a proxy; ${other} says where agents ask.`]];
  const todo = {
    vite: 'Add vitrine() of @vitrine/proxy/vite to the plugins of vite.config.ts.',
    next: 'Run npx @vitrine/cli add server, which writes its route.',
    other: 'Run npx @vitrine/cli add server, and lead /api of your pages to it.',
  };
  return [['wrong', `${page} shows agents, and no file mounts the proxy that answers at /api.`, todo[kind]]];
}

type Served = { readonly id: string; readonly list?: unknown };
type Proxy = { readonly modelsFromEnv: (env: object) => readonly Served[] };

/** The models that the installed proxy makes of the environment, as in production; a sentence when it refuses. */
async function readServed({ folder, env }: Project): Promise<readonly Served[] | string> {
  try {
    const proxy = await moduleOf<Proxy>(folder, '@vitrine/proxy');
    return proxy?.modelsFromEnv({ ...env, NODE_ENV: 'production' }) ?? [];
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Names of variables that a bundler puts into pages, and that hold what nobody should read. */
const publicKey = /^(?:VITE|NEXT_PUBLIC)_.{0,60}(?:KEY|SECRET|TOKEN)/;

async function checkKey(project: Project): Promise<readonly Outcome[]> {
  const open = Object.keys(project.env).filter((name) => publicKey.test(name));
  const shown = open.map((name): Outcome => [
    'wrong',
    `Every page shows ${name}.`,
    'Rename it, and give the page the proxy.',
  ]);
  const models = await readServed(project);
  if (typeof models !== 'string') {
    const ids = models.slice(0, 5).map(({ id }) => id);
    return ids.length === 0 ? shown : [...shown, ['fine', `The proxy serves ${ids.join(', ')}.`]];
  }
  const [missing = '', rest] = models.split(' NODE_ENV is production');
  if (rest === undefined) return [...shown, ['wrong', models, 'Correct the variable in .env.']];
  return [...shown, ['note', `${missing} In development the demo model answers.`, 'Put a key into .env.']];
}

const named = /\bmodel: ['"]([a-z][\w-]{1,40}:[\w./:-]{1,100})['"]/g;

/** The models that sources name, beside those that the proxy serves. */
async function checkModels(project: Project): Promise<readonly Outcome[]> {
  const models = await readServed(project);
  // A server with a list of its own may have any model.
  if (typeof models === 'string' || models.some(({ list }) => list !== undefined)) return [];
  const ids = models.map(({ id }) => id);
  const used = [...project.sources].flatMap(([path, text]) =>
    [...text.matchAll(named)].map(([, id = '']) => ({ path, id })),
  );
  const unknown = used.filter(({ id }) => ids.length > 0 && !ids.includes(id));
  return unknown.map(({ path, id }) => {
    const todo = `It serves ${ids.join(', ')}: correct the name, or set VITRINE_MODELS.`;
    return ['wrong', `${path} names the model ${id}, which the proxy does not serve.`, todo];
  });
}

const ports = { vite: '5173/api', next: '3000/api', other: '8787' };

async function checkReach({ kind, sources }: Project, { url }: DoctorOptions): Promise<readonly Outcome[]> {
  const isUsed = [...sources.values()].some((text) => text.includes('@vitrine/'));
  if (url === undefined && !isUsed) return [];
  const address = `${url?.replace(/\/$/, '') ?? `http://localhost:${ports[kind]}`}/v1/models`;
  const response = await fetch(address, { signal: AbortSignal.timeout(3_000) }).catch(() => null);
  if (response === null)
    return [
      [
        'note',
        `Nothing answers at ${address}.`,
        'Start the server, or give --url, as http://localhost:3000/api.',
      ],
    ];
  if (response.ok && (await response.text()).includes('"models"'))
    return [['fine', `The proxy answers at ${address}.`]];
  const says = `${address} answers ${response.status} without models.`;
  if (response.status === 401) return [['note', says, 'It wants a sign-in.']];
  return [
    ['wrong', says, 'Mount the proxy there, before other routes and body parsers, and allow this host.'],
  ];
}

/** The policy that a source writes: it has to let the page ask its proxy. */
function checkPolicy({ sources }: Project): readonly Outcome[] {
  const [path, text] = [...sources].find(([, source]) => /content-security-policy/i.test(source)) ?? [];
  if (text === undefined) return [];
  const [, allowed = "'self'"] =
    /connect-src([^;`"\n]*)/.exec(text) ?? /default-src([^;`"\n]*)/.exec(text) ?? [];
  if (/'self'|\*|http|\$\{/.test(allowed))
    return [['fine', `The policy in ${path} lets the page ask its server.`]];
  const todo = "Add connect-src 'self', or the address of the proxy.";
  return [['wrong', `The policy in ${path} lets the page ask nobody (connect-src${allowed}).`, todo]];
}

const stores =
  /\b((?:browser|indexedDB|localStorage|http|row|sqlite|postgres)Sessions|(?:sqlite|postgres)Host)\(/;

function checkStorage({ sources }: Project): readonly Outcome[] {
  if (![...sources.values()].some((text) => /@vitrine\/(?:react|core|server)/.test(text))) return [];
  const kept = [...sources].flatMap(([path, text]) =>
    (stores.exec(text) ?? []).slice(1).map((name) => ({ path, name })),
  );
  const [first] = kept;
  if (first === undefined)
    return [
      [
        'note',
        'No source names a store: conversations end with their page.',
        'Give sessions: browserSessions().',
      ],
    ];
  const sqlite = kept.find(({ name }) => name.startsWith('sqlite'));
  if (sqlite !== undefined && process.getBuiltinModule?.('node:sqlite') === undefined)
    return [
      [
        'wrong',
        `${sqlite.path} keeps sessions in SQLite, which Node ${process.version} lacks.`,
        'Use Node 22.13 or newer.',
      ],
    ];
  return [['fine', `${first.path} keeps conversations by ${first.name}.`]];
}
