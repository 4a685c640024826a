import { appendFileSync } from 'node:fs';
import { sqliteHost } from './sqlite-host.ts';

// A process to be killed: `node host-process.fixture.ts <path> <log> <msOfACommand>` runs sessions that do each command
// by writing its id to the log. It prints `ready` when it owns the host, and each answered id.
const [, , path = '', log = '', ms = '5'] = process.argv;
const host = sqliteHost({ path });
await host.start(async (address, { epoch, signal, sessions }) => {
  await sessions.load(address.sessionId);
  for (;;) {
    const [next] = await host.pending(address);
    if (next === undefined || signal.aborted) return;
    appendFileSync(log, `begun ${epoch} ${next.command.id}\n`);
    await new Promise((resolve) => setTimeout(resolve, Number(ms)));
    await host.answer(address, next.command.id, { turn: null, error: null }, epoch);
    process.stdout.write(`${next.command.id}\n`);
  }
});
process.stdout.write('ready\n');
process.on('SIGTERM', () => void host.stop({ graceMs: 5000 }).then(() => process.exit(0)));
setInterval(() => undefined, 1000);
