import { runLawProcess } from '../testing/law-process.ts';
import { sqliteHost } from './sqlite-host.ts';

// A process to be killed: `node host-process.fixture.ts <path> <log> <msOfACommand> <mostDeaths>`.
const [, , path = '', log = '', ms = '5', mostDeaths = '3'] = process.argv;
await runLawProcess(sqliteHost({ path, mostDeaths: Number(mostDeaths) }), { log, ms: Number(ms) });
