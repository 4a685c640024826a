import { runLawProcess } from '../testing/law-process.ts';
import { dbosHost } from './dbos-host.ts';

// A process to be killed: `node host-process.fixture.ts <url> <log> <msOfACommand> <version>`.
const [, , url = '', log = '', ms = '5', version = '1'] = process.argv;
await runLawProcess(dbosHost({ url, version, deadMs: 1000 }), { log, ms: Number(ms) });
