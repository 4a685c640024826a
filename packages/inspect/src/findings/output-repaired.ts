import { responseText } from '@vitrine/core/internal/graph/agent-step';
import { text } from '@vitrine/core/internal/graph/message';
import { defineDetector } from './detector.ts';
import { countNoun, inside } from './wording.ts';

/** Structured output that did not fit its schema and was requested again. */
export const outputRepaired = defineDetector({
  code: 'output-repaired',
  area: 'model',
  severity: 'warning',
  finds: 'Structured output that did not fit its schema and was requested again, or never fitted.',
  reads: {
    'message-add': ['source', 'message'],
    'stop-signal': ['signal'],
  },
  watch: () => {
    let repairs = 0;
    return ({ event, step }) => {
      const answer = step === null ? '' : responseText(step);
      if (event.type === 'stop-signal') {
        const { reason, source, message } = event.signal;
        if (source !== 'response-format' || reason !== 'retry-limit-reached') return null;
        return {
          severity: 'error',
          key: 'output',
          sentence: `The answer never fitted its schema, also after ${countNoun(repairs, 'repair')}: ${inside(message)}.`,
          remedy:
            'Make the schema simpler, describe its fields, or use a model that supports structured output.',
          evidence: { before: answer, repairs, issues: message },
        };
      }
      if (event.source !== 'response-format') return null;
      repairs++;
      const issues = text(event.message);
      return {
        key: 'output',
        sentence: `The answer did not fit its schema and was requested again (${countNoun(repairs, 'repair')}): ${inside(issues)}.`,
        remedy:
          'Describe the fields that fail in the schema. Each repair costs a model call; `retry.maxOutputRetries` is their limit.',
        evidence: { before: answer, repairs, issues },
      };
    };
  },
});
