/** Loads the parts that a session loads at its first use, so that a test in virtual time does not wait for modules. */
export async function loadParts(): Promise<void> {
  await Promise.all([
    import('@vitrine/core/internal/session/controller/session-engine'),
    import('./create-persistence.ts'),
    import('../link/session-link.ts'),
  ]);
}
