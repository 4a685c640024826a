import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { root } from './root.ts';
import { type SizeBudget, sizeBudgets } from './size-budgets.ts';

// Bundles the built packages as an application would, with Vite, and compares what comes out with the budgets.

const tooLarge: string[] = [];
for (const budget of sizeBudgets) {
  const { bytes, lazy, text } = await measure(budget);
  const chunks = lazy > 0 ? `, ${lazy} B more when first needed` : '';
  process.stdout.write(`${String(bytes).padStart(7)} B of ${budget.limit} B  ${budget.name}${chunks}\n`);
  if (bytes > budget.limit)
    tooLarge.push(`${budget.name} takes ${bytes} B gzip; its budget is ${budget.limit} B.`);
  if (budget.without && text.includes(budget.without)) {
    tooLarge.push(`${budget.name} holds ${JSON.stringify(budget.without)}, which must not be in it.`);
  }
}
if (tooLarge.length > 0) {
  process.stderr.write(`${tooLarge.join('\n')}\n`);
  process.exit(1);
}

async function measure({ code }: SizeBudget): Promise<{ bytes: number; lazy: number; text: string }> {
  const entry = join(mkdtempSync(join(tmpdir(), 'vitrine-size-')), 'entry.js');
  writeFileSync(entry, code.replaceAll(/'@vitrine\/(\w+)'/g, `'${root}/packages/$1/dist/index.js'`));
  const result = (await build({
    configFile: false,
    root,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      minify: true,
      target: 'es2022',
      rolldownOptions: {
        input: entry,
        preserveEntrySignatures: 'strict',
        external: [/^react(-dom)?($|\/)/, '@tanstack/react-query'],
      },
    },
  })) as Rolldown.RolldownOutput;
  const chunks = result.output.filter((output) => output.type === 'chunk');
  const first = reachable(chunks, chunks.find((chunk) => chunk.isEntry)?.fileName ?? '');
  const sizeOf = (list: typeof chunks): number =>
    list.reduce((sum, chunk) => sum + gzipSync(chunk.code, { level: 9 }).length, 0);
  return {
    bytes: sizeOf(chunks.filter((chunk) => first.has(chunk.fileName))),
    lazy: sizeOf(chunks.filter((chunk) => !first.has(chunk.fileName))),
    text: chunks.map((chunk) => chunk.code).join('\n'),
  };
}

/** The chunks that are loaded with the entry. */
function reachable(
  chunks: readonly Rolldown.OutputChunk[],
  name: string,
  seen: Set<string> = new Set(),
): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const imported of chunks.find((chunk) => chunk.fileName === name)?.imports ?? [])
    reachable(chunks, imported, seen);
  return seen;
}
