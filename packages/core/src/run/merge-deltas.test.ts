import { describe, expect, it } from 'vitest';
import type { AgentEvent, AgentEventOf } from './events.ts';
import { mergeDeltas } from './merge-deltas.ts';

let seq = 0;
type Delta = AgentEventOf<'text-delta' | 'reasoning-delta'>;
const delta = (text: string, fields: Partial<Delta> = {}): AgentEvent =>
  ({ type: 'text-delta', partId: '0', delta: text, path: [], seq: ++seq, at: seq, ...fields }) as AgentEvent;
/** The author and text of each event, in order. */
const said = (events: readonly AgentEvent[]): string[] =>
  mergeDeltas(events).map((event) =>
    event.type === 'text-delta'
      ? `${event.path.join('/')} ${event.partId} ${event.delta}`.trim()
      : event.type,
  );

describe('merged deltas of a journal', () => {
  it('merged deltas are those of one part, with the last position and their number', () => {
    const events = [delta('a'), delta('b'), delta('c')];
    expect(mergeDeltas(events)).toEqual([{ ...events[2], delta: 'abc', n: 3 }]);
    expect(mergeDeltas([...mergeDeltas(events.slice(0, 2)), events[2]!])).toEqual(mergeDeltas(events));
  });

  it('deltas of two parts or of two kinds are not merged', () => {
    expect(said([delta('a'), delta('b', { partId: '1' }), delta('c', { partId: '1' })])).toEqual([
      '0 a',
      '1 bc',
    ]);
    expect(mergeDeltas([delta('a', { type: 'reasoning-delta' }), delta('b')])).toHaveLength(2);
  });

  it('deltas of agents that run side by side are not merged', () => {
    const kid = (path: string, text: string): AgentEvent => delta(text, { path: [path] });
    expect(said([kid('x', 'a'), kid('y', 'b'), kid('x', 'c'), kid('y', 'd')])).toEqual(['x 0 ac', 'y 0 bd']);
  });

  it('deltas are separated by an event that changes the state, and not by a signal', () => {
    const others = { path: [], at: 1, hook: 'h', point: 'before-step', durationMs: 0 } as const;
    expect(said([delta('a'), { type: 'hook-end', seq: null, ...others }, delta('b')])).toEqual([
      '0 ab',
      'hook-end',
    ]);
    const changed = { type: 'execution-pause', path: [], seq: ++seq, at: seq } as const;
    expect(said([delta('a'), changed, delta('b')])).toEqual(['0 a', 'execution-pause', '0 b']);
  });

  it('merged deltas keep the metadata that the provider sent with each of them', () => {
    const [merged] = mergeDeltas([
      delta('a', { providerMetadata: { signature: 's' } }),
      delta('b'),
      delta('c', { providerMetadata: { model: 'm' } }),
    ]);
    expect(merged).toMatchObject({ delta: 'abc', providerMetadata: { signature: 's', model: 'm' } });
  });
});
