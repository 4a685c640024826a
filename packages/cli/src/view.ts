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
  const trace = await readTrace(file);
  const path = resolve(
    out ??
      join(await mkdtemp(join(tmpdir(), 'vitrine-')), `${basename(file, '.json').replace('#', '-')}.html`),
  );
  await writeFile(path, await pageWith('trace', trace.text()));
  if (isOpened) openInBrowser(path);
  return path;
}

/**
 * The page of the viewer with a JSON text in it, under an id. The text is untrusted: no `<` in it may end the script
 * that holds it.
 * @throws UsageError when the page was not built.
 */
export async function pageWith(id: 'trace' | 'recorder', text: string): Promise<string> {
  const page = await readFile(new URL('../dist/trace-viewer.html', import.meta.url), 'utf8').catch(() => {
    throw new UsageError(
      'The page of the viewer is missing. Install @vitrine/cli again, or run npm run build.',
    );
  });
  const json = text.replaceAll('<', '\\u003c');
  // The script of the page may itself contain the text of an end.
  const end = page.lastIndexOf('</body>');
  return `${page.slice(0, end)}<script type="application/json" id="${id}">${json}</script>\n  ${page.slice(end)}`;
}

/** Opens a file or an address with the program of the system; without one, the printed path is enough. */
export function openInBrowser(path: string): void {
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
