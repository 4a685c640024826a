import type { RecordedEvent } from '@vitrine/inspect';
import { describe, expect, it } from 'vitest';
import { mergeDeltas } from './merge-deltas.ts';

let number = 0;
const delta = (agent: string, text: string): RecordedEvent => ({
  number: ++number,
  count: 1,
  stepNumber: 1,
  toolName: null,
  event: { type: 'text-delta', partId: 'p', delta: text, path: [agent], seq: number, at: number },
});
const other = (): RecordedEvent =>
  ({ ...delta('a', ''), event: { type: 'step-start', path: [], seq: number, at: 0 } }) as never;
const texts = (events: readonly RecordedEvent[]): string[] =>
  events.map(({ event, count }) => ('delta' in event ? `${event.path[0]}:${event.delta}×${count}` : '-'));

describe('the deltas of the log', () => {
  it('the deltas of two subagents that write at the same time are one entry each', () => {
    number = 0;
    const log = [delta('a', 'O'), delta('b', 'T'), delta('a', 'n'), delta('b', 'wo'), delta('a', 'e')];
    const { events, entryOf } = mergeDeltas(log);
    expect(texts(events)).toEqual(['a:One×3', 'b:Two×2']);
    expect([...entryOf]).toEqual([
      [3, 1],
      [4, 2],
      [5, 1],
    ]);
  });

  it('deltas before and after another event stay apart', () => {
    expect(texts(mergeDeltas([delta('a', 'x'), other(), delta('a', 'y')]).events)).toEqual([
      'a:x×1',
      '-',
      'a:y×1',
    ]);
  });
});
