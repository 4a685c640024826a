import type { AgentEvent } from '../../run/events.ts';

/** Passes events on, except those of an answer that still streams: a secret in it must not leave in pieces. */
export type WholeAnswers = {
  /** Adds an event and returns the events that can be sent now, in order. */
  readonly add: (event: AgentEvent) => readonly AgentEvent[];
  /** Returns all events that were held back. */
  readonly end: () => readonly AgentEvent[];
};

/** Event types with which an answer ends or is given up. */
const ends: ReadonlySet<AgentEvent['type']> = new Set([
  'inference-start',
  'inference-end',
  'step-end',
  'execution-pause',
  'execution-end',
]);

export function createWholeAnswers(): WholeAnswers {
  /** Held events by agent, in the order of arrival. */
  const waiting = new Map<string, AgentEvent[]>();

  /** Releases the events of an agent and of its subagents, which cannot outlast it. */
  function released(agent: string): AgentEvent[] {
    const found: AgentEvent[] = [];
    for (const [key, events] of waiting) {
      const isBelow = agent === '' || key.startsWith(`${agent}/`);
      if (key !== agent && !isBelow) continue;
      waiting.delete(key);
      found.push(...events);
    }
    return found;
  }

  return {
    add(event) {
      // The complete input is in the call that follows.
      if (event.type === 'tool-call-delta') return [];
      const agent = event.path.join('/');
      if (ends.has(event.type)) return [...released(agent), event];
      const held = waiting.get(agent);
      if (held !== undefined) {
        held.push(event);
        return [];
      }
      if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') return [event];
      waiting.set(agent, [event]);
      return [];
    },
    end() {
      return released('');
    },
  };
}
