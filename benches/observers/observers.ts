import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../scripts/root.ts';
import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';

const libraries = ['ai-sdk', 'ag-ui', 'tanstack-ai', 'langgraph'];

type Times = { readonly watched: number; readonly plain: number };

/** Measures the cost of a text delta in the clients of other libraries, with their observer and without. */
export async function observers(rounds: number): Promise<Measured> {
  const server = spawn(process.execPath, [...process.execArgv, `${import.meta.dirname}/serve.ts`]);
  const [address] = (await once(server.stdout, 'data')) as [Buffer];
  try {
    const results = await interleave(libraries, rounds, async (library): Promise<Times> => {
      const args = [
        ...process.execArgv,
        join(root, 'tests/peers/measure-observers.ts'),
        library,
        String(address).trim(),
      ];
      // Observers do nothing in production.
      const env = { ...process.env, NODE_ENV: 'development' };
      const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 300_000 });
      return JSON.parse(stdout) as Times;
    });
    const of = (library: string, which: keyof Times): number =>
      median((results.get(library) ?? []).map((times) => times[which]));
    return {
      tables: [
        {
          title: 'A text delta in the client of another library, microseconds of processor time',
          head: ['library', 'without', 'observed'],
          rows: libraries.map((library) => [
            library,
            of(library, 'plain').toFixed(1),
            of(library, 'watched').toFixed(1),
          ]),
        },
      ],
      figures: libraries.map((library) => ({
        goal: 'observedDelta',
        of: library,
        value: of(library, 'watched') / of(library, 'plain'),
      })),
    };
  } finally {
    server.kill();
  }
}
