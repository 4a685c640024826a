import { isObject } from '../../kit/is-object.ts';
import { otherTools } from './named-tool.ts';
import { argumentsOf, type Conversation, type Reply, reply, type Result } from './conversation.ts';
import type { JsonValue } from '@vitrine/core';

/** The reply when no tool has to be called. */
export function answer(conversation: Conversation, notice: string): Reply {
  const { asked } = conversation;
  if (/\bsimulate an? (?:permanent )?error\b/i.test(asked)) return simulatedError(asked);
  if (/\bmarkdown\b/i.test(asked)) return reply({ text: notice + markdownAnswer });
  if (/\blong\b/i.test(asked)) return reply({ text: notice + longAnswer });
  const reasoning = /\bthink\b/i.test(asked)
    ? 'The user wants me to think. I follow rules, so this is soon done: I say what I can do.'
    : '';
  const echo = asked.trim() === '' ? 'You sent no text.' : `You said: “${asked.trim().slice(0, 200)}”.`;
  return reply({ reasoning, text: `${notice}${echo}\n\n${abilities(conversation)}` });
}

/** A text about what the model can do with these tools. */
function abilities({ request, tool }: Conversation): string {
  const others = otherTools(request.tools)
    .map(({ name }) => `\`${name}\``)
    .slice(0, 10);
  const withTools = [
    tool('calculator') && '**calculate** (“12 * (3 + 4)”)',
    tool('add_note') && '**keep notes** (“remember that …”, “show my notes”, “download my notes”)',
    tool('current_time') && 'tell **the time**',
    tool('read_table') && '**read a table** that you drop here, and draw it (“revenue by month”)',
    tool('delegate') && '**research** (“research budgets”)',
    request.tools.some((one) => 'query' in argumentsOf(one)) && '**search** (say for what)',
    others.length > 0 && `call ${others.join(', ')} (say its name)`,
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

/** Begins the first answer of a conversation, so that nobody takes the rules for a model. */
export const offlineNotice = '*This is the offline demo model: it follows simple rules and needs no key.*';

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

/** Describes the results of tools in words. */
export function describeResults(results: readonly Result[]): string {
  const texts = results.map(describeResult);
  if (texts.length === 1) return texts[0] ?? '';
  const isShort = texts.every((text) => !text.includes('\n'));
  return isShort ? texts.map((text) => `- ${text}`).join('\n') : texts.join('\n\n');
}

function describeResult({ toolName, output, outcome }: Result): string {
  const text = textOf(output);
  if (outcome === 'rejected') return `You did not want \`${toolName}\` to run, so it did not.`;
  if (outcome !== 'completed') return `\`${toolName}\` did not work: ${text}`;
  if (toolName === 'calculator') return `The result is **${text}**.`;
  if (toolName === 'add_note') return `Noted. ${text}`;
  if (toolName === 'download_notes') return text;
  if (toolName === 'list_notes')
    return text === '' || text === '[]' ? 'You have no notes yet.' : `Your notes: ${text}`;
  if (toolName === 'current_time') return `It is ${text}.`;
  if (isObject(output) && Array.isArray(output['points'])) return describePoints(output['points']);
  if (isObject(output) && Array.isArray(output['columns'])) return describeColumns(output);
  if (isObject(output) && Array.isArray(output['passages'])) return describePassages(output['passages']);
  if (isObject(output) && typeof output['title'] === 'string')
    return `\`${toolName}\` is done: “${output['title']}”.`;
  return `\`${toolName}\` answered: ${text}`;
}

function textOf(output: JsonValue): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function describePoints(points: readonly JsonValue[]): string {
  const known = points.filter(isObject).filter(({ value }) => typeof value === 'number');
  const sorted = known.toSorted((a, b) => Number(b['value']) - Number(a['value']));
  const [most, least] = [sorted[0], sorted.at(-1)];
  if (most === undefined || least === undefined) return 'There is nothing to draw in that.';
  const show = (point: typeof most): string =>
    `**${textOf(point['label'] ?? '')}** (${Number(point['value']).toLocaleString('en')})`;
  const values = `${known.length} ${known.length === 1 ? 'value' : 'values'}`;
  return most === least
    ? `Here is the chart: ${show(most)}.`
    : `Here is the chart. Of ${values}, ${show(most)} is the highest and ${show(least)} the lowest.`;
}

function describeColumns({ file, rows, columns }: Readonly<Record<string, JsonValue>>): string {
  const names = (columns as readonly JsonValue[])
    .filter(isObject)
    .map(({ name, type }) => `**${textOf(name ?? '')}** (${textOf(type ?? '')})`);
  return `\`${textOf(file ?? '')}\` has ${textOf(rows ?? 0)} rows with ${names.join(', ')}. Say what to draw, e.g. a value by another one.`;
}

function describePassages(passages: readonly JsonValue[]): string {
  if (passages.length === 0) return 'Nothing was found on that.';
  return passages
    .filter(isObject)
    .map(({ page, text }) => `- **${textOf(page ?? '')}**: ${textOf(text ?? '')}`)
    .join('\n');
}
