import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Configuration as RspackConfiguration, rspack } from '@rspack/core';
import webpack from 'webpack';
import { type Bundlers, type Chunk, external } from '../../scripts/bundlers.ts';

/** The bundlers that are no part of the root's packages. */
export const packBundlers: Bundlers = { webpack: withWebpack, rspack: withRspack };

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

function withWebpack(entry: string, path: string): Promise<readonly Chunk[]> {
  return packed(path, (done) => void webpack(packConfiguration(entry, path), done as never));
}

function withRspack(entry: string, path: string): Promise<readonly Chunk[]> {
  const configuration = packConfiguration(entry, path) as RspackConfiguration;
  return packed(path, (done) => void rspack(configuration, done as never));
}

function packed(
  path: string,
  run: (done: (error: Error | null, stats?: PackStats) => void) => void,
): Promise<readonly Chunk[]> {
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
