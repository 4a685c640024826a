import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { build, defaultClientConditions, type Rolldown } from 'vite';
import { root } from './root.ts';

const folder = join(root, 'packages/devtools');

/** Builds the page that shows trace files: one file with all its code, which opens without a server. */
export async function traceViewer(): Promise<string> {
  const { output } = (await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    // The mode is fixed, because a test may run this script.
    define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { runtime: 'automatic', development: false } },
    resolve: { conditions: ['@vitrine/source', ...defaultClientConditions] },
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: { input: join(folder, 'trace-viewer.html'), output: { codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput;
  const page = output.find(({ fileName }) => fileName === 'trace-viewer.html');
  const [code, ...others] = output.filter((item) => item.type === 'chunk');
  if (page?.type !== 'asset' || code === undefined || others.length > 0 || output.length > 2)
    throw new Error(
      `The trace viewer is to be one page and one script; there are ${output.map(({ fileName }) => fileName).join(', ')}.`,
    );
  // The browser finds the end of a script before it parses it, so the text must not contain it.
  const script = code.code.replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
  const policy = `<meta http-equiv="content-security-policy" content="${policyFor(script)}" />`;
  return String(page.source)
    .replace(/<script type="module"[^>]*><\/script>\s*/, '')
    .replace('<title>', `${policy}\n    <title>`)
    .replace('</body>', () => `<script type="module">${script}</script>\n  </body>`);
}

/**
 * The Content Security Policy. A trace is untrusted text: whatever it contains, the page runs no other code and
 * contacts no server.
 */
function policyFor(script: string): string {
  const hash = createHash('sha256').update(script).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
