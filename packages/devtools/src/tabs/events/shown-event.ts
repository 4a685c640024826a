import type { AgentEvent } from '@vitrine/core';
import { type RecordedEvent, redact, redacted, redactText } from '@vitrine/core/inspect';
import type { Texts } from '../../texts.ts';

/** An event with secrets redacted, including a secret that spans several deltas. */
export function shownEvent(events: readonly RecordedEvent[], index: number, texts: Texts): unknown {
  const event = events[index]?.event;
  if (event?.type === 'tool-call-delta') return redact({ ...event, delta: inputOf(event.delta, texts) });
  if (event?.type !== 'text-delta' && event?.type !== 'reasoning-delta') return redact(event);
  const whole = piecesAround(events, index, event).join('');
  return redact(redactText(whole, 'delta') === whole ? event : { ...event, delta: redacted });
}

/** The parsed input of a call, so that secret names are recognised; for a partial input, its length. */
function inputOf(text: string, { events }: Texts): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return events.partialInput(text.length);
  }
}

type Delta = Extract<AgentEvent, { readonly type: 'text-delta' | 'reasoning-delta' }>;

/** All deltas of the answer part that a delta belongs to. */
function piecesAround(
  events: readonly RecordedEvent[],
  index: number,
  { path, type, partId }: Delta,
): readonly string[] {
  const agent = path.join('/');
  const own = events.flatMap(({ event }, at) => (event.path.join('/') === agent ? [{ event, at }] : []));
  // Part ids start anew in every answer.
  const isStart = ({ event }: (typeof own)[number]): boolean => event.type === 'inference-start';
  const from = own.findLastIndex((entry) => entry.at < index && isStart(entry));
  const to = own.findIndex((entry) => entry.at > index && isStart(entry));
  return own
    .slice(Math.max(0, from), to < 0 ? undefined : to)
    .flatMap(({ event }) => (event.type === type && event.partId === partId ? [event.delta] : []));
}
