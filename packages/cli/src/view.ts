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
  await writeFile(path, pageWithTrace(page, text));
  if (isOpened) open(path);
  return path;
}

/** The page of the viewer with a trace in it. A trace is untrusted text: no `<` in it may end the script that holds it. */
function pageWithTrace(page: string, text: string): string {
  const trace = text.replaceAll('<', '\\u003c');
  // The script of the page may itself contain the text of an end.
  const end = page.lastIndexOf('</body>');
  return `${page.slice(0, end)}<script type="application/json" id="trace">${trace}</script>\n  ${page.slice(end)}`;
}

async function viewerPage(): Promise<string> {
  try {
    return await readFile(new URL('../dist/trace-viewer.html', import.meta.url), 'utf8');
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
