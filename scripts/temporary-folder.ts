import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder for this process, which is removed when the process ends. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `vitrine-${name}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
