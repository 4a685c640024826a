import { defineDetector } from './detector.ts';
import { quoteName } from './wording.ts';

/** A system prompt that a hook, tool or plugin replaced. */
export const promptReplaced = defineDetector({
  code: 'prompt-replaced',
  area: 'context',
  severity: 'warning',
  finds: 'A system prompt that a hook, tool or plugin replaced. A change by the application is a note.',
  reads: {
    'context-change': ['source', 'systemPrompt'],
    'inference-start': ['replaced', 'sent'],
  },
  needs: ['prompt'],
  watch:
    () =>
    ({ event, agent, before }) => {
      if (event.type === 'context-change') {
        const { systemPrompt, source } = event;
        const former = before.context.systemPrompt;
        if (systemPrompt === undefined || systemPrompt === former) return null;
        const isOfApp = source === null || source === 'app' || source === 'user';
        return {
          severity: isOfApp ? 'note' : 'warning',
          sentence: `${isOfApp ? 'The application' : quoteName(source)} replaced the system prompt of the agent for this and all later steps.`,
          remedy: isOfApp
            ? 'Nothing, if the change was meant.'
            : 'Compare both prompts, and correct the hook or tool if the change was not meant.',
          statePath: ['context', 'systemPrompt'],
          evidence: { before: former, after: systemPrompt, who: source ?? 'app' },
        };
      }
      const { replaced, sent } = event;
      if (replaced === undefined || !replaced.fields.includes('prompt')) return null;
      return {
        key: `${replaced.hook}|${sent.prompt}`,
        sentence: `Hook ${quoteName(replaced.hook)} replaced the system prompt before this model call.`,
        remedy: `Compare both prompts, and correct the before-inference hook ${quoteName(replaced.hook)} if the change was not meant.`,
        evidence: {
          ...(replaced.prompt === undefined ? {} : { before: replaced.prompt }),
          after: agent.texts[sent.prompt] ?? '',
          who: replaced.hook,
        },
      };
    },
});
