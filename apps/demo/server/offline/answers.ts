import type { OfflineReply, OfflineTurn } from '@vitrine/proxy/offline';
import { takesQuery, type ToolDescription, toolOf } from './turns.ts';

/** The reply when no tool has to be called. */
export function answer(turn: OfflineTurn, others: readonly ToolDescription[], notice: string): OfflineReply {
  const { asked } = turn;
  if (/\bmarkdown\b/i.test(asked)) return { text: notice + markdownAnswer };
  if (/\blong\b/i.test(asked)) return { text: notice + longAnswer };
  const reasoning = /\bthink\b/i.test(asked)
    ? 'The user wants me to think. I follow rules, so this is soon done: I say what I can do.'
    : '';
  const echo = asked.trim() === '' ? 'You sent no text.' : `You said: “${asked.trim().slice(0, 200)}”.`;
  return { reasoning, text: `${notice}${echo}\n\n${abilities(turn, others)}` };
}

/** A text about what the model can do with these tools. `others` are those without a rule of the demo. */
function abilities(turn: OfflineTurn, others: readonly ToolDescription[]): string {
  const [queried, named] = [others.filter(takesQuery), others.filter((tool) => !takesQuery(tool))];
  const names = named.map(({ name }) => `\`${name}\``).slice(0, 10);
  const withTools = [
    toolOf(turn, 'calculator') && '**calculate** (“12 * (3 + 4)”)',
    toolOf(turn, 'add_note') && '**keep notes** (“remember that …”, “show my notes”, “download my notes”)',
    toolOf(turn, 'current_time') && 'tell **the time**',
    toolOf(turn, 'read_table') && '**read a table** that you drop here, and draw it (“revenue by month”)',
    toolOf(turn, 'delegate') && '**research** (“research budgets”)',
    queried.length > 0 && '**search** (say for what)',
    names.length > 0 && `call ${names.join(', ')} (say its name)`,
  ].filter((text) => typeof text === 'string');
  const always = ['show **Markdown** (“show me markdown”)', 'write a **long** answer that you can stop'];
  const list = [...withTools, ...always].join(', ');
  return `Offline I can ${list}, and **simulate an error**. Set an API key to talk to a real model.`;
}

/** A sample of every kind of Markdown. */
const markdownAnswer = `## What Markdown looks like here

Text can be **bold**, *italic*, ~~struck~~ or \`code\`, with a [link](https://commonmark.org).

| Part | What it holds |
| --- | --- |
| \`AgentState\` | identity, conversation, plugins |
| \`ExecutionState\` | steps, signals, status |
| \`StopSignal\` | why a run ended |

1. First the model is called,
2. then its tools run,
3. then the check decides whether to go on.

\`\`\`ts
const state = await loop.execute(AgentState.withUserMessage(start, 'Hello'));
console.log(AgentState.stopReason(state)); // completed, or one of the other reasons why a run of an agent can end before that
\`\`\`

> A state is plain data: it can be saved, shown, compared and replayed.`;

const paragraphs = [
  'An agent is a loop around a model. Each turn of the loop is a step: the model reads the conversation, answers, and may ask for tools. The tools run, their results join the conversation, and the next step begins.',
  'What makes such a loop hard to trust is that it is hard to see. When an answer is wrong, was it the model, a tool, or a limit that came too early? A state that is written down after every step answers that question without guessing.',
  'Stopping is a decision, and decisions have reasons. A budget may be spent, a guard may object, a user may press a button, or the work may simply be done. Several of these can be true at once, so each leaves a signal, and the most important signal gives the reason.',
  'Work that has been done should stay done. A page may be reloaded, a connection may drop, a laptop may sleep. The steps that were finished before that moment are still finished after it, and the rest can be taken up again.',
  'A tool is a promise with a shape. Its input is checked before it runs and its output after it, so that a mistake of the model becomes a message to the model and not an exception in the program.',
  'Delegation is the same loop once more, one level down, with a budget that is a part of the budget above it. The one who asked sees only the answer, but the steps that led to it are kept, for anyone who wants to know.',
];

const longAnswer = Array.from({ length: 18 }, (_, index) => {
  const heading = index % 3 === 0 ? `## Part ${index / 3 + 1}\n\n` : '';
  return heading + paragraphs[index % paragraphs.length];
}).join('\n\n');
