import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';

// A registry for `npx shadcn add`, for people who own their components: https://ui.shadcn.com/docs/registry
// Each item has all of its files, so that its address alone is enough, whatever the registry is called there.

/** The colours of the parts of @vitrine/react: those of the application's theme. */
const css = {
  ':root, .dark': {
    '--vitrine-bg': 'var(--background)',
    '--vitrine-surface': 'var(--card)',
    '--vitrine-sunken': 'var(--muted)',
    '--vitrine-border': 'var(--border)',
    '--vitrine-text': 'var(--foreground)',
    // A little stronger, because it is also read on the muted background.
    '--vitrine-muted': 'color-mix(in oklab, var(--muted-foreground) 85%, var(--foreground))',
    '--vitrine-accent': 'var(--primary)',
    '--vitrine-on-accent': 'var(--primary-foreground)',
    '--vitrine-font': 'inherit',
  },
  '.dark': { 'color-scheme': 'dark' },
};

const items = [
  {
    name: 'chat',
    type: 'registry:block',
    title: 'Chat with an agent',
    description: 'A whole chat over the hooks of Vitrine: frame, messages and message box.',
    sources: ['chat', 'chat-messages', 'chat-message-box'],
    css,
  },
  {
    name: 'chat-messages',
    type: 'registry:component',
    title: 'Messages',
    description: 'The messages of a session, with Markdown and the calls of tools.',
    sources: ['chat-messages'],
    css,
  },
  {
    name: 'chat-message-box',
    type: 'registry:component',
    title: 'Message box',
    description: 'A box that sends a message, and stops a running answer.',
    sources: ['chat-message-box'],
  },
  {
    name: 'chat-session-list',
    type: 'registry:component',
    title: 'List of sessions',
    description: 'The stored conversations, with a new one, and deletion with undo.',
    sources: ['chat-session-list'],
  },
  {
    name: 'a2ui',
    type: 'registry:component',
    title: 'Interfaces of A2UI',
    description:
      'A tool by which a model describes interfaces, and the view that draws them while they stream.',
    sources: ['a2ui-view', 'a2ui-tool', 'a2ui-surfaces'],
    packages: ['@a2ui/markdown-it', '@a2ui/react', '@a2ui/web_core'],
  },
];

/** The index of the registry, which names the files of its items, and the items with the content of their files. */
export function registry() {
  const index = {
    $schema: 'https://ui.shadcn.com/schema/registry.json',
    name: 'vitrine',
    homepage: 'https://www.npmjs.com/package/@vitrine/react',
    items: items.map(({ sources, packages = [], ...item }) => ({
      ...item,
      dependencies: ['@vitrine/react', '@tanstack/react-query', 'zustand', ...packages],
      files: sources.map((name) => ({ path: `components/${name}.tsx`, type: 'registry:component' })),
    })),
  };
  const withContent = index.items.map((item) => ({
    $schema: 'https://ui.shadcn.com/schema/registry-item.json',
    ...item,
    files: item.files.map((file) => ({ ...file, content: sourceOf(file.path) })),
  }));
  return { index, items: withContent };
}

/** A source as applications compile it, which import their own files without an ending. */
function sourceOf(path: string): string {
  const text = readFileSync(join(root, 'apps/registry', path.replace('components/', '')), 'utf8');
  return text.replaceAll(/(from '\.\/[\w-]+)\.tsx'/g, "$1'");
}

/** Writes the registry into a folder: `registry.json`, and `<item>.json` for each item. */
export function writeRegistry(folder: string): void {
  const { index, items } = registry();
  mkdirSync(folder, { recursive: true });
  const write = (name: string, data: object): void =>
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(data, null, 2));
  write('registry', index);
  for (const item of items) write(item.name, item);
}
