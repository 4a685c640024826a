/**
 * Attaches a session to the store that keeps it: the `attach` of every store of this library, and of one that an
 * application writes itself. The code is loaded here, when a session is first used.
 */
export async function attachSession(session: object): Promise<object> {
  const { createPersistence } = await import('./session/create-persistence.ts');
  return createPersistence(session);
}
