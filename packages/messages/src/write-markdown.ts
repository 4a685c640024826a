import type { Message, MessagePart } from '@vitrine/core/internal/graph/message';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { spendUnits } from '@vitrine/core/internal/kit/work';
import { absentFile } from './write-openai.ts';

const names = { system: 'System', user: 'User', assistant: 'Assistant', tool: 'Tool' } as const;

/** A conversation as Markdown: a heading for each speaker, and calls with their results as code. */
export function markdownOf(title: string, messages: readonly Message[]): string {
  const blocks = [`# ${oneLine(title) || 'Conversation'}`];
  let speaker = '';
  for (const { role, parts } of messages) {
    const written = parts.map(blockOf).filter((block) => block !== '');
    if (written.length === 0) continue;
    // A call and its results are part of the answer.
    const name = role === 'tool' && speaker === names.assistant ? speaker : names[role];
    if (name !== speaker) blocks.push(`## ${name}`);
    speaker = name;
    blocks.push(...written);
  }
  return `${blocks.join('\n\n')}\n`;
}

function blockOf(part: MessagePart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return part.text === '' ? '' : `> ${part.text.replaceAll('\n', '\n> ')}`;
    case 'tool-call':
      return `Called **${oneLine(part.toolName)}**:\n\n${codeOf(part.input)}`;
    case 'tool-result':
      return `Result of **${oneLine(part.toolName)}** (${part.outcome}):\n\n${codeOf(part.output)}`;
    case 'file': {
      const name = oneLine(part.filename ?? part.mediaType);
      if (part.url !== undefined) return `[${name}](<${part.url}>)`;
      return part.data === undefined ? absentFile(part) : `[File ${name}]`;
    }
    case 'source': {
      const name = oneLine(part.title ?? part.url ?? part.id);
      return part.url === null ? `Source: ${name}` : `Source: [${name}](<${part.url}>)`;
    }
    case 'data':
      return `Data **${oneLine(part.name)}**:\n\n${codeOf(part.data)}`;
  }
}

function oneLine(text: string): string {
  return text.replaceAll('\n', ' ').trim();
}

/** A value as code, in a fence that is longer than any in it. */
function codeOf(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  spendUnits(text.length);
  let fence = '```';
  while (text.includes(fence)) fence += '`';
  return `${fence}\n${text}\n${fence}`;
}
