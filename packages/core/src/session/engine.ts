/** The part of a session that is loaded at its first use, as one module. */
export type SessionEngine = typeof import('./session-engine.ts');

/** Loads the engine: not with the page, but when a session is first used. It is loaded only here. */
export function loadEngine(): Promise<SessionEngine> {
  return import('./session-engine.ts');
}
