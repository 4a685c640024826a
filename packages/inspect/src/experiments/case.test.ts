import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentDefinition, AgentInit } from '@vitrine/core/internal/agent/agent-definition';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import { text } from '@vitrine/core/internal/graph/message';
import type { InferenceClient } from '@vitrine/core/internal/model/inference-client';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { sessionHub } from '@vitrine/core/internal/session/hub';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { scriptedInference } from '@vitrine/testing/internal/scripted-inference';
import { createRecorder } from '../recorder.ts';
import { exportTrace } from '../trace/trace.ts';
import { checkCase } from './case.ts';
import type { Expectation } from './expectation.ts';

const made = { calls: 0, mails: 0 };

/** A model that looks the name up, and says it when its prompt wants names. */
const inference: InferenceClient = {
  async *stream(...[request, call]) {
    made.calls++;
    const seen = JSON.stringify(request.messages);
    const isAsked = request.messages.some(({ role }) => role === 'tool');
    const wantsNames = request.messages.some((one) => one.role === 'system' && text(one).includes('by name'));
    const name = /Ada|Bob/.exec(seen.slice(seen.indexOf('"tool"')))?.[0];
    const answer = wantsNames ? `Hello, ${name ?? 'you'}.` : 'Hello.';
    const step = isAsked ? { text: answer } : { toolCalls: [{ name: 'look', input: {} }] };
    yield* scriptedInference([step]).stream(request, call);
  },
};
const look = defineTool({
  name: 'look',
  description: 'Looks the name up',
  input: z.object({}),
  execute() {
    made.mails++;
    return 'Ada';
  },
});
const agentOf = (systemPrompt: string, init: Partial<AgentInit> = {}): AgentDefinition =>
  scriptedAgent([], { inference, tools: [look], systemPrompt, ...init });
const greeting = agentOf('Greet people by name.');
const curt = agentOf('Greet people.');

/** Records a run of an agent, and keeps it with an expectation. The calls that were made until then count no more. */
async function keep(agent: AgentDefinition, expects?: unknown, question = 'Hi'): Promise<string> {
  const recorder = createRecorder();
  const session = createAgentSession({ agent });
  await session.sendMessage(question);
  const record = recorder.read(sessionHub().sources().at(-1)!);
  await session.dispose();
  recorder.dispose();
  Object.assign(made, { calls: 0, mails: 0 });
  return JSON.stringify(
    exportTrace(record, { name: 'greeter', ...(expects === undefined ? {} : { expects: expects as never }) })
      .document,
  );
}

const saysName: Expectation = { says: 'Ada', title: 'it says the name' };

describe('a case', () => {
  it('a case is met without a model and a tool while the agent does what was recorded', async () => {
    const found = await checkCase(await keep(greeting, saysName), greeting);
    expect(found).toEqual({ met: true, sentence: 'It says the name.', calls: 0 });
    expect(made).toEqual({ calls: 0, mails: 0 });
  });

  it('a case of a run that broke its expectation is red while the agent is the same', async () => {
    const file = await keep(curt, saysName);
    const broken = { met: false, sentence: 'It does not say "Ada".', calls: 0 };
    expect(await checkCase(file, curt)).toEqual(broken);
    expect(await checkCase(file)).toEqual(broken);
  });

  it('a broken prompt turns a case red when a model may be asked, and is told without one', async () => {
    const file = await keep(greeting, saysName);
    const told = await checkCase(file, curt);
    expect(told.met).toBe(null);
    expect(told.sentence).toMatch(
      /goes another way now, and no model was asked\. Step 1: the prompt differs/,
    );
    expect(await checkCase(file, curt, { calls: 5 })).toEqual({
      met: false,
      sentence: 'It does not say "Ada".',
      calls: 2,
    });
    expect(made).toEqual({ calls: 2, mails: 0 });
  });

  it('a mended agent turns a case green', async () => {
    const file = await keep(curt, saysName);
    expect(await checkCase(file, greeting, { calls: 5 })).toMatchObject({ met: true, calls: 2 });
  });

  it('a case asks a model only from the step on at which the agent goes another way', async () => {
    const file = await keep(greeting, saysName);
    const hidden = defineHook({
      name: 'hide',
      on: 'before-inference',
      run(_state, { fields, replace }) {
        const { request } = fields;
        if (request?.messages.some(({ role }) => role === 'tool') === true)
          replace('request', { ...request, settings: { ...request.settings, temperature: 0 } });
      },
    });
    const agent = agentOf('Greet people by name.', { hooks: [hidden] });
    expect(await checkCase(file, agent, { calls: 5 })).toMatchObject({ met: true, calls: 1 });
    expect(made).toEqual({ calls: 1, mails: 0 });
  });

  it('a case never makes a call of a model above its bound', async () => {
    const found = await checkCase(await keep(greeting, saysName), curt, { calls: 1 });
    expect(found.met).toBe(null);
    expect(made.calls).toBeLessThanOrEqual(1);
  });

  it('a case has no secret in it', async () => {
    const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz012345';
    const file = await keep(greeting, { says: secret }, `My key is ${secret}`);
    expect(file).not.toContain(secret);
  });

  it('a file without an expectation, and with one that no run can meet, is told as such', async () => {
    await expect(checkCase(await keep(greeting), greeting)).rejects.toThrow(/without an expectation/);
    await expect(checkCase(await keep(greeting, { says: '' }), greeting)).rejects.toThrow(/expected text/);
    await expect(checkCase(await keep(greeting, { asksAtMost: 0 }), greeting)).rejects.toThrow(/No run can/);
    await expect(checkCase('{', greeting)).rejects.toThrow(/It is no JSON/);
  });
});
