import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build as esbuild } from 'esbuild';
import { build as vite, type Rolldown } from 'vite';
import { root } from './root.ts';

/** A file that a bundler has written, and the files that are loaded with it. */
export type Chunk = {
  readonly name: string;
  readonly code: string;
  readonly imports: readonly string[];
  readonly isEntry: boolean;
};

/** A bundled application. */
export type Bundle = {
  /** The code of its start. */
  readonly first: readonly string[];
  /** The code that is loaded later. */
  readonly lazy: readonly string[];
  /** The files with a text and the files that load with them. Only for Vite and esbuild, which name imports. */
  readonly loadedWith: (text: string) => readonly string[];
};

/** A bundler in production mode, almost with its defaults: builds the module `entry`, into `out` if it writes files. */
export type Bundler = (entry: string, out: string) => Promise<readonly Chunk[]>;

export type BundlerName = 'vite' | 'webpack' | 'rspack' | 'esbuild';

/** React itself, which every React application has; all other bundled code counts. */
export const external = /^react(-dom)?($|\/)/;

export type Bundlers = Readonly<Partial<Record<BundlerName, Bundler>>>;

/** The bundlers of `npm test`; webpack and rspack are in tests/peers. */
export const bundlers: Bundlers = { vite: withVite, esbuild: withEsbuild };

/** Bundles an application that uses the built packages. */
export async function bundleWith(bundler: Bundler, code: string): Promise<Bundle> {
  // The folder is within the repository, so that packages resolve as in an application.
  const parent = join(root, 'node_modules/.cache/vitrine-sizes');
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, 'app-'));
  const entry = join(directory, 'entry.js');
  writeFileSync(entry, code);
  const chunks = await bundler(entry, join(directory, 'out'));
  const loadedWith = (isWanted: (chunk: Chunk) => boolean): string[] => {
    const names = loadedNames(chunks, isWanted);
    return chunks.filter(({ name }) => names.has(name)).map((chunk) => chunk.code);
  };
  const first = loadedWith((chunk) => chunk.isEntry);
  return {
    first,
    lazy: chunks.map((chunk) => chunk.code).filter((code) => !first.includes(code)),
    loadedWith: (text) => loadedWith((chunk) => chunk.code.includes(text)),
  };
}

/** The names of the wanted chunks and of those that load with them. */
function loadedNames(chunks: readonly Chunk[], isWanted: (chunk: Chunk) => boolean): Set<string> {
  const names = new Set<string>();
  const add = (chunk: Chunk | undefined): void => {
    if (chunk === undefined || names.has(chunk.name)) return;
    names.add(chunk.name);
    for (const name of chunk.imports) add(chunks.find((other) => other.name === name));
  };
  for (const chunk of chunks) if (isWanted(chunk)) add(chunk);
  return names;
}

async function withVite(entry: string): Promise<Chunk[]> {
  const result = (await vite({
    configFile: false,
    root,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      minify: true,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: { input: entry, preserveEntrySignatures: 'strict', external: [external] },
    },
  })) as Rolldown.RolldownOutput;
  return result.output
    .filter((output) => output.type === 'chunk')
    .map(({ fileName: name, code, imports, isEntry }) => ({ name, code, imports, isEntry }));
}

async function withEsbuild(entry: string, outdir: string): Promise<Chunk[]> {
  const { outputFiles, metafile } = await esbuild({
    entryPoints: [entry],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    write: false,
    metafile: true,
    absWorkingDir: root,
    external: ['react', 'react-dom'],
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const { outputs } = metafile;
  const isOurs = (entryPoint: string | undefined): boolean =>
    entryPoint !== undefined && join(root, entryPoint) === entry;
  // A bundler writes a chunk for every `import()` of every module, even if every module that could load it was dropped.
  const reached = new Set<string>();
  const reach = (name: string): void => {
    if (reached.has(name) || outputs[name] === undefined) return;
    reached.add(name);
    for (const { path } of outputs[name].imports) reach(path);
  };
  for (const [name, { entryPoint }] of Object.entries(outputs)) if (isOurs(entryPoint)) reach(name);
  return [...reached].map((name) => ({
    name,
    code: outputFiles.find(({ path }) => path === join(root, name))?.text ?? '',
    imports: (outputs[name]?.imports ?? [])
      .filter(({ kind }) => kind === 'import-statement')
      .map(({ path }) => path),
    // A chunk that is imported later has its own entry point.
    isEntry: isOurs(outputs[name]?.entryPoint),
  }));
}
