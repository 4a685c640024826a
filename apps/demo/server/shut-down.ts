import type { Server } from 'node:http';
import type { EnvRecord, InferenceProxy } from '@vitrine/proxy';
import type { AgentServer } from '@vitrine/server';
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

type Parts = {
  readonly proxy: InferenceProxy;
  readonly sessions: AgentServer;
  readonly server: Server;
  readonly page: PageHandler;
};

/**
 * Ends the process on signals. On SIGTERM, tools and answers may finish within the grace period while new answers are
 * refused. SIGINT or a second signal ends it at once.
 */
export function shutDownOnSignals(graceMs: number, { proxy, sessions, server, page }: Parts): void {
  let isEnding = false;

  async function shutDown(waitMs: number): Promise<void> {
    if (isEnding) process.exit(1);
    isEnding = true;
    // Sessions are left first, because a refused model call would fail their runs.
    await sessions.stop({ graceMs: waitMs });
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
