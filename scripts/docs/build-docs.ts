import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../root.ts';
import { run } from '../run.ts';
import { apiEntries } from './api-entries.ts';
import { agedProbe } from './compared.ts';
import { withFileNames } from './examples.ts';
import { llmsTexts } from './llms-texts.ts';
import { writeRegistry } from './registry.ts';
import { sitePages } from './site-pages.ts';

// `npm run docs` builds the site into docs/dist: the guide, the API of the built packages, and llms.txt. Its tools are
// installed in a separate folder, because nothing else needs them.

const folder = mkdtempSync(join(tmpdir(), 'vitrine-docs-'));
const target = join(root, 'docs/dist');
const pages = sitePages();
const entries = apiEntries();

async function must(command: string, ...args: readonly string[]): Promise<void> {
  const { ok } = await run(command, args, { timeoutMs: 10 * 60_000, cwd: folder });
  if (!ok) throw new Error(`${command} ${args.slice(0, 3).join(' ')} failed.`);
}

cpSync(join(root, 'docs/site/package.json'), join(folder, 'package.json'));
for (const { path, text } of pages) {
  const file = join(folder, 'pages', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, withFileNames(text));
}
cpSync(join(root, 'docs/site/index.md'), join(folder, 'pages/index.md'));
cpSync(join(root, 'docs/site/config.ts'), join(folder, 'pages/.vitepress/config.ts'));
cpSync(join(root, 'docs/site/theme'), join(folder, 'pages/.vitepress/theme'), { recursive: true });
cpSync(join(root, 'docs/screenshots'), join(folder, 'pages/public/screenshots'), { recursive: true });
cpSync(join(root, 'apps/demo/public/icon.svg'), join(folder, 'pages/public/icon.svg'));
writeRegistry(join(folder, 'pages/public/r'));

cpSync(join(root, 'docs/site/name-modules.js'), join(folder, 'name-modules.js'));
// Modules are named by their import, not by their file.
const names = [...entries].map(([name, entry]) => [entry.replace(/(\/index)?\.d\.ts$/, ''), name]);
writeFileSync(join(folder, 'modules.json'), JSON.stringify(Object.fromEntries(names)));

await must('npm', 'install', '--no-audit', '--no-fund');
const options: Readonly<Record<string, string>> = {
  out: join(folder, 'pages/api'),
  name: 'API',
  tsconfig: join(root, 'docs/site/tsconfig.json'),
  basePath: root,
  readme: 'none',
  entryFileName: 'index',
  hidePageHeader: 'true',
  useCodeBlocks: 'true',
  sanitizeComments: 'true',
  disableSources: 'true',
  excludeExternals: 'true',
  skipErrorChecking: 'true',
};
await must(
  join(folder, 'node_modules/.bin/typedoc'),
  ...[...entries.values()].flatMap((entry) => ['--entryPoints', join(root, entry)]),
  ...['typedoc-plugin-markdown', join(folder, 'name-modules.js')].flatMap((plugin) => ['--plugin', plugin]),
  ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
);
await must(join(folder, 'node_modules/.bin/vitepress'), 'build', 'pages');
rmSync(target, { recursive: true, force: true });
cpSync(join(folder, 'pages/.vitepress/dist'), target, { recursive: true });
const { list, full } = llmsTexts(pages);
cpSync(join(root, 'packages/devtools/dist/trace-viewer.html'), join(target, 'trace-viewer.html'));
writeFileSync(join(target, 'llms.txt'), list);
writeFileSync(join(target, 'llms-full.txt'), full);
rmSync(folder, { recursive: true, force: true });
const aged = agedProbe(Date.now());
if (aged !== null) process.stderr.write(`${aged}\n`);
process.stdout.write('The documentation stands in docs/dist.\n');
