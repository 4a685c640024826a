import { defineAgent, defineTool } from '@vitrine/core';
import * as z from 'zod';
import { call, type Healthy, modelThatReads, tool } from './reading-model.fixture.ts';

const soon = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const pollsJob: Healthy = {
  name: 'polls-a-job',
  messages: ['Export my data.'],
  says: 'export.zip',
  agent(world) {
    let asked = 0;
    return defineAgent({
      name: 'exporter',
      tools: [
        tool(world, 'startExport', 'Starts an export', z.object({}), () => ({ job: 'j1' })),
        tool(world, 'jobStatus', 'Tells the status of a job', z.object({ job: z.string() }), () =>
          ++asked < 4 ? { status: 'running' } : { status: 'done', file: 'export.zip' },
        ),
      ],
      inference: modelThatReads(({ results }) => {
        const last = results.at(-1);
        if (!last) return call('startExport', {});
        return last.text.includes('done') ? 'Here it is: export.zip' : call('jobStatus', { job: 'j1' });
      }),
    });
  },
};

const pollsDeployment: Healthy = {
  name: 'polls-a-deployment',
  messages: ['Deploy and tell me when it is up.'],
  says: 'is up',
  agent(world) {
    let percent = 0;
    return defineAgent({
      name: 'deployer',
      budget: { maxSteps: 12 },
      tools: [
        tool(world, 'deploy', 'Deploys', z.object({ env: z.string() }), () => 'deployment 12 started'),
        tool(
          world,
          'deployment',
          'Tells how far a deployment is',
          z.object({ id: z.number() }),
          () => ({ percent: (percent += 25) }),
          { idempotent: true },
        ),
      ],
      inference: modelThatReads(({ results }) => {
        const last = results.at(-1);
        if (!last) return call('deploy', { env: 'staging' });
        return last.text.includes('100') ? 'Deployment 12 is up.' : call('deployment', { id: 12 });
      }),
    });
  },
};

const correctsDate: Healthy = {
  name: 'corrects-a-date',
  messages: ['Book a table for 28 November.'],
  says: 'booked',
  agent: (world) =>
    defineAgent({
      name: 'tables',
      tools: [
        tool(
          world,
          'bookTable',
          'Books a table',
          z.object({ day: z.iso.date() }),
          ({ day }) => `table 4 on ${day}`,
        ),
      ],
      inference: modelThatReads(({ results }) => {
        const last = results.at(-1);
        if (!last) return call('bookTable', { day: '28 November' });
        return last.failed ? call('bookTable', { day: '2026-11-28' }) : 'I have booked table 4.';
      }),
    }),
};

const correctsName: Healthy = {
  name: 'corrects-a-choice',
  messages: ['Set the priority of T-1 to urgent.'],
  says: 'high',
  agent: (world) =>
    defineAgent({
      name: 'tickets',
      tools: [
        tool(
          world,
          'setPriority',
          'Sets the priority of a ticket',
          z.object({ ticket: z.string(), priority: z.enum(['low', 'high']) }),
          ({ ticket, priority }) => ({ ticket, priority }),
        ),
      ],
      inference: modelThatReads(({ results }) => {
        const last = results.at(-1);
        if (!last) return call('setPriority', { ticket: 'T-1', priority: 'urgent' });
        return last.failed
          ? call('setPriority', { ticket: 'T-1', priority: 'high' })
          : 'T-1 has the priority high now.';
      }),
    }),
};

const threeCities: Healthy = {
  name: 'asks-for-three-cities-at-once',
  messages: ['Compare the weather in Bern, Rome and Oslo.'],
  says: 'Rome is the warmest',
  agent: (world) =>
    defineAgent({
      name: 'weather',
      tools: [
        tool(
          world,
          'weather',
          'Tells the weather of a city in degrees Celsius',
          z.object({ city: z.string() }),
          async ({ city }) => {
            await soon(city === 'Bern' ? 8 : 2);
            return { city, degrees: city === 'Rome' ? 24 : 11 };
          },
          { idempotent: true },
        ),
      ],
      inference: modelThatReads(({ results }) =>
        results.length === 3
          ? 'Rome is the warmest with 24 degrees.'
          : { toolCalls: ['Bern', 'Rome', 'Oslo'].map((city) => ({ name: 'weather', input: { city } })) },
      ),
    }),
};

const twoSources: Healthy = {
  name: 'reads-two-sources-at-once',
  messages: ['Is the lamp in stock, and what does it cost?'],
  says: '30 euros',
  agent: (world) =>
    defineAgent({
      name: 'shop',
      tools: [
        tool(world, 'stock', 'Tells the stock', z.object({ product: z.string() }), () => 7),
        tool(world, 'price', 'Tells the price', z.object({ product: z.string() }), () => ({ euros: 30 })),
      ],
      inference: modelThatReads(({ results }) =>
        results.length === 2
          ? 'There are 7 lamps, for 30 euros each.'
          : {
              text: 'I will look at both.',
              toolCalls: [
                { name: 'stock', input: { product: 'lamp' } },
                { name: 'price', input: { product: 'lamp' } },
              ],
            },
      ),
    }),
};

const busyProvider: Healthy = {
  name: 'provider-is-busy-once',
  messages: ['Say hello.'],
  says: 'Hello',
  agent() {
    let tries = 0;
    return defineAgent({
      name: 'greeter',
      retry: { baseDelayMs: 2 },
      inference: modelThatReads(() =>
        ++tries === 1
          ? { error: { code: 'rate-limited', message: '429 Too Many Requests', retryable: true } }
          : 'Hello!',
      ),
    });
  },
};

