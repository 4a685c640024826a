// @ts-expect-error -- it has no types of its own, and one call is not worth a package of them
import { transformAsync } from '@babel/core';
import { fileURLToPath } from 'node:url';

/** Puts React's compiler over a module of components; types and JSX are left to what comes after. */
export async function compileReact(code: string, filename: string): Promise<{ code: string; map: never }> {
  const compiler = fileURLToPath(import.meta.resolve('babel-plugin-react-compiler'));
  const result = (await transformAsync(code, {
    filename,
    configFile: false,
    babelrc: false,
    sourceMaps: true,
    parserOpts: { plugins: ['jsx', 'typescript'] },
    plugins: [[compiler, { target: '19', panicThreshold: 'all_errors' }]],
  })) as { code: string; map: never };
  return { code: result.code, map: result.map };
}
