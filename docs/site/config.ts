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

function apiIn(folder: string): DefaultTheme.SidebarItem[] {
  const url = new URL(`${folder}/`, pages);
  if (!existsSync(url)) return [];
  return readdirSync(url, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ text: name, link: `/${folder}/${name}/` }));
}

/** The page of each package, under the name that is its title. */
const packages = readdirSync(new URL('packages/', pages)).map((file) => ({
  text:
    readFileSync(new URL(`packages/${file}`, pages), 'utf8')
      .split('\n', 1)[0]
      ?.slice('# '.length) ?? file,
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
      ...partsIn('guide/index.md'),
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
