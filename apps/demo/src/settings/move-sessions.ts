import { importSession, type SessionStore } from '@vitrine/react';

/** Number of moved sessions, and a sentence for each that was not moved. */
export type Moved = { readonly moved: number; readonly stayed: readonly string[] };

type Move = {
  readonly from: SessionStore;
  readonly to: SessionStore;
  /** Exports a session of the old store as a document, including unsaved changes. */
  readonly exportOne: (id: string) => Promise<unknown>;
};

/**
 * Moves all sessions of a store with their files to another one, one at a time: each is removed after it
 * was imported. A session that cannot be moved stays.
 */
export async function moveSessions({ from, to, exportOne }: Move): Promise<Moved> {
  const { sessions } = await from.list();
  const stayed: string[] = [];
  // The oldest first, to keep the order.
  for (const { id, title } of [...sessions].reverse()) {
    try {
      // Trusted, because they come from this page.
      await importSession(to, await exportOne(id), { trust: 'full' });
      await from.remove(id);
    } catch (thrown) {
      stayed.push(
        `“${title || 'Untitled'}” was not moved: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      );
    }
  }
  return { moved: sessions.length - stayed.length, stayed };
}
