import {
  AgentState,
  defineAgent,
  type InferenceRequest,
  Message,
  PluginState,
  runAgent,
} from '@vitrine/core';
import { compaction } from './compaction.ts';
import { deferTools } from './defer-tools.ts';
import { notesPlugin } from './notes.ts';
import { retrospective } from './retrospective.ts';
import { skillsPlugin } from './skills.ts';
import { todoPlugin } from './todo.ts';
import { fakeTool, scriptedInference } from '@vitrine/testing';
import { describe, expect, it } from 'vitest';

/** The last call of an agent that writes one list of tasks. */
async function writeTodos(todos: readonly object[]) {
  const tasks = todoPlugin();
  const toolCalls = [{ name: 'todo_write', input: { todos } as never }];
  const agent = defineAgent({
    plugins: [tasks],
    inference: scriptedInference([{ toolCalls }, { text: 'Done.' }]),
  });
  const { state } = await runAgent(agent, 'Do it.');
  return { state, call: AgentState.lastToolExecution(state), todos: PluginState.get(state, tasks) };
}

const todo = (status: string): object => ({ content: 'Write', status });

describe('capabilities', () => {
  it('192 a list of tasks is stored after its step, with 20 items at most and one in progress', async () => {
    const written = await writeTodos(['completed', 'in_progress', 'pending', 'pending'].map(todo));
    expect(written.call?.result).toBe('Tasks: 1/4 completed, 1 in progress, 2 pending');
    expect(written.todos?.[0]).toEqual({ content: 'Write', status: 'completed', activeForm: 'Write' });
    expect(Object.keys(written.state.plugins)).toEqual(['tasks']);
    expect((await writeTodos(Array<object>(20).fill(todo('pending')))).todos).toHaveLength(20);
    for (const refused of [
      Array<object>(21).fill(todo('pending')),
      [todo('in_progress'), todo('in_progress')],
    ]) {
      const { call, todos } = await writeTodos(refused);
      expect(call?.status).toBe('failed');
      expect(todos).toEqual([]);
    }
  });

  it('193 a note is stored after its step, and a wrong key or a long value stores nothing', async () => {
    const notes = notesPlugin();
    const write = (key: string, value: string) => ({ name: 'write_note', input: { key, value } });
    const calls = [
      write('hotel', 'Seaview'),
      write('', 'x'),
      write('tasks', 'x'),
      write('long', 'x'.repeat(65_537)),
      write('full', 'ä'.repeat(32_768)),
      { name: 'read_note', input: { key: 'train' } },
      { name: 'read_note', input: { key: 'hotel' } },
      { name: 'list_notes', input: {} },
      { name: 'delete_note', input: { key: 'full' } },
    ];
    const agent = defineAgent({
      plugins: [notes],
      inference: scriptedInference([...calls.map((call) => ({ toolCalls: [call] })), { text: 'Done.' }]),
    });
    const { state } = await runAgent(agent, 'Do it.');
    const ends = AgentState.steps(state).flatMap(({ toolExecutions }) => toolExecutions);
    expect(ends.map(({ status }) => status)).toEqual(calls.map(() => 'completed'));
    const stored = ends.map(({ result }) => (result as { success: boolean }).success);
    expect(stored).toEqual([true, false, false, false, true, false, true, true, true]);
    expect(ends[5]?.result).toEqual({
      success: false,
      error: 'There is no note "train". There are: hotel, full.',
    });
    expect(ends[6]?.result).toEqual({ success: true, value: 'Seaview' });
    expect(ends[7]?.result).toEqual({ success: true, keys: ['hotel', 'full'] });
    expect(PluginState.get(state, notes)?.notes).toEqual([{ key: 'hotel', value: 'Seaview', by: 'model' }]);
  });

  it('196 a summary takes the place of older steps by one call, and the summary before it is a part of its input', async () => {
    const asked: string[] = [];
    const usage = { inputTokens: 10, outputTokens: 5 };
    const requests: InferenceRequest[] = [];
    const inference = scriptedInference([
      (request) => {
        if (Message.text(request.messages[0]!).startsWith('You shorten')) {
          asked.push(Message.text(request.messages[1]!));
          return { text: `Summary ${asked.length}`, usage };
        }
        requests.push(request);
        return requests.length > 12
          ? { text: 'Done.', usage }
          : { toolCalls: [{ name: 'look', input: { number: requests.length } }], usage };
      },
    ]);
    const agent = defineAgent({
      plugins: [compaction({ contextWindow: 2000 })],
      tools: [fakeTool('look', (given) => `${JSON.stringify(given)} ${'seen '.repeat(150)}`)],
      inference,
    });
    const { state } = await runAgent(agent, 'Count.');
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain('"number":1');
    expect(asked[1]).toContain('Summary 1');
    expect(asked[1]).not.toContain('"number":1}');
    // The budget counts the summaries.
    expect(AgentState.usage(state).inputTokens).toBe(10 * (13 + 2));
    for (const { messages } of requests) {
      const calls = messages.flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool-call'));
      const results = messages.flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool-result'));
      expect(results).toHaveLength(calls.length);
      expect(messages.map(Message.text)).toContain('Count.');
    }
    expect(AgentState.stepCount(state)).toBe(13);
  });

  it('202 tools outside of a skill are blocked in all later steps, its loader never is, and an empty list restricts nothing', async () => {
    const skill = (name: string, tools: string): string =>
      `---\nname: ${name}\ndescription: One\nallowed-tools: ${tools}\n---\nDo it.`;
    const skills = { 'a/SKILL.md': skill('a', 'look'), 'b/SKILL.md': skill('b', '[]') };
    const names = ['pay', 'load_skill a', 'pay', 'look', 'pay', 'load_skill b', 'pay'];
    const calls = names.map((name) => {
      const [tool = '', skillName] = name.split(' ');
      return { toolCalls: [{ name: tool, input: skillName === undefined ? {} : { name: skillName } }] };
    });
    const agent = defineAgent({
      plugins: [skillsPlugin({ skills })],
      tools: [fakeTool('pay', 'paid'), fakeTool('look', 'seen')],
      inference: scriptedInference([...calls, { text: 'Done.' }]),
    });
    const { state } = await runAgent(agent, 'Do it.');
    const ends = AgentState.steps(state).flatMap(({ toolExecutions }) => toolExecutions);
    expect(ends.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'blocked',
      'completed',
      'blocked',
      'completed',
      'completed',
    ]);
  });

  it('203 a registry lists, explains and searches tools, and tells a wrong request as no success', async () => {
    const tool = { ...fakeTool('send_mail', 'sent'), description: 'Sends a letter. It takes an address.' };
    const inputs: readonly object[] = [
      { action: 'list' },
      { action: 'help', tool: 'send_mail' },
      { query: 'MAIL' },
      { query: 'Letter' },
      { query: 'post' },
      { action: 'erase' },
      { action: 'help', tool: 'other' },
      { query: '  ' },
      { query: 'zebra' },
    ];
    const calls = inputs.map((input) => ({ toolCalls: [{ name: 'search_tools', input: input as never }] }));
    const agent = defineAgent({
      plugins: [deferTools([tool], { tags: { send_mail: ['POST'] } })],
      inference: scriptedInference([...calls, { text: 'Done.' }]),
    });
    const { state } = await runAgent(agent, 'Do it.');
    const results = AgentState.steps(state).flatMap(({ toolExecutions }) =>
      toolExecutions.map(({ result }) => result),
    );
    const listed = { success: true, tools: [{ name: 'send_mail', summary: 'Sends a letter.' }] };
    expect(results).toMatchObject([
      listed,
      { success: true, description: tool.description },
      listed,
      listed,
      listed,
      { success: false },
      { success: false },
      { success: false },
      { success: true, tools: [], note: 'Nothing was found. Try other words, or the action "list".' },
    ]);
  });

  it('199 a model rewinds at most twice in a run, and the third request is ignored while the run goes on', async () => {
    const requests: string[] = [];
    const rewind = (to: number, lesson: string) => ({ name: 'rewind', input: { to, lesson } });
    const look = { name: 'look', input: {} };
    const calls = [look, rewind(0, 'First'), look, rewind(2, 'Second'), look, rewind(0, 'Third')];
    const agent = defineAgent({
      plugins: [retrospective()],
      tools: [fakeTool('look', 'a wrong way')],
      inference: scriptedInference([
        ...calls.map((call) => ({ messages }: { readonly messages: readonly unknown[] }) => {
          requests.push(JSON.stringify(messages));
          return { toolCalls: [call] };
        }),
        ({ messages }) => {
          requests.push(JSON.stringify(messages));
          return { text: 'Done.' };
        },
      ]),
    });
    const { state } = await runAgent(agent, 'Do it.');
    expect(AgentState.stepCount(state)).toBe(7);
    expect(AgentState.stopReason(state)).toBe('completed');
    const ends = AgentState.steps(state).flatMap(({ toolExecutions }) => toolExecutions);
    expect(ends.map(({ result }) => (result as { success?: boolean }).success)).toEqual([
      undefined,
      true,
      undefined,
      true,
      undefined,
      false,
    ]);
    // The steps are out of the request, the lesson and the calls that ran are in it, and the journal keeps all.
    expect(requests[2]).not.toContain('a wrong way');
    expect(requests[2]).toContain('You took the steps 1 to 2 back: First');
    expect(requests[2]).toContain('- look {}');
    expect(requests[6]).toContain('You took the steps 3 to 4 back: Second');
    expect(ends[0]?.result).toBe('a wrong way');
  });
});
