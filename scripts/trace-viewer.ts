import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { build, defaultClientConditions, type Rolldown } from 'vite';
import { root } from './root.ts';

const folder = join(root, 'packages/devtools');

/** The page that shows trace files: one file with all its code, which opens without a server. */
export async function traceViewer(): Promise<string> {
  const { output } = (await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    // Whatever runs this script, a test, say.
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
  // Where a script ends is found before it is read as one.
  const script = code.code.replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
  const policy = `<meta http-equiv="content-security-policy" content="${policyFor(script)}" />`;
  return String(page.source)
    .replace(/<script type="module"[^>]*><\/script>\s*/, '')
    .replace('<title>', `${policy}\n    <title>`)
    .replace('</body>', () => `<script type="module">${script}</script>\n  </body>`);
}

/** A trace is other people's text: whatever it holds, the page runs no other code and asks nobody for anything. */
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
