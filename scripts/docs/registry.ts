import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';

// A registry for `npx shadcn add`, for people who own their components: https://ui.shadcn.com/docs/registry

const names = ['chat', 'chat-messages', 'chat-message-box'];

/** The item of the registry that adds a chat: thin files over the hooks, styled with the tokens of shadcn. */
export function chatItem() {
  return {
    $schema: 'https://ui.shadcn.com/schema/registry-item.json',
    name: 'chat',
    type: 'registry:block',
    title: 'Chat with an agent',
    description: 'A chat over the hooks of Vitrine, in three files of your own.',
    dependencies: ['@vitrine/react', '@tanstack/react-query', 'zustand'],
    files: names.map((name) => ({
      path: `components/${name}.tsx`,
      type: 'registry:component',
      content: sourceOf(name),
    })),
  };
}

/** A source as applications compile it, which import their own files without an ending. */
function sourceOf(name: string): string {
  const text = readFileSync(join(root, `apps/registry/${name}.tsx`), 'utf8');
  return text.replaceAll(/(from '\.\/[\w-]+)\.tsx'/g, "$1'");
}
