import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packages as imports } from '../../scripts/lint/floors.ts';
import { withoutHidden } from '../../scripts/docs/examples.ts';
import { packageFolders } from '../../scripts/packages.ts';
import { root } from '../../scripts/root.ts';

const folders = ['.', 'docs', 'docs/guide', 'docs/decisions', 'docs/skills/vitrine', ...packageFolders];
const pages = folders.flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file)),
);

/** The pointers of a page: files in code style, and links within the repository. */
function pointersOf(page: string): { readonly paths: readonly string[]; readonly links: readonly string[] } {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/```[\s\S]*?```/g, '');
  const quoted = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g)].flatMap(([, path = '']) => path);
  const paths = quoted.filter((path) => /\/.*\.(tsx?|js|md|json)$|^\w[\w/-]*\/$/.test(path));
  const links = [...text.matchAll(/\]\(([^)#]+)/g)].flatMap(([, link = '']) => link);
  return { paths, links: links.filter((link) => !/^https?:/.test(link)) };
}

/** The links of a page to a heading: of the page itself (`#a`), or of another one (`b.md#a`). */
function headingLinksOf(page: string): readonly (readonly [file: string, heading: string])[] {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/```[\s\S]*?```/g, '');
  return [...text.matchAll(/\]\(([^):#]*)#([^)]+)\)/g)].map(
    ([, link = '', heading = '']) => [link === '' ? page : join(dirname(page), link), heading] as const,
  );
}

/** The addresses of the headings of a page, as GitHub and the site make them. */
function headingsOf(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/```[\s\S]*?```/g, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Paths start at the root, or where the page says that they do. */
function isThere(page: string, path: string): boolean {
  const starts = [
    root,
    join(root, dirname(page)),
    join(root, 'packages/core/src'),
    join(root, 'packages/proxy/src'),
  ];
  return starts.some((start) => existsSync(join(start, path)));
}

// Each start of the guide installs these, and `@vitrine/react` hands on what it needs of core and persist.
const startedWith = ['react', 'devtools', 'proxy', 'core', 'persist', 'server'].map(
  (name) => `@vitrine/${name}`,
);

describe.each(pages)('%s', (page) => {
  it('a page says which packages its examples need beside those of its start', () => {
    const shown = withoutHidden(readFileSync(join(root, page), 'utf8'));
    const imported = [...shown.matchAll(/from '(@vitrine\/[\w-]+)/g)].map(([, name = '']) => name);
    const installed =
      /npm (?:install|i) [^\n`]*|Install(?:\s+`[^`]+`,?(?:\s+and)?)+|`@vitrine\/[\w-]+` works with/g;
    const named = (shown.match(installed) ?? []).join(' ');
    const missing = imported.filter((name) => !startedWith.includes(name) && !named.includes(name));
    expect(missing).toEqual([]);
  });

  it('a page names no missing file and links to no missing page', () => {
    const { paths, links } = pointersOf(page);
    expect(paths.filter((path) => !isThere(page, path))).toEqual([]);
    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  });

  it('a page links to no missing heading', () => {
    const missing = headingLinksOf(page).filter(
      ([file, heading]) => file.endsWith('.md') && !headingsOf(file).includes(heading),
    );
    expect(missing).toEqual([]);
  });
});

it('the page on architecture names the files that it is about', () => {
  expect(pointersOf('docs/architecture.md').paths.length).toBeGreaterThan(40);
});

it('the page on architecture names no file by its bare name, and none in a drawing, that does not exist', () => {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const sources = globSync(['{packages,bridges}/*/src/**/*.{ts,tsx}', 'tests/**/*.ts', 'scripts/**/*.ts'], {
    cwd: root,
  });
  const names = new Set(sources.map((path) => basename(path)));
  const bare = [...text.matchAll(/`([\w.-]+\.tsx?)`/g)].flatMap(([, name = '']) => name);
  expect(bare.length).toBeGreaterThan(5);
  expect(bare.filter((name) => !names.has(name))).toEqual([]);
  const drawn = drawingsOf(text).flatMap((drawing) => drawing.match(/[\w-]+(?:\/[\w-]+)+/g) ?? []);
  expect(drawn.length).toBeGreaterThan(5);
  expect(drawn.filter((path) => !existsSync(join(root, 'packages/core/src', `${path}.ts`)))).toEqual([]);
});

it('the drawing of packages on the page on architecture has the imports that the linter allows', () => {
  const [drawing = ''] = drawingsOf(readFileSync(join(root, 'docs/architecture.md'), 'utf8'));
  const arrows = [...drawing.matchAll(/^ *([\w-]+)(?: --> (.+))?$/gm)].map(
    ([, from = '', to]) => [from, to?.split(' & ') ?? []] as const,
  );
  const drawn = new Map(arrows);
  expect([...new Set(arrows.flat(2))].toSorted()).toEqual(Object.keys(imports).toSorted());
  const reached = (from: string): readonly string[] =>
    (drawn.get(from) ?? []).flatMap((to) => [to, ...reached(to)]);
  for (const [name, allowed] of Object.entries(imports)) {
    expect(allowed, `${name} is drawn with an import`).toEqual(expect.arrayContaining(drawn.get(name) ?? []));
    expect(reached(name), `${name} reaches what it may import`).toEqual(expect.arrayContaining([...allowed]));
  }
});

/** The drawings of a page. */
function drawingsOf(text: string): readonly string[] {
  return [...text.matchAll(/```mermaid([\s\S]*?)```/g)].map(([, drawing = '']) => drawing);
}

it('the page of moved names names only entries and names that exist', () => {
  const list = readFileSync(join(root, 'tests/public-api/public-names.md'), 'utf8');
  const entries = new Map(
    list
      .split(/^## /m)
      .slice(1)
      .map((part) => [
        part.slice(0, part.indexOf(':')),
        new Set([...part.matchAll(/^- `([^`]+)`/gm)].map(([, name = '']) => name)),
      ]),
  );
  const rows = readFileSync(join(root, 'docs/moved-names.md'), 'utf8')
    .split('\n')
    .flatMap((line) => (/^\| +`/.test(line) ? [line.split('|').slice(1, -1)] : []));
  expect(rows.length).toBeGreaterThan(20);
  const entryOf = (column = ''): readonly string[] =>
    [...column.matchAll(/^ *`(@vitrine[^`]+)` *$/g)].map(([, entry = '']) => entry);
  // Rows of entries have the new one in the second column, rows of names in the last one.
  const wrong = rows.flatMap(([before = '', ...columns]) => {
    if (before.includes('`@vitrine/')) return entryOf(columns[0]).filter((entry) => !entries.has(entry));
    const names = [...before.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    return entryOf(columns.at(-1)).flatMap((entry) =>
      names.filter((name) => entries.get(entry)?.has(name) !== true).map((name) => `${entry} ${name}`),
    );
  });
  expect(wrong).toEqual([]);
});

it('the glossary gives at most 40 terms, each with one sentence and a file that exists', () => {
  const page = 'docs/glossary.md';
  const rows = readFileSync(join(root, page), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (Term|-)/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.length).toBeLessThanOrEqual(40);
  expect(rows.filter(([, meaning = '']) => !/^[^.]+\.$/.test(meaning))).toEqual([]);
  const unknown = rows.filter(([, , file = '']) => !isThere(page, file.replaceAll('`', '')));
  expect(unknown).toEqual([]);
  expect(new Set(rows.map(([term]) => term)).size).toBe(rows.length);
});
