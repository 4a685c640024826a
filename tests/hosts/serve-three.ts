import { startHostFleet } from './host-fleet.ts';

// npm run servers: three processes of one server of agents behind one port, over a PostgreSQL of its own. A process that
// is killed is replaced. Ctrl-C ends all of it.
const fleet = await startHostFleet({ kind: 'dbos', processes: 3, paceMs: 100 });
if (fleet === null) process.exit(1);
fleet.keepFull();
const processes = fleet.members.map(({ child, url }) => `  process ${child.pid} at ${url}`);
process.stdout.write(
  [`The server of agents is at ${fleet.url}`, ...processes, 'Kill one of them; Ctrl-C ends all.', ''].join(
    '\n',
  ),
);
process.once('SIGINT', () => void fleet.stop().then(() => process.exit()));
