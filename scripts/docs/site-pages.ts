import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { packageFolders } from '../packages.ts';
import { root } from '../root.ts';
import { withoutHidden } from './examples.ts';

/** A page of the site. */
export type SitePage = {
  /** The path in the repository, `docs/guide/tools.md`. */
  readonly source: string;
  /** The path in the site, `guide/tools.md`. */
  readonly path: string;
  readonly title: string;
  /** The first paragraph without Markdown. */
  readonly summary: string;
  /** The text without hidden code, with links to pages of the site; other targets are named without a link. */
  readonly text: string;
};

const folders = ['docs/guide', 'docs/decisions', 'docs/gallery'];
const readmes = packageFolders.map((folder) => [
  `${folder}/README.md`,
  `packages/${posix.basename(folder)}.md`,
]);
const single: Readonly<Record<string, string>> = {
  'docs/architecture.md': 'architecture.md',
  'docs/glossary.md': 'glossary.md',
  'docs/deploy.md': 'guide/deploy.md',
  'tests/public-api/public-names.md': 'public-names.md',
  ...Object.fromEntries(readmes),
};

/** All pages of the repository, with the links of the site. */
export function sitePages(): readonly SitePage[] {
  const paths = new Map(Object.entries(single));
  for (const folder of folders)
    for (const name of namesIn(folder))
      paths.set(`${folder}/${name}`, `${folder.slice('docs/'.length)}/${name.replace('README', 'index')}`);
  return pagesAt(paths, {
    linkTo: (path, hash) => `/${path.replace(/(index)?\.md$/, '')}${hash}`,
    picture: inBothLooks,
  });
}

/** The names of the pages of a folder. */
export function namesIn(folder: string): readonly string[] {
  return readdirSync(`${root}/${folder}`).filter((file) => file.endsWith('.md'));
}

type Style = {
  /** The target of a link from one path to another; the hash begins with `#` or is empty. */
  readonly linkTo: (path: string, hash: string, from: string) => string;
  readonly picture: (label: string, picture: string) => string;
};

/** Pages of the repository, by the paths that they get, without hidden code. A link to another page becomes its label. */
export function pagesAt(paths: ReadonlyMap<string, string>, style: Style): readonly SitePage[] {
  return [...paths].map(([source, path]) => {
    const text = relinked(withoutHidden(readFileSync(`${root}/${source}`, 'utf8')), source, { paths, style });
    const [, title = path] = /^# (.+)$/m.exec(text) ?? [];
    return { source, path, title: title.replaceAll('`', ''), summary: firstParagraph(text), text };
  });
}

type Linking = { readonly paths: ReadonlyMap<string, string>; readonly style: Style };

function relinked(text: string, source: string, { paths, style }: Linking): string {
  return text.replaceAll(
    /(!?)\[([^\]]*)\]\(([^)\s]+)\)/g,
    (whole, mark: string, label: string, target: string) => {
      const picture = /screenshots\/.+$/.exec(target)?.[0];
      if (mark !== '' && picture !== undefined) return style.picture(label, picture);
      if (mark !== '' || /^(#|[a-z]+:)/.test(target)) return whole;
      const [file = '', hash] = target.split('#');
      const found = posix.normalize(posix.join(posix.dirname(source), file));
      const path = paths.get(found) ?? paths.get(`${found}/README.md`);
      if (path === undefined) return label;
      return `[${label}](${style.linkTo(path, hash === undefined ? '' : `#${hash}`, paths.get(source) ?? '')})`;
    },
  );
}

/** A picture of the light theme, and its dark version in the dark theme. */
function inBothLooks(label: string, picture: string): string {
  const dark = picture.replace('-light', '-dark');
  return `![${label}](/${picture}){.in-light} ![${label}](/${dark}){.in-dark}`;
}

function firstParagraph(text: string): string {
  const words = text.replaceAll(/^```[^]*?^```/gm, '');
  const found = words.split('\n\n').find((part) => /^[A-Za-z`*]/.test(part.trim())) ?? '';
  return found
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
