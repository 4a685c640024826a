import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Configuration as RspackConfiguration, rspack } from '@rspack/core';
import { build as esbuild } from 'esbuild';
import { build as vite, type Rolldown } from 'vite';
import webpack from 'webpack';
import { root } from './root.ts';

/** A file that a bundler has written, and the files that are loaded with it. */
type Chunk = {
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

export type BundlerName = keyof typeof bundlers;

/** React itself, which every React application has; all other bundled code counts. */
const external = /^react(-dom)?($|\/)/;

/** Bundlers in production mode, almost with their defaults. */
const bundlers = { vite: withVite, webpack: withWebpack, rspack: withRspack, esbuild: withEsbuild };

/** Bundles an application that uses the built packages. */
export async function bundleWith(bundler: BundlerName, code: string): Promise<Bundle> {
  // The folder is within the repository, so that packages resolve as in an application.
  const parent = join(root, 'node_modules/.cache/vitrine-sizes');
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, `${bundler}-`));
  const entry = join(directory, 'entry.js');
  writeFileSync(entry, code);
  const chunks = await bundlers[bundler](entry, join(directory, 'out'));
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

/** The configuration that webpack and rspack share. */
function packConfiguration(entry: string, path: string) {
  return {
    mode: 'production',
    entry: { entry },
    target: ['web', 'es2022'],
    output: { path, module: true, chunkFormat: 'module', library: { type: 'module' } },
    experiments: { outputModule: true },
    externalsType: 'module',
    externals: [external],
    performance: false,
  } satisfies webpack.Configuration;
}

type PackStats = {
  readonly hasErrors: () => boolean;
  readonly toJson: (options: object) => {
    readonly errors?: readonly { readonly message: string }[];
    readonly assets?: readonly { readonly name: string }[];
    readonly entrypoints?: Readonly<
      Record<string, { readonly assets?: readonly { readonly name: string }[] }>
    >;
  };
};

function withWebpack(entry: string, path: string): Promise<Chunk[]> {
  return packed(path, (done) => void webpack(packConfiguration(entry, path), done as never));
}

function withRspack(entry: string, path: string): Promise<Chunk[]> {
  const configuration = packConfiguration(entry, path) as RspackConfiguration;
  return packed(path, (done) => void rspack(configuration, done as never));
}

function packed(
  path: string,
  run: (done: (error: Error | null, stats?: PackStats) => void) => void,
): Promise<Chunk[]> {
  return new Promise((resolve, reject) => {
    run((error, stats) => {
      if (error || !stats) return reject(error ?? new Error('The bundler gave nothing.'));
      const {
        errors = [],
        assets = [],
        entrypoints = {},
      } = stats.toJson({ all: false, assets: true, errors: true, entrypoints: true });
      if (stats.hasErrors()) return reject(new Error(errors.map(({ message }) => message).join('\n')));
      const first = new Set((entrypoints['entry']?.assets ?? []).map(({ name }) => name));
      resolve(
        assets.map(({ name }) => ({
          name,
          code: readFileSync(join(path, name), 'utf8'),
          imports: [],
          isEntry: first.has(name),
        })),
      );
    });
  });
}
