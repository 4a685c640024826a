import { type InferenceRequest, Message } from '@vitrine/core';
import type { OfflineReply, OfflineTurn } from '@vitrine/proxy/offline';
import { answer } from './answers.ts';
import { describeResults } from './results.ts';
import { createRetryCheck, type RetryCheck } from './retry-check.ts';
import { calculate, delegateTask, keepNote, listNotes, saveFindings, saveNotes, sayTime } from './rules.ts';
import { drawTable, readTables } from './table-rules.ts';
import { type Call, takesQuery, toolOf } from './turns.ts';

type Rule = (turn: OfflineTurn) => readonly Call[];

/** Rules for the beginning of an answer; the first one that returns calls decides. */
const firstSteps: readonly Rule[] = [
  readTables,
  saveNotes,
  listNotes,
  keepNote,
  delegateTask,
  calculate,
  sayTime,
];
const nextSteps: readonly Rule[] = [drawTable, saveFindings];

/** The tools that these rules call. The offline model finds the others by their words. */
const known: readonly string[] = [
  'add_note',
  'calculator',
  'current_time',
  'delegate',
  'download_notes',
  'draw_chart',
  'list_notes',
  'read_table',
];

const asksForText = /\bmarkdown\b|\blong\b/i;
const simulatesError = /\bsimulate an? (?:permanent )?error\b/i;

/** Begins the first answer of a conversation, so that nobody takes the rules for a model. */
const notice = '*This is the offline demo model: it follows simple rules and needs no key.*\n\n';

/** A failure that a retry ends, unless the person asked for a lasting one. */
const simulatedError: OfflineReply = {
  text: 'I begin to answer, and then the connection',
  error: {
    code: 'upstream-unavailable',
    message: 'The offline demo model simulated an error, as you asked.',
    retryable: true,
  },
};

type OwnReply = (request: InferenceRequest) => OfflineReply;

/** Creates the replies of the offline model to the agents of the demo. */
export function demoReplies(): (turn: OfflineTurn, ownReply: OwnReply) => OfflineReply {
  const isRetry = createRetryCheck();
  return (turn, ownReply) => withFollowUps(turn, reply(turn, ownReply, isRetry));
}

/** Messages that a person may send next, with the tool that each needs; null for none. */
const followUps: readonly (readonly [text: string, tool: string | null])[] = [
  ['What time is it?', 'current_time'],
  ['Calculate 7 * (8 + 1)', 'calculator'],
  ['Show my notes', 'list_notes'],
  ['Now the orders by region', 'draw_chart'],
  ['The average revenue by region', 'draw_chart'],
  ['Research how approvals work', 'save_report'],
  ['Research how a run stops', 'save_report'],
  ['Show me some markdown', null],
];

/** The reply with two follow-ups behind its text, if it is final and the prompt asks for them. */
function withFollowUps(turn: OfflineTurn, given: OfflineReply): OfflineReply {
  const { request, said } = turn;
  const isAsked = request.messages.some(
    (message) => message.role === 'system' && Message.text(message).includes('<next>'),
  );
  if (!isAsked || given.toolCalls !== undefined || given.error !== undefined) return given;
  const texts = followUps
    .filter(([text, tool]) => !said.includes(text) && (tool === null || toolOf(turn, tool)))
    .map(([text]) => text);
  return { ...given, text: `${given.text ?? ''}\n\n<next>${texts.slice(0, 2).join('|')}</next>` };
}

function reply(turn: OfflineTurn, ownReply: OwnReply, isRetry: RetryCheck): OfflineReply {
  const { request, asked, said, results, news } = turn;
  const calls = firstCalls(results.length > 0 ? nextSteps : firstSteps, turn);
  const begin = said.length === 1 && results.length === 0 ? notice : '';
  if (calls.length > 0) return { text: begin + introduction(calls), toolCalls: calls };
  if (results.length > 0) return { text: describeResults(news) };
  if (simulatesError.test(asked)) {
    const isOver = !/\bpermanent\b/i.test(asked) && isRetry(request);
    return isOver ? { text: 'This time it worked: the error is gone.' } : simulatedError;
  }
  const others = request.tools.filter(({ name }) => !known.includes(name));
  // A text that is asked for is no call of a tool that shares a word with the message.
  const tools = asksForText.test(asked) ? others.filter(takesQuery) : others;
  const own = ownReply({ ...request, tools });
  return own.toolCalls !== undefined ? own : answer(turn, others, begin);
}

function firstCalls(rules: readonly Rule[], turn: OfflineTurn): readonly Call[] {
  for (const rule of rules) {
    const calls = rule(turn);
    if (calls.length > 0) return calls;
  }
  return [];
}

function introduction(calls: readonly Call[]): string {
  const names = [...new Set(calls.map((call) => call.name))].map((name) => `\`${name}\``).join(', ');
  return `Let me use ${names} for that.`;
}
