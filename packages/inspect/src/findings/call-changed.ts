import { equalJson, type JsonValue } from '@vitrine/core/internal/kit/json';
import { defineDetector } from './detector.ts';
import { quoteName } from './wording.ts';

/** A call whose tool or arguments a hook replaced before the tool ran. */
export const callChanged = defineDetector({
  code: 'call-changed',
  area: 'tools',
  severity: 'warning',
  finds: 'A call whose tool or arguments a hook replaced before it ran. An edit by the person is a note.',
  reads: {
    'tool-call': ['toolCallId', 'toolName', 'input'],
    'call-change': ['toolCallId', 'source', 'toolName', 'input'],
    'call-settle': ['toolCallId'],
  },
  watch: () => {
    /** The calls in flight as the model made them. */
    const made = new Map<string, { readonly name: string; readonly input: JsonValue }>();
    return ({ event }) => {
      if (event.type === 'tool-call') {
        made.set(event.toolCallId, { name: event.toolName, input: event.input });
        return null;
      }
      const call = made.get(event.toolCallId);
      if (event.type === 'call-settle') made.delete(event.toolCallId);
      if (event.type !== 'call-change' || call === undefined) return null;
      const { toolName = call.name, input = call.input, source } = event;
      if (toolName === call.name && equalJson(input, call.input)) return null;
      const isPerson = source === 'user';
      const by = isPerson ? 'The person' : `Hook ${quoteName(source ?? 'without a name')}`;
      const what =
        toolName === call.name ? 'the arguments' : `the tool by ${quoteName(toolName)} and the arguments`;
      return {
        key: event.toolCallId,
        severity: isPerson ? 'note' : 'warning',
        sentence: `${by} replaced ${what} of the call of ${quoteName(call.name)} before it ran.`,
        remedy: isPerson
          ? 'Nothing: the model reads the call as it was edited.'
          : `Compare both, and correct the before-tool-use hook ${quoteName(source ?? '')} if the change was not meant.`,
        evidence: {
          before: toolName === call.name ? call.input : { toolName: call.name, input: call.input },
          after: toolName === call.name ? input : { toolName, input },
          who: source ?? 'hook',
        },
      };
    };
  },
});
