import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { defineDetector } from './detector.ts';
import { countNoun, inside, quoteName } from './wording.ts';

type Failures = { count: number; readonly inputs: JsonValue[] };

/** Outcomes and codes that have findings of their own. */
const reported = new Set(['tool-calls-exceeded', 'tool-interrupted']);

/** The remedies of the errors that the library raises for tools. */
const remedies: { readonly [code: string]: string } = {
  'tool-input-invalid':
    'Describe the parameter in the schema of the tool, or accept what the model sends. The model reads the issues and may correct itself.',
  'tool-output-invalid': 'Correct what the tool returns, or the schema in `output`.',
  'tool-unknown': 'Name only tools that exist in the prompt. Look at the tools that this step was sent.',
  'tool-timeout': 'Make the tool faster, or raise its `timeoutMs`.',
  'subagent-failed': 'Open the subagent to see how its own run ended.',
};

/** Tool calls that failed. */
export const callFailed = defineDetector({
  code: 'call-failed',
  area: 'tools',
  severity: 'warning',
  finds: 'Tool calls that failed, with their error, also when the run went on and ended as usual.',
  reads: { 'call-settle': ['outcome', 'error'], 'tool-elsewhere': ['outcome'] },
  watch: () => {
    const failures = new Map<string, Failures>();
    return ({ event, call }) => {
      if (event.outcome !== 'failed' || call === null) return null;
      const { error } = call;
      const code = error?.code ?? '';
      if (reported.has(code)) return null;
      const { name, input } = call.toolCall;
      const key = `${name}|${code}`;
      const known = failures.get(key) ?? { count: 0, inputs: [] };
      failures.set(key, known);
      known.count++;
      if (known.inputs.length < 3) known.inputs.push(input);
      const message = error?.message ?? 'no message';
      const times = known.count === 1 ? 'A call' : countNoun(known.count, 'call');
      return {
        key,
        // The findings of the subagent say why it failed.
        severity: call.childState === null ? 'warning' : 'note',
        sentence: `${times} of tool ${quoteName(name)} failed: ${inside(message)}.`,
        remedy: remedies[code] ?? 'Correct the error in the tool, or the arguments that the model gives.',
        evidence: { who: name, code, message, count: known.count, inputs: [...known.inputs] },
      };
    };
  },
});
