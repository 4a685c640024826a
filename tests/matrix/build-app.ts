import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  build,
  defaultClientConditions,
  defaultServerConditions,
  type InlineConfig,
  type Plugin,
} from 'vite';
import { root } from '../../scripts/root.ts';
import { compileReact } from '../peers/compile-react.ts';

/** One kind of application that the hooks must work in. */
export type Kind = { readonly name: string; readonly react: '18.2' | '19'; readonly isCompiled: boolean };

export const kinds: readonly Kind[] = [
  { name: 'React 18.2', react: '18.2', isCompiled: false },
  { name: 'React 19', react: '19', isCompiled: false },
  { name: 'React 19, compiled', react: '19', isCompiled: true },
];

const app = join(root, 'tests/matrix/app');

/** The parts of a kind: its version of React, and whether its components are compiled. */
export function configOf(kind: Kind): InlineConfig {
  const peers = join(root, 'tests/peers/node_modules');
  return {
    root: app,
    configFile: false,
    logLevel: 'error',
    // Warnings of React are what the tests listen for.
    mode: 'development',
    define: { 'process.env.NODE_ENV': '"development"' },
    plugins: kind.isCompiled ? [compiler()] : [],
    resolve: {
      conditions: ['@vitrine/source', ...defaultClientConditions],
      alias:
        kind.react === '19'
          ? []
          : [
              { find: /^react(?=\/|$)/, replacement: join(peers, 'react-18') },
              { find: /^react-dom(?=\/|$)/, replacement: join(peers, 'react-dom-18') },
            ],
    },
  };
}

/** Builds the pages for the browser and for the server; gives the folders. */
export async function buildApp(kind: Kind): Promise<{ client: string; server: string }> {
  const out = await mkdtemp(join(tmpdir(), 'vitrine-matrix-'));
  const config = configOf(kind);
  const common = { minify: false, emptyOutDir: true, reportCompressedSize: false } as const;
  await build({
    ...config,
    build: {
      ...common,
      outDir: join(out, 'client'),
      rolldownOptions: { input: join(app, 'client.tsx'), output: { entryFileNames: '[name].js' } },
    },
  });
  await build({
    ...config,
    ssr: { noExternal: true, resolve: { conditions: ['@vitrine/source', ...defaultServerConditions] } },
    build: { ...common, outDir: join(out, 'server'), ssr: join(app, 'server.tsx') },
  });
  return { client: join(out, 'client'), server: join(out, 'server') };
}

/** React's compiler over the components of the pages. */
function compiler(): Plugin {
  return {
    name: 'matrix:react-compiler',
    enforce: 'pre',
    async transform(code, id) {
      if (!id.startsWith(app) || !id.endsWith('.tsx')) return null;
      return compileReact(code, id);
    },
  };
}
