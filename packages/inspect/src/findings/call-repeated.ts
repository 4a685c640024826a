import { defineDetector } from './detector.ts';
import { quoteName } from './wording.ts';

/** Equal calls from which on they are a finding. */
const least = 3;
/** Longest arguments that are compared, in characters, and most different calls that are kept. */
const most = { characters: 4000, calls: 500 } as const;

/** A call that the model made again and again with equal arguments. */
export const callRepeated = defineDetector({
  code: 'call-repeated',
  area: 'tools',
  severity: 'warning',
  finds: 'A tool that the model called three times or more with equal arguments in one run.',
  reads: { 'tool-call': ['toolCallId', 'toolName', 'input'] },
  watch: () => {
    const calls = new Map<string, string[]>();
    return ({ event }) => {
      const { toolName, input, toolCallId } = event;
      const written = JSON.stringify(input);
      const key = `${toolName} ${written}`;
      const ids = calls.get(key) ?? [];
      if (written.length > most.characters || (ids.length === 0 && calls.size >= most.calls)) return null;
      calls.set(key, ids);
      ids.push(toolCallId);
      if (ids.length < least) return null;
      return {
        key,
        toolCallId,
        sentence: `The model called tool ${quoteName(toolName)} ${ids.length} times with equal arguments.`,
        remedy:
          'Look at the result: it may not tell the model what it asks. Say in the result what happened and what to do next, or end such runs with `repeatedCallGuard`.',
        evidence: { who: toolName, input, count: ids.length, calls: ids.slice(0, 20) },
      };
    };
  },
});
