import { defineDetector } from './detector.ts';
import { inside, lasting, quoteName } from './wording.ts';

/** Waits from which on they are a note. */
const leastMs = 60_000;

type Wait = { readonly since: number; ms: number };

/** A call that waited long for a person, and what failed after the wait. */
export const approvalWaited = defineDetector({
  code: 'approval-waited',
  area: 'tools',
  severity: 'warning',
  finds:
    'A call that waited a minute or longer for a person. It is a warning when the call failed after the wait.',
  reads: {
    'approval-request': ['toolCallId'],
    'approval-answer': ['toolCallId', 'decision'],
    'call-settle': ['toolCallId', 'outcome', 'error'],
  },
  watch: () => {
    const waits = new Map<string, Wait>();
    return ({ event, call }) => {
      const { toolCallId } = event;
      if (event.type === 'approval-request') {
        waits.set(toolCallId, { since: event.at, ms: 0 });
        return null;
      }
      const wait = waits.get(toolCallId);
      if (wait === undefined) return null;
      const name = quoteName(call?.toolCall.name ?? '');
      if (event.type === 'approval-answer') {
        wait.ms += event.at - wait.since;
        if (wait.ms < leastMs) return null;
        return {
          key: toolCallId,
          severity: 'note',
          sentence: `The call of tool ${name} waited ${lasting(wait.ms)} for a person, who ${event.decision} it.`,
          remedy:
            'Nothing, unless people do not see the question. Data that the call relies on may be old by now.',
          evidence: { waitedMs: wait.ms, decision: event.decision },
        };
      }
      waits.delete(toolCallId);
      if (wait.ms < leastMs || event.outcome !== 'failed') return null;
      return {
        key: toolCallId,
        severity: 'warning',
        sentence: `The call of tool ${name} waited ${lasting(wait.ms)} for a person, and then failed: ${inside(event.error?.message ?? 'no message')}.`,
        remedy:
          'Fetch what can expire (tokens, prices, reservations) when the tool runs, and not when it is called.',
        evidence: { waitedMs: wait.ms, message: event.error?.message ?? null },
      };
    };
  },
});
