import { longAnswer, markdownAnswer } from './answers.ts';
import { type Conversation, argumentsOf } from './conversation.ts';
import { type Reply, reply } from './reply.ts';

/** The reply when no tool has to be called. */
export function answer(conversation: Conversation, notice: string): Reply {
  const { asked } = conversation;
  if (/\bsimulate an? (?:permanent )?error\b/i.test(asked)) return simulatedError(asked);
  if (/\bmarkdown\b/i.test(asked)) return reply({ text: notice + markdownAnswer });
  if (/\blong\b/i.test(asked)) return reply({ text: notice + longAnswer });
  const reasoning = /\bthink\b/i.test(asked)
    ? 'The user wants me to think. I follow rules, so this is soon done: I say what I can do.'
    : '';
  const heard = asked.trim() === '' ? 'You sent no text.' : `You said: “${asked.trim().slice(0, 200)}”.`;
  return reply({ reasoning, text: `${notice}${heard}\n\n${abilities(conversation)}` });
}

/** A text about what the model can do with these tools. */
function abilities({ request, tool }: Conversation): string {
  const withTools = [
    tool('calculator') && '**calculate** (“12 * (3 + 4)”)',
    tool('add_note') && '**keep notes** (“remember that …”, “show my notes”, “download my notes”)',
    tool('current_time') && 'tell **the time**',
    tool('read_table') && '**read a table** that you drop here, and draw it (“revenue by month”)',
    tool('delegate') && '**research** (“research budgets”)',
    request.tools.some((one) => 'query' in argumentsOf(one)) && '**search** (say for what)',
  ].filter((text) => typeof text === 'string');
  const always = ['show **Markdown** (“show me markdown”)', 'write a **long** answer that you can stop'];
  const list = [...withTools, ...always].join(', ');
  return `Offline I can ${list}, and **simulate an error**. Set an API key to talk to a real model.`;
}

/** A simulated failure. A retry succeeds, unless the person asked for a lasting one. */
function simulatedError(asked: string): Reply {
  const isPermanent = /\bpermanent\b/i.test(asked);
  return reply({
    text: 'I begin to answer, and then the connection',
    error: {
      code: 'upstream-unavailable',
      message: 'The offline demo model simulated an error, as you asked.',
      retryable: true,
    },
    whenRetried: isPermanent ? null : reply({ text: 'This time it worked: the error is gone.' }),
  });
}
