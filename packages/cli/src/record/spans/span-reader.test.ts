import { createSessionHub } from '@vitrine/core/internal/session/hub';
import { systemEnv } from '@vitrine/core';
import { createRecorder, eventsOf } from '@vitrine/inspect';
import type { Foreign } from '@vitrine/inspect/internal/foreign/foreign-values';
import { expect, it } from 'vitest';
import { Lines } from '../lines.ts';
import { recordTexts } from '../record-texts.ts';
import { spansIn } from './span.ts';
import { SpanReader } from './span-reader.ts';
import { batchOf, tell, type ToldAgent } from './told-programs.fixture.ts';

const inner: ToldAgent = { name: 2, isCut: false, steps: [] };
const outer: ToldAgent = {
  name: 1,
  isCut: false,
  steps: [
    {
      ms: 5,
      calls: [
        { name: 'look', ms: 7, hasFailed: true, agent: null },
        { name: 'ask', ms: 0, hasFailed: false, agent: inner },
      ],
    },
  ],
};

function reading() {
  const hub = createSessionHub();
  const recorder = createRecorder({ hub });
  let clock = 0;
  const env = { ...systemEnv, now: () => clock, monotonic: () => clock };
  const lines = new Lines(hub, env);
  const reader = new SpanReader(lines, (ms) => (clock = ms));
  const take = (given: Parameters<typeof batchOf>[0], now: number): void => {
    reader.take(spansIn(Buffer.from(batchOf(given, true)), 0), now);
  };
  return { hub, recorder, lines, reader, take };
}

it('a trace is read a second after its last span, and one of which spans are missing half a minute after', () => {
  const { spans } = tell([{ agent: outer, at: 0 }], 'gen_ai');
  const { hub, reader, take } = reading();
  take(spans.slice(0, -1), 0);
  reader.read(20_000, false);
  expect(hub.sources()).toHaveLength(0);
  take(spans.slice(-1), 20_000);
  reader.read(20_900, false);
  expect(hub.sources()).toHaveLength(0);
  reader.read(21_000, false);
  expect(hub.sources().map(({ name }) => name)).toEqual(['Agent 1']);
  const second = reading();
  second.take(spans.slice(0, -1), 0);
  second.reader.read(30_000, false);
  expect(second.hub.sources()).toHaveLength(1);
});

it('a subagent that spans tell is no guess, and the error of its tool is that of the call', () => {
  const { spans } = tell([{ agent: outer, at: 0 }], 'openinference');
  const { hub, recorder, reader, take } = reading();
  take(spans, 0);
  reader.read(0, true);
  const [source] = hub.sources();
  const record = recorder.read(source!);
  const events = eventsOf(record).map(({ event }) => event);
  expect(events.flatMap((event) => (event.type === 'subagent-start' ? event.name : []))).toEqual(['Agent 2']);
  expect(JSON.stringify(record.state)).not.toContain(recordTexts.guess);
  expect(events.filter((event) => event.type === 'tool-end')).toMatchObject([
    { status: 'completed', at: 1_700_000_000_008 },
    { status: 'failed', error: { message: 'no' }, at: 1_700_000_000_012 },
  ]);
});

it('a model call whose span holds no messages is not shown', () => {
  const { spans } = tell([{ agent: inner, at: 0 }], 'gen_ai');
  const { hub, reader, take } = reading();
  const isContent = ({ key }: { readonly key: string }): boolean => key.includes('messages');
  const bare = spans.map((span) => ({
    ...span,
    attributes: (span['attributes'] as { key: string }[]).filter((attribute) => !isContent(attribute)),
  }));
  take(bare, 0);
  reader.read(0, true);
  expect(reader.count).toBe(2);
  expect(hub.sources()).toHaveLength(0);
});

/** The ends of the calls and runs in each session. */
function endsIn({ hub, recorder }: ReturnType<typeof reading>): readonly string[][] {
  return hub
    .sources()
    .map((source) =>
      eventsOf(recorder.read(source)).flatMap(({ event: { type } }) =>
        /^(tool|execution)-end$/.test(type) ? type : [],
      ),
    );
}

it.each([{ endTimeUnixNano: '1699999999990000000' }, { endTimeUnixNano: undefined }])(
  'a span that ends before its beginning, as $endTimeUnixNano, takes no time',
  (end) => {
    const { spans } = tell([{ agent: outer, at: 0 }], 'gen_ai');
    const told = reading();
    told.take(
      spans.map((span) => (span['name'] === 'chat' ? { ...span, ...end } : span)),
      0,
    );
    told.reader.read(0, true);
    expect(endsIn(told)).toEqual([['execution-end', 'tool-end', 'tool-end', 'execution-end']]);
  },
);

it('two traces may have spans with the same ids, and one span without an id hides no other', () => {
  const told = reading();
  const spansOf = (trace: string): readonly Foreign[] =>
    tell([{ agent: { ...outer, name: Number(trace) }, at: 0 }], 'gen_ai').spans.map((span) => {
      const text = JSON.stringify({ ...span, traceId: trace.repeat(32) });
      return JSON.parse(text.replaceAll('Task 0', `Task ${trace}`)) as Foreign;
    });
  const [{ spanId: _, ...nameless }] = spansOf('3') as readonly [Foreign];
  told.take([...spansOf('1'), ...spansOf('2'), nameless], 0);
  told.reader.read(0, true);
  expect(told.hub.sources().map(({ name }) => name)).toEqual(expect.arrayContaining(['Agent 1', 'Agent 2']));
});

it('the arguments of a tool are read once, also when no call has them', () => {
  const { spans } = tell([{ agent: outer, at: 0 }], 'openinference');
  let reads = 0;
  const many = spansIn(Buffer.from(batchOf(spans, true)), 0).flatMap((span) =>
    Array.from({ length: 40 }, (_, number) => {
      const attributes = { ...span.attributes };
      const args = `{"other":${number}}`;
      if (span.kind === 'tool')
        Object.defineProperty(attributes, 'input.value', { get: () => (reads++, args) });
      return { ...span, id: `${span.id} ${number}`, attributes };
    }),
  );
  const { reader } = reading();
  reader.take(many, 0);
  reader.read(0, true);
  // Once to see that they are there, and once for their text.
  expect(reads).toBe(2 * many.filter(({ kind }) => kind === 'tool').length);
});
