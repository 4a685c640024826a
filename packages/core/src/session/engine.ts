/** The part of a session that is loaded at its first use. A session without a store has no saver to create. */
export type SessionEngine = typeof import('./session-engine.ts') & {
  readonly createSaver: (typeof import('./saving/session-saver.ts'))['createSessionSaver'] | null;
};

/**
 * Loads the engine: not with the page, but when a session is first used, and with it the saver of a session that has a
 * store. Both are loaded only here.
 */
export async function loadEngine(hasStore = true): Promise<SessionEngine> {
  const [engine, saving] = await Promise.all([importEngine(), hasStore ? importSaver() : null]);
  return { ...engine, createSaver: saving?.createSessionSaver ?? null };
}

function importEngine(): Promise<typeof import('./session-engine.ts')> {
  return import('./session-engine.ts');
}

function importSaver(): Promise<typeof import('./saving/session-saver.ts')> {
  return import('./saving/session-saver.ts');
}