const busyService: Healthy = {
  name: 'service-is-busy-once',
  messages: ['Translate "house" to French.'],
  says: 'maison',
  agent(world) {
    let tries = 0;
    return defineAgent({
      name: 'translator',
      tools: [
        tool(
          world,
          'translate',
          'Translates a word',
          z.object({ word: z.string(), to: z.string() }),
          () => {
            if (++tries === 1) throw new Error('429 Too Many Requests, try again in a moment');
            return 'maison';
          },
          { idempotent: true },
        ),
      ],
      inference: modelThatReads(({ results }) => {
        const last = results.at(-1);
        return last && !last.failed ? 'It is "maison".' : call('translate', { word: 'house', to: 'fr' });
      }),
    });
  },
};

const slowReport: Healthy = {
  name: 'slow-tool-with-progress',
  messages: ['Index my documents.'],
  says: '40 documents',
  agent: (world) =>
    defineAgent({
      name: 'indexer',
      tools: [
        defineTool({
          name: 'index',
          description: 'Indexes all documents',
          input: z.object({}),
          async execute(_input, { report }) {
            world.effects.push('index');
            for (let value = 0; value <= 40; value += 10) {
              report({ value, max: 40 });
              await soon(15);
            }
            return { indexed: 40 };
          },
        }),
      ],
      inference: modelThatReads(({ results: [done] }) =>
        done ? 'I have indexed 40 documents.' : call('index', {}),
      ),
    }),
};

const slowFallback: Healthy = {
  name: 'slow-tool-with-a-fallback',
  messages: ['What is the rate of the dollar?'],
  says: '0.92',
  agent: (world) =>
    defineAgent({
      name: 'rates',
      systemPrompt: 'Take the live rate. When it does not answer in time, take that of yesterday and say so.',
      tools: [
        defineTool({
          name: 'liveRate',
          description: 'Reads the live rate',
          input: z.object({}),
          timeoutMs: 20,
          effects: 'idempotent',
          execute: async (_input, { signal }) => {
            world.ran.push('liveRate');
            await Promise.race([
              soon(400),
              new Promise((_resolve, reject) =>
                signal.addEventListener('abort', () => reject(signal.reason)),
              ),
            ]);
            return 0.93;
          },
        }),
        tool(world, 'rateOfYesterday', 'Reads the rate of yesterday', z.object({}), () => 0.92),
      ],
      inference: modelThatReads(({ results: [live, old] }) => {
        if (!live) return call('liveRate', {});
        if (old) return 'The live rate does not answer. Yesterday it was 0.92.';
        return live.failed ? call('rateOfYesterday', {}) : `It is ${live.text}.`;
      }),
    }),
};

const noHits: Healthy = {
  name: 'nothing-found',
  messages: ['Do we have a contract with Nimbus?'],
  says: 'no contract',
  agent: (world) =>
    defineAgent({
      name: 'archive',
      tools: [tool(world, 'search', 'Searches contracts', z.object({ q: z.string() }), () => [])],
      inference: modelThatReads(({ results: [hits] }) =>
        hits ? 'There is no contract with Nimbus.' : call('search', { q: 'Nimbus' }),
      ),
    }),
};

const noEntry: Healthy = {
  name: 'empty-then-wider',
  messages: ['Find the recipe for Zuger Kirschtorte.'],
  says: 'page 88',
  agent: (world) =>
    defineAgent({
      name: 'recipes',
      tools: [
        tool(world, 'find', 'Finds recipes', z.object({ words: z.string() }), ({ words }) =>
          words === 'Kirschtorte' ? { page: 88 } : null,
        ),
      ],
      inference: modelThatReads(({ results }) => {
        if (results.length === 0) return call('find', { words: 'Zuger Kirschtorte' });
        return results.at(-1)?.output === null ? call('find', { words: 'Kirschtorte' }) : 'It is on page 88.';
      }),
    }),
};

const bigTable: Healthy = {
  name: 'big-result',
  messages: ['Which product sold best?'],
  says: 'P-777',
  agent: (world) =>
    defineAgent({
      name: 'sales',
      tools: [
        tool(
          world,
          'sales',
          'Reads the sales of all products',
          z.object({}),
          () =>
            Array.from({ length: 900 }, (_, id) => ({ id: `P-${id}`, sold: id === 777 ? 9999 : id % 50 })),
          { idempotent: true },
        ),
      ],
      inference: modelThatReads(({ results: [table] }) => {
        if (!table) return call('sales', {});
        const rows = table.output as { id: string; sold: number }[];
        return `The best is ${rows.toSorted((a, b) => b.sold - a.sold)[0]?.id}.`;
      }),
    }),
};

const bigLog: Healthy = {
  name: 'big-log',
  messages: ['Why did the build fail?'],
  says: 'missing semicolon',
  agent: (world) =>
    defineAgent({
      name: 'builder',
      tools: [
        tool(
          world,
          'buildLog',
          'Reads the log of the last build',
          z.object({ lines: z.number() }),
          () => `${'[info] compiled a file\n'.repeat(1500)}[error] a.ts:4 missing semicolon`,
          { idempotent: true },
        ),
      ],
      inference: modelThatReads(({ results: [log] }) =>
        log
          ? `The build failed with: ${/\[error\] (.*?)"/.exec(log.text)?.[1]}.`
          : call('buildLog', { lines: 2000 }),
      ),
    }),
};

/** Healthy runs with remarkable calls of tools and models. */
export const healthyTools: readonly Healthy[] = [
  pollsJob,
  pollsDeployment,
  correctsDate,
  correctsName,
  threeCities,
  twoSources,
  busyProvider,
  busyService,
  slowReport,
  slowFallback,
  noHits,
  noEntry,
  bigTable,
  bigLog,
];
