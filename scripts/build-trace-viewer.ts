import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';
import { traceViewer } from './trace-viewer.ts';

// The last part of `npm run build`.
const page = await traceViewer();
for (const name of ['devtools', 'cli'])
  writeFileSync(join(root, `packages/${name}/dist/trace-viewer.html`), page);
