import { AgentState, defineHook, definePlugin } from '@vitrine/core';
import * as z from 'zod/mini';

/** Asks for follow-ups behind an answer; goes into the system prompt of an agent with `followUps`. */
export const askForFollowUps =
  'End your final answer with <next>first|second</next>: two short messages that the person may want to send next.';

const mark = '<next>';
const most = 3;

/** The follow-ups of the last answer in each session whose run goes on. */
const offered = new Map<string, string[]>();

/** Takes the follow-ups out of the text of an answer and gives them to the chat, as a data part of the last message. */
export const followUps = definePlugin({
  id: 'follow-ups',
  // Nothing is kept: what a run offers stands in its last message.
  state: z.null(),
  initial: null,
  async *aroundModel({ agentState: { agentId } }, next) {
    let held = '';
    offered.delete(agentId);
    for await (const event of next()) {
      if (event.type !== 'text-delta') {
        // A tool call or another part ends the text, so what looked like a beginning was none.
        if (event.type !== 'finish' || !held.includes(mark)) {
          if (held !== '') yield { type: 'text-delta', delta: held };
        } else offered.set(agentId, textsIn(held));
        held = '';
        yield event;
        continue;
      }
      held += event.delta;
      const from = startIn(held);
      if (from > 0) yield { ...event, delta: held.slice(0, from) };
      held = held.slice(from);
    }
  },
  hooks: [
    defineHook({
      name: 'follow-ups',
      on: 'after-execution',
      run(state) {
        const data = offered.get(state.agentId) ?? [];
        offered.delete(state.agentId);
        const messages = AgentState.messages(state);
        const last = messages.at(-1);
        if (data.length === 0 || last?.role !== 'assistant') return undefined;
        const parts = [...last.parts, { type: 'data', name: 'suggestions', data } as const];
        return AgentState.withMessages(state, [...messages.slice(0, -1), { ...last, parts }]);
      },
    }),
  ],
});

/** The index from which a text may be the follow-ups, with the white space before them. */
function startIn(held: string): number {
  const at = held.includes(mark) ? held.indexOf(mark) : held.lastIndexOf('<');
  const isOpen = at !== -1 && (held.includes(mark) || mark.startsWith(held.slice(at)));
  return (isOpen ? held.slice(0, at) : held).trimEnd().length;
}

function textsIn(text: string): string[] {
  const [, behind = ''] = text.split(mark);
  const [inner = ''] = behind.split('</next>');
  return inner
    .split('|')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .slice(0, most);
}
