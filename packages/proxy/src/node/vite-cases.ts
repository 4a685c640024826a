import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Plugin, ViteDevServer } from 'vite';
import { wrongSetting } from '../kit/env-record.ts';

/** A case with its result, as the panel shows it. */
type Checked = {
  readonly name: string;
  readonly met: boolean | null;
  readonly sentence: string;
  /** The time from which on it is red. */
  readonly since?: number;
};

type Inspect = {
  checkCase(
    file: string,
    agent: unknown,
    options: { readonly calls: number; readonly signal: AbortSignal },
  ): Promise<Omit<Checked, 'name'>>;
};

const ending = '.case.json';
/** Milliseconds in which several edits are checked together. */
const together = 100;
/** Greatest number of characters of a case that a page keeps. */
const mostKept = 40 * 2 ** 20;
const script = 'virtual:vitrine-cases';

/** The script by which the panel of a page hears of the cases, and keeps new ones. */
const pageScript = `const cases = { list: [], keep: (name, file) => import.meta.hot.send('vitrine:keep-case', { name, file }) };
globalThis.vitrineCases = cases;
import.meta.hot?.on('vitrine:cases', (list) => {
  cases.list = list;
  dispatchEvent(new Event('vitrine:cases'));
});
`;

/** The part of a plugin that checks the cases of a project: when the server starts, and after each edit. */
export function developCases({
  agent,
  folder = 'cases',
  calls = 0,
}: {
  agent: string;
  folder?: string;
  calls?: number;
}): {
  readonly hooks: Pick<Plugin, 'resolveId' | 'load' | 'transformIndexHtml' | 'hotUpdate'>;
  readonly watch: (server: ViteDevServer) => void;
} {
  const [module = '', name = 'agent'] = agent.split('#');
  if (module === '')
    throw wrongSetting(`vitrine: cases.agent is ${JSON.stringify(agent)}; name it as "src/agent.ts#agent".`);
  let checkSoon = (): void => undefined;
  const children = `import ${JSON.stringify(`/@id/__x00__${script}`)};`;
  return {
    hooks: {
      resolveId: (id) => (id === script ? `\0${script}` : undefined),
      load: (id) => (id === `\0${script}` ? pageScript : undefined),
      transformIndexHtml: () => [{ tag: 'script', attrs: { type: 'module' }, children }],
      hotUpdate: () => checkSoon(),
    },
    watch(server) {
      const at = resolve(server.config.root, folder);
      server.watcher.add(at);
      const checks = new CaseChecks(server, { module: resolve(server.config.root, module), name, at, calls });
      checkSoon = () => checks.checkSoon();
      server.ws.on('connection', () => checks.tell());
      server.ws.on('vitrine:keep-case', (kept: unknown) => void checks.keep(kept));
      server.httpServer?.once('close', () => checks.end());
      checkSoon();
    },
  };
}

type Place = { readonly module: string; readonly name: string; readonly at: string; readonly calls: number };

/** The checks of a development server, one after the other. */
class CaseChecks {
  readonly #server: ViteDevServer;
  readonly #place: Place;
  #ending = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #course: Promise<void> = Promise.resolve();
  /** The agent and the files of the last check: an edit that changes none of them checks nothing. */
  #known: readonly unknown[] = [];
  #list: readonly Checked[] | null = null;

  constructor(server: ViteDevServer, place: Place) {
    this.#server = server;
    this.#place = place;
  }

  checkSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // A check of what was before the edit says nothing any more.
      this.#ending.abort();
      this.#ending = new AbortController();
      const { signal } = this.#ending;
      this.#course = this.#course.then(() => this.#check(signal));
    }, together);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#ending.abort();
  }

  tell(): void {
    if (this.#list !== null) this.#server.ws.send('vitrine:cases', this.#list);
  }

  /** Writes a case of the panel, under a name of letters, digits and hyphens that no other case has. */
  async keep(kept: unknown): Promise<void> {
    const { name, file } = (kept ?? {}) as { readonly name?: unknown; readonly file?: unknown };
    if (typeof name !== 'string' || typeof file !== 'string' || file.length > mostKept) return;
    const letters = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-');
    const { at } = this.#place;
    try {
      await mkdir(at, { recursive: true });
      await writeNew(join(at, letters.slice(0, 60).replaceAll(/^-|-$/g, '') || 'case'), file);
      this.checkSoon();
    } catch (error) {
      this.#server.config.logger.warn(`Vitrine: A case cannot be kept in ${at}: ${messageOf(error)}`);
    }
  }

  async #check(signal: AbortSignal): Promise<void> {
    const { module, name, at, calls } = this.#place;
    try {
      const files = await readCases(at);
      if ((files.length === 0 && this.#list === null) || signal.aborted) return;
      const agent = (await this.#server.ssrLoadModule(module))[name] as unknown;
      if (agent === undefined) throw new Error(`It has no export ${JSON.stringify(name)}.`);
      const known = [agent, ...files.flat()];
      if (known.length === this.#known.length && known.every((one, place) => one === this.#known[place]))
        return;
      const { checkCase } = (await this.#server.ssrLoadModule('@vitrine/inspect')) as Inspect;
      const list: Checked[] = [];
      for (const [own, file] of files)
        list.push(await checkOne(own, () => checkCase(file, agent, { calls, signal })));
      if (signal.aborted) return;
      this.#known = known;
      this.#report(list);
    } catch (error) {
      this.#server.config.logger.warn(
        `Vitrine: The cases cannot be checked with ${module}: ${messageOf(error)}`,
      );
    }
  }

  #report(checked: readonly Checked[]): void {
    const before = new Map(this.#list?.map(({ name, since }) => [name, since]));
    const list = checked.map((one) =>
      one.met === false ? { ...one, since: before.get(one.name) ?? Date.now() } : one,
    );
    this.#list = list;
    const broken = list.filter(({ met }) => met === false);
    const { logger } = this.#server.config;
    const lines = broken.map(({ name, sentence }) => `\n  ${name}: ${sentence}`);
    logger[broken.length > 0 ? 'warn' : 'info'](
      `Vitrine: ${list.length} ${list.length === 1 ? 'case' : 'cases'}, ${broken.length} red.${lines.join('')}`,
      { timestamp: true },
    );
    this.tell();
  }
}

async function checkOne(name: string, check: () => Promise<Omit<Checked, 'name'>>): Promise<Checked> {
  try {
    const { met, sentence } = await check();
    return { name, met, sentence };
  } catch (error) {
    return { name, met: null, sentence: messageOf(error) };
  }
}

/** Writes a case beside those that exist. @throws Error when there are a thousand of its name */
async function writeNew(path: string, file: string): Promise<void> {
  for (let number = 1; number <= 1_000; number++) {
    try {
      return await writeFile(`${path}${number > 1 ? `-${number}` : ''}${ending}`, file, { flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  throw new Error('1,000 cases have its name.');
}

/** The names and texts of the cases in a folder, which may not exist yet. */
async function readCases(at: string): Promise<readonly (readonly [string, string])[]> {
  const names = (await readdir(at).catch(() => [])).filter((name) => name.endsWith(ending)).sort();
  return Promise.all(
    names.map(
      async (name) => [name.slice(0, -ending.length), await readFile(join(at, name), 'utf8')] as const,
    ),
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
