import type { Server } from 'node:http';
import type { EnvRecord, InferenceProxy } from '@vitrine/proxy';
import { fail } from './fail.ts';
import type { PageHandler } from './page-options.ts';

/**
 * The grace period for answers at shutdown in milliseconds: `VITRINE_SHUTDOWN_GRACE_MS`, 10,000 by default.
 */
export function graceOf(env: EnvRecord): number {
  const text = env['VITRINE_SHUTDOWN_GRACE_MS']?.trim() || '10000';
  const graceMs = Number(text);
  if (graceMs >= 0) return graceMs;
  return fail(
    `VITRINE_SHUTDOWN_GRACE_MS is ${JSON.stringify(text)}; give milliseconds as a number from 0 on.`,
  );
}

/**
 * Ends the process on signals. On SIGTERM, answers may finish within the grace period while new ones are
 * refused. SIGINT or a second signal ends it at once.
 */
export function shutDownOnSignals(
  graceMs: number,
  proxy: InferenceProxy,
  server: Server,
  page: PageHandler,
): void {
  let isEnding = false;

  async function shutDown(waitMs: number): Promise<void> {
    if (isEnding) process.exit(1);
    isEnding = true;
    await proxy.close({ graceMs: waitMs });
    // Connected readers still receive the last events.
    server.closeIdleConnections();
    const reading = new Promise<void>((resolve) => server.close(() => resolve()));
    await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, 1000))]);
    await page.close().catch(() => undefined);
    process.exit(0);
  }

  process.on('SIGTERM', () => void shutDown(graceMs));
  process.on('SIGINT', () => void shutDown(0));
}
