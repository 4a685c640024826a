import { type InferenceRequest, type JsonObject, type JsonValue, Message } from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import { ownReply } from './own-reply.ts';

type Tool = InferenceRequest['tools'][number];

const text = { type: 'string' };
const tool = (name: string, properties: JsonObject = {}): Tool => ({
  name,
  description: '',
  inputSchema: { type: 'object', properties },
});
const library = tool('library', { query: text });
const refund = tool('refund', { order: text });

const result = (toolName: string, output: JsonValue, outcome: 'completed' | 'rejected' | 'failed'): Message =>
  Message.tool({ toolCallId: 'x', toolName, output, outcome });

const reply = (
  tools: readonly Tool[],
  ...messages: readonly (string | Message)[]
): ReturnType<typeof ownReply> =>
  ownReply({
    model: null,
    messages: messages.map((one) => (typeof one === 'string' ? Message.user(one) : one)),
    tools,
    toolChoice: 'auto',
    responseFormat: null,
    settings: {},
  });

it('the model searches for the significant words with any tool that takes a query', () => {
  expect(reply([library], 'How do the budgets of agents work?').toolCalls).toEqual([
    { name: 'library', input: { query: 'budgets agents work' } },
  ]);
});

it('a request to go on repeats what was asked before', () => {
  expect(reply([refund], 'A refund of order 7', Message.assistant('Let me'), 'Go on').toolCalls).toEqual([
    { name: 'refund', input: { order: '7' } },
  ]);
});

it('the first answer of a conversation says that rules answer, and no later one does', () => {
  const notice = /follows simple rules/;
  expect(reply([refund], 'A refund, please').text).toMatch(notice);
  expect(reply([], 'Hello').text).toMatch(notice);
  expect(reply([], 'Hello', Message.assistant('You said'), 'And now?').text).not.toMatch(notice);
});

describe('results of tools', () => {
  it('the model says what each has answered, and which did not work or was not wanted', () => {
    const results = [
      result('refund', { paid: 7 }, 'completed'),
      result('library', 'closed', 'failed'),
      result('refund', 'No', 'rejected'),
    ];
    expect(reply([refund], 'A refund', Message.assistant('Let me'), ...results).text).toBe(
      [
        '`refund` answered: {"paid":7}',
        '`library` did not work: closed',
        'You did not want `refund` to run, so it did not.',
      ].join('\n\n'),
    );
  });

  it('the model leaves out what plugins told behind a question and a result', () => {
    const told = '<context name="Notes">\n- a refund\n</context>';
    const asked = Message.user([
      { type: 'text', text: 'Hello' },
      { type: 'text', text: told },
    ]);
    expect(reply([refund], asked).toolCalls).toBeUndefined();
    const answered = result('refund', `{"paid":7}\n\n${told}`, 'completed');
    expect(reply([refund], asked, Message.assistant('Let me'), answered).text).toBe(
      '`refund` answered: {"paid":7}',
    );
  });
});

it('the model describes its abilities with the available tools, and with no others', () => {
  expect(reply([], 'Hello').text).not.toMatch(/search|call/);
  expect(reply([library], 'To you').text).toMatch(/\*\*search\*\*/);
  expect(reply([refund], 'Hello').text).toMatch(/call `refund` \(say its name\)/);
});
