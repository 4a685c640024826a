import type { SessionStore } from './stores/session-store.ts';

/**
 * The part of a session that is loaded at its first use. `storing` is that of a session with a store, `link` that of a
 * store which other tabs share; null without one.
 */
export type SessionEngine = typeof import('./session-engine.ts') & {
  readonly storing: typeof import('./storing-engine.ts') | null;
  readonly link: typeof import('./link/session-link.ts') | null;
};

/** Loads the engine: not with the page, but when a session is first used. */
export async function loadEngine(sessions: Pick<SessionStore, 'tabs'> | undefined): Promise<SessionEngine> {
  const engine = await importEngine();
  if (sessions === undefined) return { ...engine, storing: null, link: null };
  const isShared = (sessions.tabs ?? null) !== null;
  const [storing, link] = await Promise.all([engine.loadStoring(), isShared ? engine.loadLink() : null]);
  return { ...engine, storing, link };
}

function importEngine(): Promise<typeof import('./session-engine.ts')> {
  return import('./session-engine.ts');
}
