import { equalJson, type JsonValue } from '@vitrine/core/internal/kit/json';
import { defineDetector } from './detector.ts';
import { quoteName } from './wording.ts';

/** A tool result or tool error that a hook replaced. */
export const toolResultChanged = defineDetector({
  code: 'tool-result-changed',
  area: 'tools',
  severity: 'warning',
  finds: 'A result of a tool that a hook replaced, or an error of a tool that a hook turned into a success.',
  reads: {
    'tool-end': ['toolCallId', 'status', 'result', 'error'],
    'call-change': ['toolCallId', 'source', 'status', 'result', 'error'],
    'call-settle': ['toolCallId'],
  },
  watch: () => {
    /** The outcomes of the calls in flight, as their tools gave them. */
    const own = new Map<
      string,
      { readonly status: string; readonly result: JsonValue; readonly error: string | null }
    >();
    return ({ event, call }) => {
      if (event.type === 'tool-end') {
        const { toolCallId, status, result = null, error } = event;
        own.set(toolCallId, { status, result, error: error?.message ?? null });
        return null;
      }
      const given = own.get(event.toolCallId);
      if (event.type === 'call-settle') own.delete(event.toolCallId);
      if (event.type !== 'call-change' || given === undefined || event.source === 'user') return null;
      const { status = given.status, result = given.result, source } = event;
      const who = source ?? 'a hook';
      const name = quoteName(call?.toolCall.name ?? '');
      const isHidden = given.status !== 'completed' && status === 'completed';
      if (!isHidden && status === given.status && equalJson(result, given.result)) return null;
      const before = given.error ?? given.result;
      const after = event.error?.message ?? result;
      const sentence = isHidden
        ? `Hook ${quoteName(who)} turned the error of tool ${name} into a success, so the model never saw that it failed.`
        : given.status === 'completed' && status !== 'completed'
          ? `Hook ${quoteName(who)} turned the result of tool ${name} into an error.`
          : `Hook ${quoteName(who)} replaced the result of tool ${name}: the model read something else than the tool returned.`;
      return {
        key: event.toolCallId,
        sentence,
        remedy: `Compare both values, and correct the after-tool-use hook ${quoteName(who)} if the change was not meant.`,
        evidence: { before, after, who, status: { before: given.status, after: status } },
      };
    };
  },
});
