import { defineDetector } from './detector.ts';
import { listNames, quoteName } from './wording.ts';

/** Fields whose change has a finding of its own, or is none. */
const words: { readonly [field: string]: string } = {
  messages: 'the messages',
  tools: 'the tools',
  model: 'the model',
  settings: 'the settings',
  toolChoice: 'the tool choice',
  responseFormat: 'the response format',
};

/** A model call that a hook changed in another part than its prompt. */
export const requestReplaced = defineDetector({
  code: 'request-replaced',
  area: 'context',
  severity: 'warning',
  finds: 'A model call whose messages, tools, model or settings a hook replaced.',
  reads: { 'inference-start': ['replaced', 'sent'] },
  needs: ['prompt'],
  watch:
    () =>
    ({ event }) => {
      const { replaced, sent } = event;
      const fields = replaced?.fields.filter((field) => field in words) ?? [];
      if (replaced === undefined || fields.length === 0) return null;
      return {
        key: `${replaced.hook}|${fields.join()}`,
        sentence: `Hook ${quoteName(replaced.hook)} replaced ${listNames(fields.map((field) => words[field] ?? field))} before this model call.`,
        remedy: `Compare what was sent with the agent, and correct the before-inference hook ${quoteName(replaced.hook)} if the change was not meant.`,
        evidence: { who: replaced.hook, fields, model: sent.model },
      };
    },
});
