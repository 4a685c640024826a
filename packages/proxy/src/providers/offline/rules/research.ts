import type { JsonObject } from '@vitrine/core';
import { argumentsOf, callOf, type Conversation, type ReplyToolCall } from '../conversation.ts';
import { withoutEnd } from '../../../kit/text.ts';

const asksForResearch = /\b(?:research|look into|find out(?: about)?|report on)\s+(.+)/is;

/** Delegates a task to every agent at once. */
export function delegateTask(conversation: Conversation): readonly ReplyToolCall[] {
  const tool = conversation.tool('delegate');
  if (!tool) return [];
  const { agent } = argumentsOf(tool);
  const names = Array.isArray(agent?.['enum']) ? agent['enum'].map(String) : [];
  // With a single agent, questions may be meant for other tools.
  const isQuestion = names.length > 1 && /\?\s*$/.test(conversation.asked);
  const task = topicOf(conversation.asked) ?? (isQuestion ? conversation.asked.trim() : null);
  if (task === null) return [];
  return names.map((name, index) => callOf(conversation, 'delegate', { agent: name, task }, index));
}

function topicOf(asked: string): string | null {
  const [, topic] = asksForResearch.exec(asked) ?? [];
  return topic?.trim() ?? null;
}

/** Calls the tool that takes a query. */
export function searchFirst(conversation: Conversation): readonly ReplyToolCall[] {
  const tool = conversation.request.tools.find((one) => 'query' in argumentsOf(one));
  const query = keyWords(conversation.asked);
  return tool && query !== '' ? [callOf(conversation, tool.name, { query })] : [];
}

const small = new Set(
  'a about an and are as at be by can do does for from how i in is it its me my not of on or our say tell that the their them then there this to us was we what when where which who why will with you your'.split(
    ' ',
  ),
);

function keyWords(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_-]{2,}/gu) ?? [];
  return [...new Set(words.filter((word) => !small.has(word)))].slice(0, 6).join(' ');
}

/** Saves the findings of other agents, if a tool stores a text under a title. */
export function saveFindings(conversation: Conversation): readonly ReplyToolCall[] {
  const { news, asked, request } = conversation;
  const found = news.filter(({ toolName, outcome }) => toolName === 'delegate' && outcome === 'completed');
  const tool = request.tools.find((one) => 'title' in argumentsOf(one) && 'text' in argumentsOf(one));
  if (!tool || found.length === 0) return [];
  const topic = topicOf(asked) ?? asked;
  const texts = found.map(({ output }) => (typeof output === 'string' ? output : JSON.stringify(output)));
  // Two agents may have found the same line.
  const text = [...new Set(texts.join('\n').split('\n'))].join('\n');
  const choices = Object.entries(argumentsOf(tool)).flatMap(([name, { enum: values }]): [string, string][] =>
    Array.isArray(values) ? [[name, String(values[0])]] : [],
  );
  const input: JsonObject = {
    title: topic.charAt(0).toUpperCase() + withoutEnd(topic.slice(1, 80), '?.! \n\t'),
    text,
    ...Object.fromEntries(choices),
  };
  return [callOf(conversation, tool.name, input)];
}
