import { A2uiSurface, basicCatalog, type ReactComponentImplementation } from '@a2ui/react/v0_9';
import { type ActionListener, MessageProcessor } from '@a2ui/web_core/v0_9';
import fc from 'fast-check';
import { parsePartialJson } from '@vitrine/core/internal/kit/partial-json';
import { AgentState, runAgent, defineAgent } from '@vitrine/react';
import { scriptedInference } from '@vitrine/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSurfaces } from '../../apps/registry/a2ui-surfaces.tsx';
import { a2uiTool } from '../../apps/registry/a2ui-tool.tsx';
import { a2uiView } from '../../apps/registry/a2ui-view.tsx';
import { booking, brokenSurface } from './a2ui-page/messages.ts';

// The files of the registry with the packages of the protocol.

const createProcessor = (onAction?: ActionListener) =>
  new MessageProcessor<ReactComponentImplementation>([basicCatalog], onAction);
type Surfaces = ReturnType<typeof createProcessor>['model']['surfacesMap'];
type Json = Readonly<Record<string, unknown>>;

const version = 'v0.9';
const surfaceIds = ['a', 'b'];
const ids = ['root', 'one', 'two', 'three'];
const create = (surfaceId: string): Json => ({
  version,
  createSurface: { surfaceId, catalogId: basicCatalog.id },
});

/** The content of the processor. */
function described(surfaces: Surfaces): readonly unknown[] {
  return Array.from(surfaces.values(), ({ id, componentsModel, dataModel }) => ({
    id,
    components: ids.map((one) => componentsModel.get(one)?.componentTree ?? null),
    data: dataModel.get('/'),
  }));
}

const text = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('{', '"]', '\\u00e9', 'ü😀'));
const id = fc.constantFrom(...ids);
const component = fc.oneof(
  fc.record({
    id,
    component: fc.constant('Text'),
    text: fc.oneof(text, fc.record({ path: fc.constant('/name') })),
  }),
  fc.record({
    id,
    component: fc.constant('Column'),
    children: fc.array(fc.constantFrom('one', 'two'), { maxLength: 3 }),
  }),
  fc.record({ id, component: fc.constant('Card'), child: fc.constantFrom('two', 'three') }),
);
const message = fc.oneof(
  fc.record({
    version: fc.constant(version),
    updateComponents: fc.record({
      surfaceId: fc.constantFrom(...surfaceIds),
      components: fc.array(component, { minLength: 1, maxLength: 4 }),
    }),
  }),
  fc.record({
    version: fc.constant(version),
    updateDataModel: fc.record({
      surfaceId: fc.constantFrom(...surfaceIds),
      path: fc.constantFrom('/', '/name'),
      value: fc.oneof(fc.dictionary(fc.constantFrom('name', 'x'), text), fc.constant({})),
    }),
  }),
);
const root = (surfaceId: string): Json => ({
  version,
  updateComponents: { surfaceId, components: [{ id: 'root', component: 'Column', children: ['one'] }] },
});
const messageLists = fc
  .array(message, { maxLength: 6 })
  .map((list) => [...surfaceIds.map(create), ...list, ...surfaceIds.map(root)]);
const cuts = fc.array(fc.nat(2_000), { maxLength: 12 });

/** Takes a text in pieces, and then whole. */
function takeInPieces(all: string, places: readonly number[]) {
  const processors: ReturnType<typeof createProcessor>[] = [];
  const surfaces = createSurfaces(() => {
    processors.push(createProcessor());
    return processors.at(-1)!;
  });
  const problems: (string | null)[] = [];
  for (const place of places.map((one) => one % (all.length + 1)).toSorted((a, b) => a - b)) {
    const { messages } = (parsePartialJson(all.slice(0, place)) ?? {}) as { readonly messages?: unknown };
    if (messages !== undefined) problems.push(surfaces.take(messages, false).problem);
  }
  const whole = (JSON.parse(all) as { readonly messages?: unknown }).messages;
  return {
    problems,
    last: surfaces.take(whole, true),
    processor: processors.at(-1)!,
    made: processors.length,
  };
}

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => vi.restoreAllMocks());

