import type { AgentEvent } from '@vitrine/core';
import type { RecordedEvent } from '@vitrine/inspect';
import { describe, expect, it } from 'vitest';
import { shownEvent } from './summarize-event.ts';
import { texts } from '../../texts.ts';

function recordRun(...events: readonly object[]): readonly RecordedEvent[] {
  return events.map((event, number) => ({
    number,
    event: { path: [], at: 0, ...event } as unknown as AgentEvent,
    stepNumber: 1,
    toolName: null,
    count: 1,
  }));
}

const start = { type: 'inference-start' };
const delta = (text: string, path: readonly string[] = []): object => ({
  type: 'text-delta',
  partId: 'a',
  delta: text,
  path,
});

describe('an expanded event', () => {
  it('a secret that arrived in several deltas is hidden, even with deltas of other agents between', () => {
    const events = recordRun(
      start,
      delta('The key is sk-ab'),
      delta('Meanwhile', ['b']),
      delta('c-1234567890'),
    );
    const shown = events.map((_, index) => JSON.stringify(shownEvent(events, index, texts)));
    expect(shown.join()).not.toContain('sk-ab');
    expect(shown.join()).not.toContain('1234567890');
    expect(shown[2]).toContain('Meanwhile');
  });

  it('a delta is shown although another answer completes it to a secret', () => {
    const events = recordRun(start, delta('The key is '), start, delta('sk-abc-1234567890'));
    expect(JSON.stringify(shownEvent(events, 1, texts))).toContain('The key is ');
  });

  it('the input of a call is shown by its names, and a partial input only by its length', () => {
    const input = { via: 'Rome', headers: { via: 'four grey horses' } };
    const text = JSON.stringify(input);
    const call = (piece: string): object => ({ type: 'tool-call-delta', toolCallId: 'c', delta: piece });
    expect(shownEvent(recordRun(call(text)), 0, texts)).toMatchObject({
      delta: { via: 'Rome', headers: { via: '•••' } },
    });
    expect(shownEvent(recordRun(call(text.slice(0, 30))), 0, texts)).toMatchObject({
      delta: '(30 characters of the input)',
    });
  });
});
