import type { InferenceRequest } from '@vitrine/core';
import { answer, describeResults, offlineNotice } from './answers.ts';
import {
  type Conversation,
  readConversation,
  type Reply,
  type ReplyToolCall,
  reply,
} from './conversation.ts';
import { callNamed } from './named-tool.ts';
import {
  calculate,
  delegateTask,
  drawTable,
  keepNote,
  listNotes,
  readTables,
  saveFindings,
  saveNotes,
  sayTime,
  searchFirst,
} from './rules.ts';

type Rule = (conversation: Conversation) => readonly ReplyToolCall[];

/** Rules for the beginning of an answer; the first one that returns calls decides. */
const firstSteps: readonly Rule[] = [
  readTables,
  saveNotes,
  listNotes,
  keepNote,
  delegateTask,
  calculate,
  sayTime,
  callNamed,
  searchFirst,
];
const nextSteps: readonly Rule[] = [drawTable, saveFindings];

/** Chooses the reply by simple rules over messages, results and tools. It knows no particular agent. */
export function decide(request: InferenceRequest): Reply {
  const conversation = readConversation(request);
  const { results, news, turn } = conversation;
  const calls = firstCalls(results.length > 0 ? nextSteps : firstSteps, conversation);
  const notice = turn === 1 && results.length === 0 ? `${offlineNotice}\n\n` : '';
  if (calls.length > 0) return reply({ toolCalls: calls, text: notice + introduction(calls) });
  if (results.length > 0) return reply({ text: describeResults(news) });
  return answer(conversation, notice);
}

function firstCalls(rules: readonly Rule[], conversation: Conversation): readonly ReplyToolCall[] {
  for (const rule of rules) {
    const calls = rule(conversation);
    if (calls.length > 0) return calls;
  }
  return [];
}

function introduction(calls: readonly ReplyToolCall[]): string {
  const names = [...new Set(calls.map((call) => call.toolName))].map((name) => `\`${name}\``).join(', ');
  return `Let me use ${names} for that.`;
}