describe('the surfaces of a streaming call', () => {
  it('the surfaces of messages that are cut anywhere end as those of the whole list, and tell no fault before', () => {
    fc.assert(
      fc.property(messageLists, cuts, (messages, places) => {
        const { problems, last, processor, made } = takeInPieces(JSON.stringify({ messages }), places);
        const expected = createProcessor();
        expected.processMessages(JSON.parse(JSON.stringify(messages)) as never);
        expect(described(processor.model.surfacesMap)).toEqual(described(expected.model.surfacesMap));
        expect(last.problem).toBeNull();
        expect(problems.filter((one) => one !== null)).toEqual([]);
        expect(made).toBe(1);
      }),
      { numRuns: 300 },
    );
  });

  it('the surfaces of any JSON throw nothing, and tell a fault only when the list is whole', () => {
    const broken = fc.array(
      fc.oneof(message, fc.jsonValue(), fc.constant(create('a')), fc.constant(root('c'))),
    );
    fc.assert(
      fc.property(fc.oneof(broken, fc.jsonValue()), cuts, (messages, places) => {
        const { problems, last } = takeInPieces(JSON.stringify({ messages }), places);
        expect(problems.filter((one) => one !== null)).toEqual([]);
        expect(last.problem === null || last.surfaces.length === 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('the whole arguments replace a beginning that they do not continue', () => {
    const surfaces = createSurfaces(createProcessor);
    surfaces.take([create('a'), root('a'), {}], false);
    const { surfaces: shown, problem } = surfaces.take([create('b'), root('b')], true);
    expect([shown.map((surface) => surface.id), problem]).toEqual([['b'], null]);
  });

  it('whole arguments that correct a fault in their beginning are shown', () => {
    const surfaces = createSurfaces(createProcessor);
    const fault = update([{ id: 'root', component: 'Card' }]);
    surfaces.take([create('a'), fault, {}], false);
    const { surfaces: shown, problem } = surfaces.take([create('a'), root('a')], true);
    expect([shown.map((surface) => surface.id), problem]).toEqual([['a'], null]);
    const text = createSurfaces(createProcessor);
    text.take('[{"version":', false);
    expect(text.take([create('a'), root('a')], true).problem).toBeNull();
  });

  it('the data of a surface are its own, whatever its name', () => {
    const surfaces = createSurfaces(createProcessor);
    const named = {
      version,
      createSurface: { surfaceId: 'a', catalogId: basicCatalog.id, sendDataModel: true },
    };
    surfaces.take([named, root('a'), create('constructor'), root('constructor')], true);
    expect([surfaces.dataOf('a'), surfaces.dataOf('constructor')]).toEqual([{}, undefined]);
  });

  it('a person who writes into a field leaves the stored arguments as they are', () => {
    const stored = structuredClone(booking);
    const [surface] = createSurfaces(createProcessor).take(stored, true).surfaces;
    surface?.dataModel.set('/name', 'Bea');
    expect(surface?.dataModel.get('/name')).toBe('Bea');
    expect(stored).toEqual(booking);
  });
});

const update = (components: readonly Json[]): Json => ({
  version,
  updateComponents: { surfaceId: 'a', components },
});
const doubling = Array.from({ length: 20 }, (_, n) => ({
  id: n === 0 ? 'root' : `c${n}`,
  component: 'Column',
  children: [`c${n + 1}`, `c${n + 1}`],
}));
const deep = Array.from({ length: 101 }, (_, n) => ({
  id: n === 0 ? 'root' : `c${n}`,
  component: 'Card',
  child: `c${n + 1}`,
}));
const rows = Array.from({ length: 100 }, (_, n) => ({ n }));
const nested = ['root', 'two', 'three'].map((one, n) => ({
  id: one,
  component: 'List',
  children: { componentId: ['two', 'three', 'one'][n], path: '/rows' },
}));

describe('messages that cannot be shown', () => {
  it.each<[string, unknown, RegExp]>([
    ['no list', 'hello', /no list of messages/],
    ['an unknown message', [{ version, beginRendering: {} }], /Message 1 must be one of createSurface/],
    [
      'two messages in one',
      [{ ...create('a'), deleteSurface: { surfaceId: 'a' } }],
      /Message 1 must be one of/,
    ],
    ['a message without a surface', [{ version, updateDataModel: {} }], /names no surfaceId/],
    ['a surface that is not there', [root('z')], /Surface not found for message: z/],
    [
      'an unknown catalog',
      [{ version, createSurface: { surfaceId: 'a', catalogId: 'x' } }],
      /Catalog not found: x/,
    ],
    [
      'an unknown component',
      brokenSurface,
      /"root" is of the type "Rocket", which the catalog does not have/,
    ],
    [
      'a component with wrong properties',
      [create('a'), update([{ id: 'root', component: 'Card' }])],
      /child/,
    ],
    ['a surface without a root', [create('a')], /"a" has no component with the id "root"/],
    ['too many messages', Array.from({ length: 1001 }, () => create('a')), /more than 1000 messages/],
    [
      'components that double',
      [create('a'), update([...doubling, { id: 'c20', component: 'Text', text: '' }])],
      /more than 2000 parts/,
    ],
    [
      'components in each other',
      [create('a'), update([...deep, { id: 'c101', component: 'Text', text: '' }])],
      /more than 100 components in each other/,
    ],
    [
      'lists in lists',
      [
        create('a'),
        update([...nested, { id: 'one', component: 'Text', text: '' }]),
        { version, updateDataModel: { surfaceId: 'a', value: { rows } } },
      ],
      /more than 2000 parts/,
    ],
  ])('a list with %s is a sentence, for the person and for the model', async (_, messages, sentence) => {
    const { surfaces, problem } = createSurfaces(createProcessor).take(messages, true);
    expect(surfaces).toEqual([]);
    expect(problem).toMatch(sentence);
    const tool = a2uiTool(createProcessor);
    const call = { name: tool.name, input: { messages } as never };
    const inference = scriptedInference([{ toolCalls: [call] }, { text: 'Sorry.' }]);
    const { state } = await runAgent(defineAgent({ inference, tools: [tool] }), 'Show it');
    expect(AgentState.lastToolExecution(state)?.error?.message).toMatch(sentence);
  });

  it('a chain that names itself is drawn by the package, not followed without an end', () => {
    const chain = [
      { id: 'root', component: 'Card', child: 'one' },
      { id: 'one', component: 'Card', child: 'root' },
    ];
    expect(createSurfaces(createProcessor).take([create('a'), update(chain)], true).problem).toBeNull();
  });
});

it('the tool tells the model the catalog, and takes a list that shows', async () => {
  const tool = a2uiTool(createProcessor);
  expect(JSON.stringify(tool.inputSchema)).toContain('ChoicePicker');
  expect(a2uiView(tool, { createProcessor, Surface: A2uiSurface }).toolName).toBe('show_interface');
  const call = { name: tool.name, input: { messages: booking } as never };
  const inference = scriptedInference([{ toolCalls: [call] }, { text: 'There it is.' }]);
  const { state } = await runAgent(defineAgent({ inference, tools: [tool] }), 'Show it');
  expect(AgentState.lastToolExecution(state)?.result).toBe('The person sees it.');
});
