import { isForeignTrace, withoutForeignTraces } from '@vitrine/core/internal/graph/foreign-traces';
import type { AgentState, AgentStep } from '@vitrine/core/internal/graph/types';
import { leftOut } from '../left-out.ts';
import { defineDetector } from './detector.ts';
import { countNoun, inside, quoteName } from './wording.ts';

/** Messages of the conversation that the model was not sent. */
export const messagesLeftOut = defineDetector({
  code: 'messages-left-out',
  area: 'context',
  severity: 'warning',
  finds:
    'Messages of the conversation that the model was not sent. Traces of earlier runs do not count, and a section that is never sent is a note.',
  reads: { 'inference-start': ['replaced'] },
  needs: ['prompt'],
  watch: () => {
    let lastCount = 0;
    return ({ event, agent, step }) => {
      if (step === null || step.sent === null) return null;
      const count = missingIn(agent, step);
      // The list is made only when the number has changed, because it costs the whole conversation.
      if (count <= 0 || count === lastCount) {
        lastCount = Math.max(0, count);
        return null;
      }
      lastCount = count;
      const executionId = agent.execution?.executionId;
      const found = leftOut(agent, step).filter(
        ({ message, sentAs }) => sentAs === null && !isForeignTrace(message, executionId),
      );
      const [first] = found;
      if (first === undefined) return null;
      const sent = new Set(step.sent.messages.flatMap(({ section }) => (section === null ? [] : [section])));
      const isAside = found.every(({ section }) => section !== 'messages' && !sent.has(section));
      const by = event.replaced?.fields.includes('messages') === true ? event.replaced.hook : null;
      return {
        key: isAside ? 'section' : 'messages',
        severity: isAside ? 'note' : 'warning',
        sentence: isAside
          ? `${countNoun(found.length, 'message')} of the section ${quoteName(first.section)} ${found.length === 1 ? 'was' : 'were'} not sent to the model, because the section is never sent.`
          : `${countNoun(found.length, 'message')} of the conversation ${found.length === 1 ? 'was' : 'were'} not sent to the model: ${by === null ? inside(first.reason) : `hook ${quoteName(by)} left ${found.length === 1 ? 'it' : 'them'} out`}.`,
        remedy: isAside
          ? 'Nothing, if the section is meant for the application only.'
          : 'Open what was sent and compare it with the conversation. Change `compileMessages` or the hook, or add a summary of what is left out.',
        evidence: {
          ...(by === null ? {} : { who: by }),
          count: found.length,
          reason: first.reason,
          messages: found
            .slice(0, 20)
            .map(({ message, section }) => ({ id: message.id, role: message.role, section })),
        },
      };
    };
  },
});

/** Number of messages of the state, without traces of other runs, that the request does not have. */
function missingIn({ context, execution }: AgentState, { sent }: AgentStep): number {
  const inState = context.store.sections.reduce(
    (sum, { messages }) => sum + withoutForeignTraces(messages, execution?.executionId).length,
    0,
  );
  return inState - (sent?.messages.reduce((sum, { count }) => sum + count, 0) ?? 0);
}
