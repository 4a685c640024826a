import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchChats, withImport } from './project/watch-chats.ts';
import { type Project, readProject } from './project/project.ts';
import { UsageError } from './usage-error.ts';

/** The result of `vitrine add`: files by their path, packages to install, and what is left to a person. */
type Addition = {
  readonly files: Readonly<Record<string, string>>;
  readonly packages?: readonly string[];
  readonly rest?: readonly string[];
};

const additions: Readonly<Record<string, (project: Project) => Addition>> = {
  'ai-sdk': watchAiSdk,
  chat: addChat,
  panel: addPanel,
  server: addServer,
  skill: addSkill,
};

/** Adds a part to the application of a folder. Files that are there are changed at one place or stay as they are. */
export function add(what: string | undefined, folder: string, print: (line: string) => void): void {
  const make = what !== undefined && Object.hasOwn(additions, what) ? additions[what] : undefined;
  if (make === undefined)
    throw new UsageError(`Name what to add: vitrine add ${Object.keys(additions).join(' | ')}.`);
  const project = readProject(folder);
  const { files, packages = [], rest = [] } = make(project);
  for (const [path, text] of Object.entries(files)) {
    const before = existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : null;
    if (before === null) mkdirSync(dirname(join(folder, path)), { recursive: true });
    if (before !== text) writeFileSync(join(folder, path), text);
    print(`${path}: ${before === null ? 'written' : before === text ? 'is as it should be' : 'changed'}`);
  }
  const missing = packages.filter((name) => !project.dependencies.includes(name));
  if (missing.length > 0) print(`Next: ${installer(folder)} ${missing.join(' ')}`);
  for (const line of rest) print(`Next: ${line}`);
}

function installer(folder: string): string {
  const locks = { 'pnpm-lock.yaml': 'pnpm add', 'yarn.lock': 'yarn add', 'bun.lock': 'bun add' };
  return Object.entries(locks).find(([lock]) => existsSync(join(folder, lock)))?.[1] ?? 'npm install';
}

