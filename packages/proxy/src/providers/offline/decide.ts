import { type InferenceRequest, type JsonObject, Message } from '@vitrine/core';
import { longAnswer, markdownAnswer, offlineNotice } from './answers.ts';
import { findExpressions } from './find-expressions.ts';
import { type Reply, type ReplyToolCall, reply } from './reply.ts';

type Conversation = {
  readonly request: InferenceRequest;
  /** What the user said last, and what came after it. */
  readonly asked: string;
  readonly after: readonly Message[];
  /** How often the user has spoken. */
  readonly turn: number;
};

/** Chooses the reply by simple rules over the last message of the user and the tools that are offered. */
export function decide(request: InferenceRequest): Reply {
  const at = request.messages.findLastIndex((message) => message.role === 'user');
  const last = request.messages[at];
  const conversation: Conversation = {
    request,
    asked: last ? Message.text(last) : '',
    after: request.messages.slice(at + 1),
    turn: request.messages.filter((message) => message.role === 'user').length,
  };
  const results = conversation.after.filter((message) => message.role === 'tool');
  if (results.length > 0) return reply({ text: describeResults(results) });
  const toolCalls = chooseTools(conversation);
  if (toolCalls.length > 0) return reply({ toolCalls, text: introduction(conversation, toolCalls) });
  return answer(conversation);
}

function chooseTools({ request, asked, turn }: Conversation): ReplyToolCall[] {
  const has = (name: string): boolean => request.tools.some((tool) => tool.name === name);
  const call = (toolName: string, input: JsonObject, index = 0): ReplyToolCall => ({
    toolCallId: `offline_${turn}_${index + 1}`,
    toolName,
    input,
  });
  const note = /\b(?:remember|note)(?: down)?(?: that)?:?\s+(.+)/is.exec(asked);
  const research = /\bresearch\s+(.+)/is.exec(asked);
  const delegate = request.tools.find((tool) => tool.name.startsWith('delegate'));
  if (/\b(?:my|list|show|the) notes\b/i.test(asked) && has('list_notes')) return [call('list_notes', {})];
  if (note?.[1] && has('add_note')) return [call('add_note', { text: note[1].trim() })];
  if (research?.[1] && delegate)
    return [call(delegate.name, delegationInput(delegate.inputSchema, research[1].trim()))];
  const expressions = has('calculator') ? findExpressions(asked) : [];
  if (expressions.length > 0)
    return expressions.map((expression, index) => call('calculator', { expression }, index));
  if (/\bwhat(?:'s| is) the time\b|\bwhat time\b/i.test(asked) && has('current_time'))
    return [call('current_time', {})];
  return [];
}

/** Fills in a delegation tool by its schema: a choice gets its first value, the other text gets the task. */
function delegationInput(schema: JsonObject, task: string): JsonObject {
  const properties = (schema['properties'] ?? {}) as Record<string, JsonObject>;
  const entries = Object.entries(properties).flatMap(([name, property]): [string, string][] => {
    const choices = property['enum'];
    if (Array.isArray(choices)) return [[name, String(choices[0])]];
    return property['type'] === 'string' ? [[name, task]] : [];
  });
  return Object.fromEntries(entries);
}

function introduction({ turn }: Conversation, calls: readonly ReplyToolCall[]): string {
  const names = [...new Set(calls.map((call) => call.toolName))].map((name) => `\`${name}\``).join(', ');
  return `${turn === 1 ? `${offlineNotice}\n\n` : ''}Let me use ${names} for that.`;
}

function describeResults(results: readonly Message[]): string {
  const parts = results.flatMap((message) => message.parts.filter((part) => part.type === 'tool-result'));
  const lines = parts.map((part) => {
    const text = typeof part.output === 'string' ? part.output : JSON.stringify(part.output);
    return part.outcome !== 'completed'
      ? `\`${part.toolName}\` did not work: ${text}`
      : describeResult(part.toolName, text);
  });
  return lines.length === 1 ? (lines[0] ?? '') : lines.map((line) => `- ${line}`).join('\n');
}

function describeResult(toolName: string, text: string): string {
  if (toolName === 'calculator') return `The result is **${text}**.`;
  if (toolName === 'add_note') return `Noted. ${text}`;
  if (toolName === 'list_notes')
    return text === '' || text === '[]' ? 'You have no notes yet.' : `Your notes: ${text}`;
  if (toolName === 'current_time') return `It is ${text}.`;
  return `\`${toolName}\` answered: ${text}`;
}

function answer({ asked, turn, after }: Conversation): Reply {
  const notice = turn === 1 ? `${offlineNotice}\n\n` : '';
  if (/\bsimulate an? (?:permanent )?error\b/i.test(asked)) return simulatedError(asked);
  if (/\bmarkdown\b/i.test(asked)) return reply({ text: notice + markdownAnswer });
  if (/\blong\b/i.test(asked)) return reply({ text: notice + longAnswer });
  const reasoning = /\bthink\b/i.test(asked)
    ? 'The user wants me to think. I follow rules, so this is soon done: I say what I can do.'
    : '';
  const heard = asked.trim() === '' ? 'You sent no text.' : `You said: “${asked.trim().slice(0, 200)}”.`;
  const abilities =
    'Offline I can **calculate** (“12 * (3 + 4)”), **keep notes** (“remember that …”, “show my notes”), tell **the time**, ' +
    'show **Markdown** (“show me markdown”), write a **long** answer that you can stop, and **simulate an error**. ' +
    'Set an API key to talk to a real model.';
  return reply({ reasoning, text: `${notice}${heard}${after.length > 0 ? ' Go on.' : ''}\n\n${abilities}` });
}

// The one thing that it remembers between calls.
let failures = 0;

/** Fails every other time, so that a retry works. */
function simulatedError(asked: string): Reply {
  const isPermanent = /\bpermanent\b/i.test(asked);
  if (!isPermanent && ++failures % 2 === 0) return reply({ text: 'This time it worked: the error is gone.' });
  return reply({
    text: 'I begin to answer, and then the connection',
    error: {
      code: 'upstream-unavailable',
      message: 'The offline demo model simulated an error, as you asked.',
      retryable: true,
    },
  });
}
