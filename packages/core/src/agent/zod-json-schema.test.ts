import { beforeEach, describe, expect, it, vi } from 'vitest';
import * as zod from 'zod';
import * as z from 'zod/mini';
import type { InferenceRequest } from '../model/inference-client.ts';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import type { AgentInit } from './agent-definition.ts';

type Library = typeof import('../index.ts') & typeof import('@vitrine/testing');
let library: Library;

/** Each test has a library that has not loaded zod's converter yet. */
beforeEach(async () => {
  vi.resetModules();
  library = { ...(await import('../index.ts')), ...(await import('@vitrine/testing')) };
});

const booking = z.object({
  day: z.iso.date().check(z.describe('The first day')),
  nights: z._default(z.int(), 1),
  guests: z.array(z.object({ name: z.string() })),
});

const wanted = { required: ['day', 'guests'] };

function book(input: z.ZodMiniType = booking) {
  return library.defineTool({ name: 'book', description: 'Books a room', input, execute: () => 'Booked' });
}

/** The requests that the model of an agent received in one run, and the errors of the run. */
async function requestsOf(init: Partial<AgentInit>, script: ScriptedStep[] = [{ text: '{}' }]) {
  const requests: InferenceRequest[] = [];
  const entries = script.map((entry) => (request: InferenceRequest) => {
    requests.push(request);
    return entry;
  });
  const inference = library.scriptedInference(entries);
  const agent = library.defineAgent({ ...init, inference, retry: { maxOutputRetries: 0 } });
  const { state } = await library.runAgent(agent, 'Book it');
  return { agent, requests, errors: library.AgentState.errors(state) };
}

const sent = ({ requests }: { requests: InferenceRequest[] }) => requests[0]?.tools[0]?.inputSchema;

describe('a zod/mini schema', () => {
  it('a tool with a zod/mini schema is offered as zod converts the schema', async () => {
    const { $schema: _dialect, ...expected } = z.toJSONSchema(booking, { io: 'input' });
    expect(sent(await requestsOf({ tools: [book()] }))).toEqual(expected);
    expect(expected).toMatchObject({
      properties: { day: { format: 'date', description: 'The first day' }, nights: { default: 1 } },
      required: ['day', 'guests'],
    });
  });

  it('a zod/mini schema that contains itself is offered with a reference', async () => {
    const part: z.ZodMiniType = z.object({ name: z.string(), parts: z.array(z.lazy(() => part)) });
    const items = { $ref: '#' };
    expect(sent(await requestsOf({ tools: [book(part)] }))).toMatchObject({
      properties: { parts: { items } },
    });
  });

  it('a response format of zod/mini is asked for with closed objects', async () => {
    const { requests } = await requestsOf({ responseFormat: z.object({ a: z.number() }) });
    expect(requests[0]?.responseFormat).toMatchObject({
      schema: { required: ['a'], additionalProperties: false },
    });
  });

  it('a plugin, and its prepare, may offer a tool with a zod/mini schema', async () => {
    const plugin = { id: 'p', state: zod.any() };
    const prepare = () => ({ tools: [book()] });
    const prepared = await requestsOf({ plugins: [library.definePlugin({ ...plugin, prepare })] });
    expect(sent(prepared)).toMatchObject(wanted);
    const given = library.definePlugin({ ...plugin, tools: [book()] });
    expect(sent(await requestsOf({ plugins: [given] }))).toMatchObject(wanted);
  });

  it('a subagent may have a tool with a zod/mini schema', async () => {
    const asked: InferenceRequest[] = [];
    const inference = library.scriptedInference([(request) => (asked.push(request), { text: 'Done' })]);
    const clerk = library.defineAgent({ name: 'clerk', tools: [book()], inference });
    const delegate = { toolCalls: [{ name: 'delegate', input: { agent: 'clerk', task: 'Book' } }] };
    await requestsOf({ subagents: [clerk] }, [delegate, { text: 'Done' }]);
    expect(asked[0]?.tools[0]?.inputSchema).toMatchObject(wanted);
  });

  it('Tool.inputSchema converts a zod/mini schema without a run', async () => {
    expect(await library.Tool.inputSchema(book())).toMatchObject(wanted);
  });

  it('a zod/mini type that JSON cannot express fails the run, with its place and the remedy', async () => {
    const at = z.object({ stays: z.array(z.object({ from: z.date() })) });
    const tool = await requestsOf({ tools: [book(at)] });
    expect(tool.errors).toEqual([expect.objectContaining({ code: 'agent-invalid' })]);
    expect(tool.errors[0]?.message).toMatch(
      /^Tool "book": .*Date.*at properties\.stays\.items\.properties\.from.*`inputSchema`/,
    );
    const format = await requestsOf({ responseFormat: z.date() });
    expect(format.errors[0]?.message).toMatch(/^Agent "agent": responseFormat: .*Date.*responseFormat: \{/);
  });

  it('a converter that cannot be loaded fails the run, and the next run loads it', async () => {
    vi.doMock('./zod-json-schema.ts', () => {
      throw new Error('offline');
    });
    const failed = await requestsOf({ tools: [book()] });
    vi.doUnmock('./zod-json-schema.ts');
    const why = expect.stringMatching(/^Tool "book": .*cannot be loaded/) as string;
    expect(failed.errors).toEqual([expect.objectContaining({ code: 'inference-failed', message: why })]);
    expect((await requestsOf({ tools: [book()] })).errors).toEqual([]);
  });

  it('an agent without zod/mini schemas does not load the converter', async () => {
    let isLoaded = false;
    vi.doMock('./zod-json-schema.ts', async (original) => {
      isLoaded = true;
      return original();
    });
    const input = zod.object({ day: zod.string() });
    const tool = library.defineTool({ name: 'book', description: '', input, execute: () => 'Booked' });
    expect(sent(await requestsOf({ tools: [tool] }))).toMatchObject({ required: ['day'] });
    expect(isLoaded).toBe(false);
    await requestsOf({ tools: [book()] });
    vi.doUnmock('./zod-json-schema.ts');
    expect(isLoaded).toBe(true);
  });
});
