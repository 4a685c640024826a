import { appendFileSync } from 'node:fs';
import { ErrorInfo } from '@vitrine/core';
import { sqliteHost } from './sqlite-host.ts';

// A process to be killed: `node host-process.fixture.ts <path> <log> <msOfACommand>` runs sessions that do each command
// by writing its id to the log. It prints `ready` when it owns the host, and each answered id. A command `die…` kills the
// process, and the commands of a session that is not to be run any more are answered with an error.
const [, , path = '', log = '', ms = '5'] = process.argv;
const host = sqliteHost({ path });
await host.start(async (address, { epoch, signal, sessions, verdict }) => {
  await sessions.load(address.sessionId);
  for (;;) {
    const [next] = await host.pending(address);
    if (next === undefined || signal.aborted) return;
    const { id } = next.command;
    appendFileSync(log, `begun ${epoch} ${id}\n`);
    if (verdict !== 'run') {
      await host.answer(address, id, { turn: null, error: ErrorInfo.of(new Error(verdict)) }, epoch);
      continue;
    }
    if (id.startsWith('die')) process.kill(process.pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, Number(ms)));
    await host.answer(address, id, { turn: null, error: null }, epoch);
    process.stdout.write(`${id}\n`);
  }
});
process.stdout.write('ready\n');
process.on('SIGTERM', () => void host.stop({ graceMs: 5000 }).then(() => process.exit(0)));
setInterval(() => undefined, 1000);
