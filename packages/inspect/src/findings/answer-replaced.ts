import { defineDetector } from './detector.ts';
import { countNoun, quoteName } from './wording.ts';

/** An answer of the model that a hook replaced, and messages that a hook rewrote. */
export const answerReplaced = defineDetector({
  code: 'answer-replaced',
  area: 'model',
  severity: 'warning',
  finds: 'An answer or a message that a hook or tool rewrote. A message that was removed is a note.',
  reads: {
    'inference-end': ['hook'],
    'section-change': ['source', 'name', 'put', 'removed'],
  },
  watch:
    () =>
    ({ event, before }) => {
      if (event.type === 'inference-end') {
        if (event.hook === undefined) return null;
        return {
          sentence: `Hook ${quoteName(event.hook)} replaced the response of the model (finish reason, usage or model).`,
          remedy: `Correct the after-inference hook ${quoteName(event.hook)} if the change was not meant.`,
          evidence: { who: event.hook },
        };
      }
      const { source, name, put, removed } = event;
      if (source === null || source === 'app' || source === 'user') return null;
      const { messages = [] } = before.context.store.sections.find((section) => section.name === name) ?? {};
      const [changed] = put;
      if (changed === undefined && removed.length === 0) return null;
      const former = messages.find(({ id }) => id === (changed?.id ?? removed[0]));
      const what =
        changed === undefined
          ? `removed ${countNoun(removed.length, 'message')}`
          : `rewrote ${countNoun(put.length, 'message')}`;
      return {
        key: `${source}|${changed === undefined ? 'removed' : 'put'}`,
        severity: changed === undefined ? 'note' : 'warning',
        sentence: `${quoteName(source)} ${what} of the conversation, so the model does not read what was said.`,
        remedy:
          'Compare the message before and after, and correct the hook or tool if the change was not meant.',
        evidence: {
          who: source,
          before: former?.parts as never,
          ...(changed === undefined ? {} : { after: changed.parts as never }),
          changed: put.length,
          removed: removed.length,
        },
      };
    },
});
