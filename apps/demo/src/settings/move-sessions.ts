import { importSession, type SessionStore } from '@vitrine/react';

/** How many sessions are in their new place, and what was said of those that stayed. */
export type Moved = { readonly moved: number; readonly stayed: readonly string[] };

type Move = {
  readonly from: SessionStore;
  readonly to: SessionStore;
  /** Gives a session of the first as a document, with what is not saved yet. */
  readonly exportOne: (id: string) => Promise<unknown>;
};

/**
 * Moves all sessions of a store with their files into another, one by one: each is taken away where it was once it stands
 * where it should be. One that cannot be moved stays.
 */
export async function moveSessions({ from, to, exportOne }: Move): Promise<Moved> {
  const { sessions } = await from.list();
  const stayed: string[] = [];
  // The oldest first, so that the order is the same.
  for (const { id, title } of sessions.toReversed()) {
    try {
      // They were on this page before, and come as they are.
      await importSession(to, await exportOne(id), { trust: 'full' });
      await from.remove(id);
    } catch (thrown) {
      stayed.push(
        `“${title || 'Untitled'}” stays: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      );
    }
  }
  return { moved: sessions.length - stayed.length, stayed };
}
