import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { defineConfig, type DefaultTheme } from 'vitepress';

const pages = new URL('../', import.meta.url);

/** The links of a page that lists others, in its order. */
function listedIn(page: string): DefaultTheme.SidebarItem[] {
  const text = readFileSync(new URL(page, pages), 'utf8');
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
      { text: 'Guide', items: listedIn('guide/index.md') },
      {
        text: 'Packages',
        items: ['core', 'react', 'devtools', 'proxy'].map((name) => ({
          text: `@vitrine/${name}`,
          link: `/packages/${name}`,
        })),
      },
      { text: 'API', collapsed: true, items: apiIn('api/@vitrine') },
      {
        text: 'Inside',
        collapsed: true,
        items: [
          { text: 'Architecture', link: '/architecture' },
          { text: 'Public names', link: '/public-names' },
          { text: 'Decisions', link: '/decisions/', items: listedIn('decisions/index.md') },
        ],
      },
    ],
  },
});
