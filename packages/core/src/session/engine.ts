/** What a session needs of the loop, as one module. */
export type SessionEngine = typeof import('./session-engine.ts');

/** The one place where the engine is loaded: when a session is first used, not with the page. */
export function loadEngine(): Promise<SessionEngine> {
  return import('./session-engine.ts');
}
