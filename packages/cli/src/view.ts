import { spawn } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { readTrace } from './read-trace.ts';
import { UsageError } from './usage-error.ts';

/**
 * Writes a page that shows a trace in the panel, without a server, and returns its path. The page is opened in the
 * browser unless told otherwise.
 */
export async function view(file: string, out: string | undefined, isOpened: boolean): Promise<string> {
  const { text } = await readTrace(file);
  const page = await viewerPage();
  const path = resolve(
    out ?? join(await mkdtemp(join(tmpdir(), 'vitrine-')), `${basename(file, '.json')}.html`),
  );
  // A trace is untrusted text: no `<` in it may end the script that holds it.
  const trace = text.replaceAll('<', '\\u003c');
  await writeFile(
    path,
    page.replace('</body>', () => `<script type="application/json" id="trace">${trace}</script>\n  </body>`),
  );
  if (isOpened) open(path);
  return path;
}

async function viewerPage(): Promise<string> {
  try {
    return await readFile(new URL('./trace-viewer.html', import.meta.url), 'utf8');
  } catch {
    throw new UsageError(
      'The page of the viewer is missing. Install @vitrine/cli again, or run npm run build.',
    );
  }
}

/** Opens a file with the program of the system; without one, the printed path is enough. */
function open(path: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', path]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', path]
        : ['xdg-open', path];
  if (command === undefined) return;
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
