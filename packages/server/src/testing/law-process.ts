import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorInfo } from '@vitrine/core';
import { blankSession } from '@vitrine/testing';
import type { SessionHost } from '../host/session-host.ts';

/** Options of {@link runLawProcess}. */
export type LawProcessOptions = {
  /** The file of the effects that were done, one line each: `done <epoch> <session> <command>`. */
  readonly log: string;
  /** Milliseconds of an effect. */
  readonly ms: number;
  /** The version of the process, for hosts that have versions. Default: that of the host under test. */
  readonly version?: string;
  /**
   * `transaction`: the process prints `stops` and stops itself (`SIGSTOP`) in the middle of the transaction in which it takes
   * its first session. The function that starts the process sees to it. Default: it does not stop.
   */
  readonly stopsIn?: 'transaction';
};

/**
 * Runs the sessions of a host in a process that is killed: each command is a `once` effect, which is begun by a write of the
 * session, whose title names it, and done by a line in the log. One that had begun is answered and not done again. A command
 * `die…` kills the process, and the commands of a session that is not to be run any more are answered with an error. Prints
 * `ready` when the host has started, and each answered id.
 */
export async function runLawProcess(
  host: SessionHost,
  { log, ms }: Pick<LawProcessOptions, 'log' | 'ms'>,
): Promise<void> {
  await host.start(async (address, { epoch, signal, sessions, verdict }) => {
    const load = await sessions.load(address.sessionId);
    const record = load.kind === 'there' ? load.session : blankSession(address.sessionId);
    let expectedVersion = load.kind === 'there' ? load.session.version : 0;
    let { title } = record;
    for (;;) {
      const [next] = await host.pending(address);
      if (next === undefined || signal.aborted) return;
      const { id } = next.command;
      if (verdict !== 'run') {
        await host.answer(address, id, { turn: null, error: ErrorInfo.of(new Error(verdict)) }, epoch);
        continue;
      }
      if (id.startsWith('die')) process.kill(process.pid, 'SIGKILL');
      if (title !== id) {
        title = id;
        expectedVersion = await sessions.save({ ...record, title }, { expectedVersion });
        appendFileSync(log, `done ${epoch} ${address.sessionId} ${id}\n`);
        await sleep(ms);
      }
      await host.answer(address, id, { turn: null, error: null }, epoch);
      host.bus.say(address, id);
      process.stdout.write(`${id}\n`);
    }
  });
  process.stdout.write('ready\n');
  process.on('SIGTERM', () => void host.stop({ graceMs: 5000 }).then(() => process.exit(0)));
  setInterval(() => undefined, 1000);
}
