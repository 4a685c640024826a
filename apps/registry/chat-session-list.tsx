'use client';

import { useDeleteSession, useSessions } from '@vitrine/react';
import type { ReactNode } from 'react';

type ChatSessionListProps = {
  readonly currentId: string;
  /** Called with the id of a stored conversation, or with one for a new conversation. */
  readonly onOpen: (id: string) => void;
};

/** The stored conversations, newest first. Render it below `<AgentProvider sessions={…}>` and beside the chat. */
export function ChatSessionList({ currentId, onOpen }: ChatSessionListProps): ReactNode {
  const { data = [], hasNextPage, fetchNextPage } = useSessions({ limit: 50 });
  const { mutate: remove, restore, variables: removed, isSuccess } = useDeleteSession();
  const openNew = (): void => onOpen(crypto.getRandomValues(new Uint32Array(3)).join('-'));
  return (
    <nav
      aria-label="Conversations"
      className="bg-background text-foreground flex w-64 shrink-0 flex-col gap-1 overflow-y-auto border-r p-2"
    >
      <button
        type="button"
        onClick={openNew}
        className="hover:bg-muted mb-2 rounded-lg border px-3 py-2 text-left"
      >
        New conversation
      </button>
      <ul className="flex flex-col gap-1">
        {data.map(({ id, title }) => (
          <li key={id} className="group hover:bg-muted has-aria-[current=page]:bg-muted flex rounded-lg">
            <button
              type="button"
              aria-current={id === currentId ? 'page' : undefined}
              onClick={() => onOpen(id)}
              className="min-w-0 flex-1 truncate px-3 py-2 text-left"
            >
              {title || 'New conversation'}
            </button>
            <button
              type="button"
              aria-label={`Delete ${title}`}
              onClick={() => {
                remove(id);
                if (id === currentId) openNew();
              }}
              className="px-3 opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      {isSuccess && (
        <p role="status" className="text-muted-foreground px-3 py-2 text-sm">
          Deleted.{' '}
          <button type="button" onClick={() => restore.mutate(removed)} className="underline">
            Undo
          </button>
        </p>
      )}
      {hasNextPage && (
        <button type="button" onClick={() => void fetchNextPage()} className="px-3 py-2 text-left underline">
          Show older ones
        </button>
      )}
    </nav>
  );
}
