import type { Server } from 'node:http';
import type { EnvRecord, InferenceProxy } from '@vitrine/proxy';
import type { PageHandler } from './page-handler.ts';

/**
 * Ends the process when it is told to: on SIGTERM answers may finish for `VITRINE_SHUTDOWN_GRACE_MS` (default: 10,000),
 * while new ones are refused; on SIGINT, or when it is told again, at once.
 */
export function shutDownOnSignals(
  env: EnvRecord,
  proxy: InferenceProxy,
  server: Server,
  page: PageHandler,
): void {
  const graceMs = Number(env['VITRINE_SHUTDOWN_GRACE_MS'] || 10_000);
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
