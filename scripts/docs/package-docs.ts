import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../root.ts';
import { listOf } from './llms-texts.ts';
import { namesIn, pagesAt } from './site-pages.ts';

// The last part of `npm run build`: the guide as plain Markdown, the skill for coding agents and llms.txt, in the packages
// that an application has in node_modules. Git ignores them there.

/** The packages that contain the guide. */
export const documented = ['core', 'react', 'devtools'] as const;

/** The files of the guide in a package, by their path in it. */
export function packageDocs(): ReadonlyMap<string, string> {
  const paths = new Map([
    ['docs/skills/vitrine/SKILL.md', 'skills/vitrine/SKILL.md'],
    ...namesIn('docs/guide').map((name) => [`docs/guide/${name}`, `docs/${name}`] as const),
    ...namesIn('docs/gallery').map((name) => [`docs/gallery/${name}`, `docs/gallery/${name}`] as const),
    ['docs/deploy.md', 'docs/deploy.md'],
    ['docs/glossary.md', 'docs/glossary.md'],
  ]);
  const pages = pagesAt(paths, {
    linkTo: (path, hash, from) => `${posix.relative(posix.dirname(from), path)}${hash}`,
    picture: () => '',
  });
  const files = new Map(pages.map(({ path, text }) => [path, compact(text)]));
  return files.set(
    'llms.txt',
    listOf(pages, (path) => path),
  );
}

/** A page without the spaces that align its tables, half of the reference, and without sentences that only point elsewhere. */
function compact(text: string): string {
  return text
    .replaceAll(/^\|.*\|$/gm, (row) => row.replaceAll(/ {2,}\|/g, ' |').replaceAll(/-{4,}/g, '---'))
    .replaceAll(/(?:^| )[A-Z][\w ,:]* has the reasons[;.].*$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n');
}

/** Writes the guide into its packages. */
export function writePackageDocs(): void {
  const files = packageDocs();
  for (const name of documented) {
    const folder = join(root, 'packages', name);
    for (const old of ['docs', 'skills']) rmSync(join(folder, old), { recursive: true, force: true });
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writePackageDocs();
