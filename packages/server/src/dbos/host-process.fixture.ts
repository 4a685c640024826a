import pg from 'pg';
import { runLawProcess } from '../testing/law-process.ts';
import { dbosHost } from './dbos-host.ts';

// A process to be killed: `node host-process.fixture.ts <url> <log> <msOfACommand> <version> <stopsIn>`. With `transaction`
// it stops itself in the first write of a session, between the question for its epoch and the commit.
const [, , url = '', log = '', ms = '5', version = '1', stopsIn = ''] = process.argv;
if (stopsIn === 'transaction') {
  const { query } = pg.Client.prototype as { query: (...asked: unknown[]) => unknown };
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...asked: unknown[]) {
      const isWrite = /SELECT vitrine_(?:write|append)_session/.test(String(asked[0]));
      if (isWrite) process.stdout.write('stops\n', () => process.kill(process.pid, 'SIGSTOP'));
      return isWrite ? new Promise(() => undefined) : query.apply(this, asked);
    },
  });
}
await runLawProcess(dbosHost({ url, version, deadMs: 1000 }), { log, ms: Number(ms) });
