import pg from 'pg';
import { runLawProcess } from '../testing/law-process.ts';
import { dbosHost } from './dbos-host.ts';
import { textOf } from './query-text.fixture.ts';

// A process to be killed: `node host-process.fixture.ts <url> <log> <msOfACommand> <version> <stopsIn>`. With `transaction`
// it stops itself while it takes its first session, between the lock of the session and the commit.
const [, , url = '', log = '', ms = '5', version = '1', stopsIn = ''] = process.argv;
if (stopsIn === 'transaction') {
  const { query } = pg.Client.prototype as { query: (...asked: unknown[]) => unknown };
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...asked: unknown[]) {
      const isTaking = textOf(asked[0]).includes('INSERT INTO vitrine_host_epochs');
      if (isTaking) process.stdout.write('stops\n', () => process.kill(process.pid, 'SIGSTOP'));
      return isTaking ? new Promise(() => undefined) : query.apply(this, asked);
    },
  });
}
await runLawProcess(dbosHost({ url, version, deadMs: 1000 }), { log, ms: Number(ms) });
