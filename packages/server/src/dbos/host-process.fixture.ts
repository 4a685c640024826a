import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorInfo } from '@vitrine/core';
import { blankSession } from '@vitrine/core/testing';
import { dbosHost } from './dbos-host.ts';

// A process to be killed: `node host-process.fixture.ts <url> <log> <msOfACommand>` runs sessions that do each command as
// a `once` effect: it is begun by a write of the session, whose title names it, and done by a line in the log. A command
// that had begun is answered and not done again. A command `die…` kills the process, and the commands of a session that is
// not to be run any more are answered with an error.
const [, , url = '', log = '', ms = '5', version = '1'] = process.argv;
const host = dbosHost({ url, version, deadMs: 1000 });
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
      await sleep(Number(ms));
    }
    await host.answer(address, id, { turn: null, error: null }, epoch);
    host.bus.say(address, id);
    process.stdout.write(`${id}\n`);
  }
});
process.stdout.write('ready\n');
process.on('SIGTERM', () => void host.stop({ graceMs: 5000 }).then(() => process.exit(0)));
setInterval(() => undefined, 1000);
