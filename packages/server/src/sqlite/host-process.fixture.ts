import { runLawProcess } from '../testing/law-process.ts';
import { sqliteHost } from './sqlite-host.ts';

// A process to be killed: `node host-process.fixture.ts <path> <log> <msOfACommand>`.
const [, , path = '', log = '', ms = '5'] = process.argv;
await runLawProcess(sqliteHost({ path }), { log, ms: Number(ms) });