const template = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../templates/${name}`, import.meta.url)), 'utf8');

/** A file of a template, or the one that is there. */
function fileOf({ sources }: Project, path: string, name: string): Readonly<Record<string, string>> {
  return { [path]: sources.get(path) ?? template(name) };
}

const routes = ({ folder }: Project): string => (existsSync(join(folder, 'src/app')) ? 'src/app' : 'app');

function addChat(project: Project): Addition {
  const path = project.kind === 'next' ? `${routes(project)}/chat/page.tsx` : 'src/vitrine-chat.tsx';
  const server = project.kind === 'vite' ? withPlugin(project) : addServer(project);
  const shown =
    project.kind === 'next' ? 'open /chat.' : `show it: import VitrineChat from './vitrine-chat';`;
  return {
    files: { ...fileOf(project, path, 'chat.tsx'), ...server.files },
    packages: ['@vitrine/react', ...(server.packages ?? [])],
    rest: [...(server.rest ?? []), shown],
  };
}

/** The plugin of Vite that mounts the proxy in its development server. */
function withPlugin({ sources }: Project): Addition {
  const packages = ['@vitrine/proxy'];
  const [path, text = ''] = [...sources].find(([name]) => /^vite\.config\.[cm]?[jt]s$/.test(name)) ?? [];
  if (text.includes('@vitrine/proxy/vite')) return { files: {}, packages };
  const rest = ['add vitrine() of @vitrine/proxy/vite to the plugins of your Vite config.'];
  if (path === undefined || !text.includes('plugins: [')) return { files: {}, packages, rest };
  const changed = text.replace('plugins: [', 'plugins: [vitrine(), ').replace('[vitrine(), ]', '[vitrine()]');
  return {
    files: { [path]: withImport(changed, `import { vitrine } from '@vitrine/proxy/vite';`) },
    packages,
  };
}

function addServer(project: Project): Addition {
  const packages = ['@vitrine/proxy'];
  if (project.kind === 'next')
    return { files: fileOf(project, `${routes(project)}/api/v1/[...path]/route.ts`, 'route.ts'), packages };
  return { files: fileOf(project, 'server.mjs', 'server.mjs'), packages, rest: ['node server.mjs'] };
}

function addPanel(project: Project): Addition {
  const packages = ['@vitrine/devtools'];
  const isThere = [...project.sources.values()].some((text) => text.includes('@vitrine/devtools'));
  if (isThere) return { files: {}, packages };
  const layout = `${routes(project)}/layout.tsx`;
  const text = project.sources.get(layout);
  if (project.kind === 'next' && text?.includes('</body>') === true) {
    const changed = withImport(text, `import { VitrinePanel } from './vitrine-panel';`);
    const panel = fileOf(project, `${routes(project)}/vitrine-panel.tsx`, 'panel.tsx');
    return { files: { ...panel, [layout]: changed.replace('</body>', '<VitrinePanel /></body>') }, packages };
  }
  const [entry, source = ''] =
    [...project.sources].find(([path]) => /^src\/(?:main|index)\.[jt]sx?$/.test(path)) ?? [];
  if (entry === undefined)
    return { files: {}, packages, rest: ['show <AgentDevtools /> of @vitrine/devtools.'] };
  const mounted = withImport(source, `import { mountAgentDevtools } from '@vitrine/devtools';`);
  return { files: { [entry]: `${mounted.trimEnd()}\n\nmountAgentDevtools();\n` }, packages };
}

/** Watches the chats of the AI SDK: their transports in pages, and on a Next server their prompts and usage. */
function watchAiSdk(project: Project): Addition {
  const isNext = project.kind === 'next';
  const changed = [...project.sources].flatMap(([path, text]) => {
    const after = watchChats(text, isNext ? '/api/vitrine' : null);
    return after === text ? [] : [[path, after] as const];
  });
  const panel = addPanel({ ...project, sources: new Map([...project.sources, ...changed]) });
  const base = routes(project).replace(/app$/, '');
  const own = `${base}instrumentation.ts`;
  const server = isNext
    ? {
        ...fileOf(project, own, 'instrumentation.ts'),
        ...fileOf(project, `${routes(project)}/api/vitrine/route.ts`, 'telemetry-route.ts'),
      }
    : {};
  const told = !isNext || (server[own] ?? '').includes('vitrineTelemetry');
  const known = [...project.sources.values()].some((text) => text.includes('@vitrine/ai-sdk/observe'));
  const none =
    changed.length === 0 && !known
      ? ['no useChat was found: wrap its transport by observeChat of @vitrine/ai-sdk/observe.']
      : [];
  const rest = told ? none : [...none, `call registerTelemetry(vitrineTelemetry()) in register of ${own}.`];
  return {
    files: { ...Object.fromEntries(changed), ...server, ...panel.files },
    packages: ['@vitrine/ai-sdk', ...(panel.packages ?? [])],
    rest,
  };
}

/** The skill of an installed package, where coding agents look for skills, with its links to node_modules. */
function addSkill({ folder }: Project): Addition {
  const from = ['react', 'core', 'devtools']
    .map((name) => `node_modules/@vitrine/${name}`)
    .find((path) => existsSync(join(folder, path, 'skills/vitrine/SKILL.md')));
  if (from === undefined)
    throw new UsageError(
      `No package with the skill is installed in ${folder}. Install @vitrine/react, @vitrine/core or @vitrine/devtools first.`,
    );
  const text = readFileSync(join(folder, from, 'skills/vitrine/SKILL.md'), 'utf8');
  const roots = ['.agents', ...(existsSync(join(folder, '.claude')) ? ['.claude'] : [])];
  const files = roots.map(
    (name) =>
      [
        `${name}/skills/vitrine/SKILL.md`,
        text.replaceAll('](../../docs/', `](../../../${from}/docs/`),
      ] as const,
  );
  return { files: Object.fromEntries(files) };
}
