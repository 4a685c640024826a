import type { AgentState } from '@vitrine/core/internal/graph/types';
import { defineDetector } from './detector.ts';
import { countNoun } from './wording.ts';

const partsOf = (agent: AgentState): unknown => agent.execution?.currentStep?.outputMessages[0]?.parts;

/** Files, sources and calls of an answer beyond the most parts that an answer keeps. */
export const partsDropped = defineDetector({
  code: 'parts-dropped',
  area: 'model',
  severity: 'warning',
  finds: 'Files, sources and calls of an answer that has more parts than an answer keeps.',
  reads: { file: [], source: [], 'tool-call': [], 'inference-end': [] },
  watch() {
    let dropped = 0;
    return ({ event, agent, before }) => {
      if (event.type !== 'inference-end') {
        if (partsOf(agent) === partsOf(before)) dropped += 1;
        return null;
      }
      const count = dropped;
      dropped = 0;
      if (count === 0) return null;
      return {
        sentence: `${countNoun(count, 'part')} of the answer (files, sources or calls) ${count === 1 ? 'was' : 'were'} left out, because an answer keeps 1,000 parts and 10,000 calls.`,
        remedy: 'Look at what the model sends, or ask it for less at once.',
        evidence: { dropped: count },
      };
    };
  },
});
