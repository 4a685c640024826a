import type { Server } from 'node:http';
import type { EnvRecord, InferenceProxy } from '@vitrine/proxy';
import { fail } from './fail.ts';
import type { PageHandler } from './page-handler.ts';

/** How long answers may take when the process is told to end: `VITRINE_SHUTDOWN_GRACE_MS`, by default 10,000. */
export function graceOf(env: EnvRecord): number {
  const text = env['VITRINE_SHUTDOWN_GRACE_MS']?.trim() || '10000';
  const graceMs = Number(text);
  if (graceMs >= 0) return graceMs;
  return fail(
    `VITRINE_SHUTDOWN_GRACE_MS is ${JSON.stringify(text)}; give milliseconds as a number from 0 on.`,
  );
}

/**
 * Ends the process when it is told to: on SIGTERM answers may finish for so many milliseconds, while new ones are refused;
 * on SIGINT, or when it is told again, at once.
 */
export function shutDownOnSignals(
  graceMs: number,
  proxy: InferenceProxy,
  server: Server,
  page: PageHandler,
): void {
  let isTold = false;

  async function shutDown(waitMs: number): Promise<void> {
    if (isTold) process.exit(1);
    isTold = true;
    await proxy.close({ graceMs: waitMs });
    // Whoever reads gets the last events.
    server.closeIdleConnections();
    const reading = new Promise<void>((resolve) => server.close(() => resolve()));
    await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, 1000))]);
    await page.close().catch(() => undefined);
    process.exit(0);
  }

  process.on('SIGTERM', () => void shutDown(graceMs));
  process.on('SIGINT', () => void shutDown(0));
}
