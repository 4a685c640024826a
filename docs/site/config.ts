import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { defineConfig, type DefaultTheme } from 'vitepress';

const pages = new URL('../', import.meta.url);

/** The parts of the guide: the headings of its first page, each with the pages below it. */
function partsIn(page: string): DefaultTheme.SidebarItem[] {
  const [, ...parts] = readFileSync(new URL(page, pages), 'utf8').split(/^## /m);
  return parts.map((part) => ({
    text: part.slice(0, part.indexOf('\n')),
    collapsed: false,
    items: linksIn(part),
  }));
}

/** The links of a text that lists pages, in its order. */
function linksIn(text: string): DefaultTheme.SidebarItem[] {
  return [...text.matchAll(/^(?:-|\d+\.) \[([^\]]+)\]\((\/[^)]+)\)/gm)].map(([, text = '', link = '']) => ({
    text,
    link,
  }));
}

/** The parts of the guide, with the pages that only the list of bridges links below that list. */
function partsWithBridges(): DefaultTheme.SidebarItem[] {
  const text = readFileSync(new URL('guide/bridges.md', pages), 'utf8');
  const parts = partsIn('guide/index.md');
  const listed = parts.flatMap(({ items = [] }) => items.map(({ link }) => link));
  const linked = [...text.matchAll(/\]\((\/guide\/[^)#]+)/g)].map(([, link = '']) => link);
  const below = [...new Set(linked)]
    .filter((link) => !listed.includes(link))
    .map((link) => ({ text: titleOf(`${link.slice(1)}.md`), link }));
  return parts.map((part) => ({
    ...part,
    items: (part.items ?? []).map((item) =>
      item.link === '/guide/bridges' ? { ...item, items: below } : item,
    ),
  }));
}

/** The title of a page. */
function titleOf(page: string): string {
  const [line = page] = readFileSync(new URL(page, pages), 'utf8').split('\n', 1);
  return line.slice('# '.length);
}

function apiIn(folder: string): DefaultTheme.SidebarItem[] {
  const url = new URL(`${folder}/`, pages);
  if (!existsSync(url)) return [];
  return readdirSync(url, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ text: name, link: `/${folder}/${name}/` }));
}

/** The page of each package, under the name that is its title. */
const packages = readdirSync(new URL('packages/', pages)).map((file) => ({
  text: titleOf(`packages/${file}`),
  link: `/packages/${file.replace('.md', '')}`,
}));

export default defineConfig({
  title: 'Vitrine',
  description: 'React hooks and a devtools panel for AI agents: state you can see',
  head: [['link', { rel: 'icon', href: '/icon.svg' }]],
  // Addresses in examples are no pages.
  ignoreDeadLinks: 'localhostLinks',
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Guide', link: '/guide/' },
      { text: 'API', link: '/api/' },
      { text: 'Architecture', link: '/architecture' },
    ],
    sidebar: [
      ...partsWithBridges(),
      {
        text: 'Packages',
        items: packages,
      },
      { text: 'API', collapsed: true, items: apiIn('api/@vitrine') },
      {
        text: 'Decisions',
        collapsed: true,
        items: linksIn(readFileSync(new URL('decisions/index.md', pages), 'utf8')),
      },
    ],
  },
});
