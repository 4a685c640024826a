import { sqliteSessions } from './sqlite/sqlite-sessions.ts';
import { writeOn } from './write-on.fixture.ts';

// A process to be killed: `node session-writer.fixture.ts <path> <session>` writes in SQLite for ever, and prints the
// number of each finished write.
const [, , path = '', id = ''] = process.argv;
await writeOn(sqliteSessions({ path }), id, (number) => process.stdout.write(`${number}\n`));
