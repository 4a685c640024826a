import {
  AgentState,
  createAgentSession,
  defineAgent,
  type InferenceRequest,
  Message,
  PluginState,
  runAgent,
} from '@vitrine/core';
import { fakeTool, scriptedInference } from '@vitrine/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compaction } from './compaction.ts';
import { critique } from './critique.ts';
import { notesPlugin } from './notes.ts';
import { planner } from './planner.ts';
import { redactRequests } from './redact-requests.ts';

const numRuns = Math.ceil(Number(process.env['PROVE_RUNS'] ?? 60) / 6);
const mail = /[a-z]+@post\.ch/g;

describe('capabilities that ask the model', () => {
  it('an answer that a check finds wanting is written again, and a model that never agrees is asked twice', async () => {
    const asked: string[] = [];
    const inference = scriptedInference([
      (request) => {
        const [first] = request.messages;
        const text = JSON.stringify(request.messages);
        if (Message.text(first!).startsWith('You check')) {
          asked.push(text);
          return { text: '```json\n{"meets": false, "reason": "No number in it."}\n```' };
        }
        return { text: `Answer ${text.split('No number in it.').length}` };
      },
    ]);
    const plugin = critique({ rubric: 'It has a number.' });
    const { state, text } = await runAgent(defineAgent({ inference, plugins: [plugin] }), 'How far is it?');
    expect(text).toBe('Answer 3');
    expect(AgentState.stopReason(state)).toBe('completed');
    expect(AgentState.stepCount(state)).toBe(3);
    expect(asked).toHaveLength(2);
    expect(asked[1]).toContain('How far is it?');
    expect(asked[1]).toContain('Answer 2');
    expect(PluginState.get(state, plugin)).toEqual([
      { step: 1, meets: false, reason: 'No number in it.' },
      { step: 2, meets: false, reason: 'No number in it.' },
    ]);
  });

  it('a plan of the planning agent becomes the task list', async () => {
    const inference = scriptedInference([
      { toolCalls: [{ name: 'delegate', input: { agent: 'planner', task: 'Paint the hall' } }] },
      { text: 'Planned.' },
    ]);
    const plan = 'The plan:\n- Buy paint\n2. [ ] Paint the hall\n- \n';
    const parts = planner({ inference: scriptedInference([{ text: plan }]) });
    const { state } = await runAgent(defineAgent({ ...parts, inference }), 'Paint it.');
    expect(PluginState.get(state, parts.plugins[0]!)).toMatchObject([
      { content: 'Buy paint', status: 'pending' },
      { content: 'Paint the hall', status: 'pending' },
    ]);
  });

  it('a check and a summary lack each value that a redaction hides, and the person reads it in the end', async () => {
    const words = fc.array(fc.constantFrom('ann@post.ch', 'bo@post.ch', 'and', '[', 'é'), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(words, words, fc.nat(3), async (question, found, steps) => {
        const requests: InferenceRequest[] = [];
        const inference = scriptedInference([
          (request) => {
            requests.push(request);
            const [first] = request.messages;
            const text = JSON.stringify(request.messages);
            const names = [...text.matchAll(/\[EMAIL_\w+\]/g)].map(([name]) => name).join(' ');
            if (Message.text(first!).startsWith('You check'))
              return { text: `{"meets": ${text.includes('Twice')}, "reason": "Say it twice."}` };
            if (Message.text(first!).startsWith('You shorten')) return { text: `They wrote ${names}` };
            const made = requests.filter(({ tools }) => tools.length > 0).length;
            if (made <= steps) return { toolCalls: [{ name: 'look', input: { made, names } }] };
            return { text: text.includes('Say it twice.') ? `Twice ${names}` : `Once ${names}` };
          },
        ]);
        const plugins = [
          redactRequests({
            detect: (text) => (text.match(mail) ?? []).map((value) => ({ kind: 'email', value })),
          }),
          critique({ rubric: 'It is said twice.' }),
          compaction({ contextWindow: 300, keep: 1 }),
        ];
        const look = fakeTool('look', `${found.join(' ')} ${'seen '.repeat(80)}`);
        const agent = defineAgent({ inference, plugins, tools: [look] });
        const { state, text } = await runAgent(agent, `Write: ${question.join(' ')}`);
        for (const request of requests) expect(JSON.stringify(request)).not.toMatch(mail);
        expect(AgentState.status(state)).toBe('completed');
        expect(text).toMatch(/^Twice/);
        for (const value of question.filter((word) => word.includes('@'))) expect(text).toContain(value);
      }),
      { numRuns },
    );
  });

  it('a summary that fails is told, the whole conversation is sent, and the next step tries again', async () => {
    const errors: string[] = [];
    let asked = 0;
    const inference = scriptedInference([
      (request) => {
        if (Message.text(request.messages[0]!).startsWith('You shorten'))
          return (asked += 1) === 1 ? { error: { message: 'The model is away.' } } : { text: 'They looked.' };
        const made = request.messages.filter(({ role }) => role === 'assistant').length;
        return made < 3 && asked < 2 ? { toolCalls: [{ name: 'look', input: {} }] } : { text: `Saw ${made}` };
      },
    ]);
    const plugin = compaction({ contextWindow: 300, onError: (error) => errors.push(String(error)) });
    const agent = defineAgent({
      inference,
      plugins: [plugin],
      tools: [fakeTool('look', 'seen '.repeat(150))],
    });
    const { state } = await runAgent(agent, 'Look.');
    expect(errors).toEqual(['Error: The model is away.']);
    expect(AgentState.status(state)).toBe('completed');
    expect(PluginState.get(state, plugin)?.summary).toBe('They looked.');
  });

  it('a full store of notes takes no new one, and a note that a person deleted is not written again', async () => {
    const plugin = notesPlugin();
    const write = (key: string) => ({ toolCalls: [{ name: 'write_note', input: { key, value: 'x' } }] });
    const agent = defineAgent({
      plugins: [plugin],
      inference: scriptedInference([write('new'), write('note 7'), write('gone'), { text: 'Done.' }]),
    });
    const session = createAgentSession({ agent });
    const notes = Array.from({ length: 200 }, (_none, at) => ({
      key: `note ${at}`,
      value: '',
      by: 'person' as const,
    }));
    await session.update((state) => PluginState.set(state, plugin, { notes, deleted: ['gone'] }));
    await session.sendMessage('Note it.');
    const { state } = session.store.getState();
    const results = AgentState.steps(state).flatMap(({ toolExecutions }) =>
      toolExecutions.map(({ result }) => result),
    );
    expect(results).toEqual([
      { success: false, error: 'There are 200 notes already. Put some together, or delete one first.' },
      { success: true },
      { success: false, error: 'The person has deleted the note "gone". They may add it again themselves.' },
    ]);
    expect(PluginState.get(state, plugin)?.notes).toHaveLength(200);
    expect(PluginState.get(state, plugin)?.notes[7]).toEqual({ key: 'note 7', value: 'x', by: 'model' });
    await expect(
      session.update((now) => PluginState.set(now, plugin, { notes: [...notes, ...notes], deleted: [] })),
    ).rejects.toThrow(/at most 200 notes/);
    await session.dispose();
  });
});
