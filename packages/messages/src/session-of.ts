import type { Message } from '@vitrine/core/internal/graph/message';
import {
  maxImportedBranches,
  type PlainSession,
  plainSchemaName,
} from '@vitrine/persist/internal/manage/plain-session';
import { assemble } from './reading/assemble.ts';
import { type FoundSession, type Import, timeOf } from './reading/reading.ts';

/** The session of a conversation that a reader found. */
export function toSession(found: FoundSession, reading: Import, trust: 'none' | 'full'): PlainSession {
  const { env } = reading;
  const { messages: all, lastOf } = assemble(found.messages, reading, { trust });
  const ids = new Set<string>();
  // A message whose parent is not before it begins a branch of its own.
  const tree = all.map((message): Message => {
    const { parentId } = message;
    ids.add(message.id);
    return parentId === null || ids.has(parentId) ? message : { ...message, parentId: null };
  });
  const wanted = typeof found.head === 'string' ? (lastOf.get(found.head) ?? null) : null;
  const head = wanted ?? tree.at(-1)?.id ?? null;
  const messages = pruneTree(tree, head, found.at, reading);
  const createdAt = timeOf(found.createdAt) ?? messages[0]?.createdAt ?? env.now();
  return {
    $schema: plainSchemaName,
    version: 1,
    id: typeof found.id === 'string' && found.id !== '' ? found.id : env.id(),
    title: typeof found.title === 'string' ? found.title : '',
    createdAt,
    updatedAt: timeOf(found.updatedAt) ?? messages.at(-1)?.createdAt ?? createdAt,
    head,
    messages,
  };
}

/** The tree with the newest branches, as many as a session keeps. The messages of the others are left out. */
function pruneTree(
  tree: readonly Message[],
  head: string | null,
  at: string,
  { leave }: Import,
): readonly Message[] {
  const inner = new Set(tree.map(({ parentId }) => parentId));
  const leaves = tree.filter(({ id }) => !inner.has(id) && id !== head);
  if (leaves.length < maxImportedBranches) return tree;
  const byId = new Map(tree.map((message) => [message.id, message]));
  const newest = [...leaves].sort((a, b) => b.createdAt - a.createdAt).slice(0, maxImportedBranches - 1);
  const kept = new Set<string>();
  for (const end of [...newest.map(({ id }) => id), ...(head === null ? [] : [head])])
    for (let id: string | null = end; id !== null && !kept.has(id); id = byId.get(id)?.parentId ?? null)
      kept.add(id);
  return tree.filter(({ id }) => {
    if (!kept.has(id))
      leave(
        `${at}.${id}`,
        'message',
        `A session keeps ${maxImportedBranches} branches, and this one is older.`,
      );
    return kept.has(id);
  });
}
