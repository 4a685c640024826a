import type { AgentEvent } from '../../run/events.ts';

/** Lets events through, but those of an answer that is still coming: a secret in it must not leave in pieces. */
export type WholeAnswers = {
  /** What can be told now that the event has come, in order. */
  readonly add: (event: AgentEvent) => readonly AgentEvent[];
  /** All that waits. */
  readonly end: () => readonly AgentEvent[];
};

/** With one of these an answer has ended, or was given up. */
const ends: ReadonlySet<AgentEvent['type']> = new Set([
  'inference-start',
  'inference-end',
  'step-end',
  'execution-pause',
  'execution-end',
]);

export function createWholeAnswers(): WholeAnswers {
  /** By agent; those that were heard first stand first. */
  const waiting = new Map<string, AgentEvent[]>();

  /** Of an agent and of those below it, which cannot outlast it. */
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
      // It stands whole in the call that it becomes.
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
