import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';
import { traceViewer } from './trace-viewer.ts';

// The last part of `npm run build`.
writeFileSync(join(root, 'packages/devtools/dist/trace-viewer.html'), await traceViewer());
