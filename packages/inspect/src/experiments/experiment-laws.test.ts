import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { conversationWithCurrentToolTrace } from '@vitrine/core/internal/agent/compilers';
import { defineAgent } from '@vitrine/core/internal/agent/define-agent';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import { definePlugin } from '@vitrine/core/internal/features/define-plugin';
import { runOnJournal } from '@vitrine/core/internal/agent-loop/run-on-journal';
import { create } from '@vitrine/core/internal/graph/agent-state/create';
import { withUserMessage } from '@vitrine/core/internal/graph/agent-state/transitions';
import { systemEnv } from '@vitrine/core/internal/graph/env';
import { system, text } from '@vitrine/core/internal/graph/message';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { InferenceClient, InferenceRequest } from '@vitrine/core/internal/model/inference-client';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { createJournal } from '@vitrine/core/internal/run/journal';
import { scriptedInference, type ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { seededRandom } from '@vitrine/testing/internal/store-suite/seeded-random';
import { type JournalDocument, journalDocument } from '../replay/journal-document.ts';
import { runExperiment } from './run-experiment.ts';

const count = Number(process.env['PROVE_RUNS'] ?? 20);
const unhurried = { timeout: 1_800_000 };

/** The kinds of a planted cause. Each puts the same word into the request. */
const plants = ['hook', 'plugin', 'compiler', 'setting', 'message'] as const;
type Plant = (typeof plants)[number] | null;
const word = 'EVIL';

/** An agent with a random number of parts, one of which may be the cause. */
function agentWith(
  plant: Plant,
  random: () => number,
  inference: InferenceClient,
  acts: string[],
): AgentDefinition {
  const some = (most: number): string[] =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, (_, at) => `n${at}`);
  const addWord = (request: InferenceRequest, added: string): InferenceRequest => ({
    ...request,
    messages: request.messages.map((message) =>
      message.role === 'system' ? system(`${text(message)} ${added}`, {}, systemEnv) : message,
    ),
  });
  const hook = (name: string, added: string) =>
    defineHook({
      name,
      on: 'before-inference',
      run: (_state, ctx) =>
        void (ctx.fields.request && ctx.replace('request', addWord(ctx.fields.request, added))),
    });
  const plugin = (id: string, instructions: string) =>
    definePlugin({ id, state: z.unknown(), prepare: () => ({ instructions }) });
  const tool = (name: string, effects: 'once' | 'idempotent') =>
    defineTool({
      name,
      description: '',
      effects,
      input: z.object({ to: z.string() }),
      execute: () => (effects === 'once' && acts.push(name), 'done'),
    });
  return defineAgent({
    name: 'agent',
    systemPrompt: 'Be brief.',
    inference,
    tools: [tool('mail', 'once'), tool('look', 'idempotent')],
    hooks: [
      ...some(2).map((name) => hook(name, 'kindly')),
      ...(plant === 'hook' ? [hook('planted', word)] : []),
    ],
    plugins: [
      ...some(2).map((id) => plugin(id, 'Hello.')),
      ...(plant === 'plugin' ? [plugin('planted', word)] : []),
    ],
    llmConfig: {
      model: 'm',
      settings: {
        ...(random() < 0.3 ? { temperature: 1 } : {}),
        ...(plant === 'setting' ? { planted: word } : {}),
      },
    },
    ...(plant === 'compiler'
      ? {
          compileMessages: (state) =>
            conversationWithCurrentToolTrace(state).map((message, index) =>
              index > 0 ? message : { ...message, parts: [{ type: 'text' as const, text: word }] },
            ),
        }
      : {}),
  });
}

/**
 * A model that answers by chance. It knows the name always when the word is not in its request, and with `chance`
 * otherwise. Sometimes it calls a tool first, now and then with arguments that no record has.
 */
function modelBy(
  random: () => number,
  chance: (isPlanted: boolean) => number,
  asked: { count: number },
): InferenceClient {
  const said = (request: InferenceRequest): ScriptedStep => {
    const isPlanted = JSON.stringify(request).includes(word);
    return { text: random() < chance(isPlanted) ? 'You are Ada.' : 'I do not know you.' };
  };
  return {
    async *stream(request, options) {
      asked.count++;
      const hasResult = request.messages.some(({ role }) => role === 'tool');
      const wantsTool = !hasResult && JSON.stringify(request.messages).includes('twice');
      const to = random() < 0.05 ? 'Eve' : 'Ada';
      const step: ScriptedStep = wantsTool
        ? { toolCalls: [{ name: random() < 0.9 ? 'look' : 'mail', input: { to } }] }
        : said(request);
      yield* scriptedInference([step]).stream(request, options);
    },
  };
}

async function record(agent: AgentDefinition, base: AgentState): Promise<JournalDocument> {
  const journal = createJournal(base);
  const events: AgentEvent[] = [];
  journal.subscribe((event) => events.push(event));
  await runOnJournal({ agent, lease: journal.lease().lease, env: systemEnv });
  return journalDocument('r', journal.base, events);
}

/** One seeded experiment. @returns whether a cause was named, and the planted one */
async function experiment(seed: number, isPlanted: boolean) {
  const { below } = seededRandom(seed);
  const random = (): number => below(1_000_000) / 1_000_000;
  const plant = isPlanted ? (plants[seed % plants.length] as Plant) : null;
  const base = random() * 0.1;
  const always = random() * 0.6;
  const asked = { count: 0 };
  const acts: string[] = [];
  let isRecording = true;
  const chance = (hasWord: boolean): number => (isRecording ? 0 : isPlanted ? (hasWord ? base : 1) : always);
  const agent = agentWith(plant, random, modelBy(random, chance, asked), acts);
  const said = plant === 'message' ? [`${word} is here.`, 'Hi'] : ['Hello', 'Hi'];
  const question = seed % 3 === 0 ? 'Who am I? Look twice.' : 'Who am I?';
  let state = create({});
  for (const words of [...said, question]) state = withUserMessage(state, words, systemEnv);
  const journal = JSON.parse(JSON.stringify(await record(agent, state))) as JournalDocument;
  isRecording = false;
  [asked.count, acts.length] = [0, 0];
  const found = await runExperiment(journal, agent, { expectation: { says: 'Ada' } });
  expect(asked.count).toBeLessThanOrEqual(30);
  expect(found.calls).toBe(asked.count);
  expect(acts).toEqual([]);
  const { cause } = found;
  const isRight =
    plant !== null &&
    cause !== null &&
    new RegExp(plant === 'message' ? word : plant === 'compiler' ? 'compiler' : 'planted', 'u').test(
      cause.name,
    );
  return { found, isNamed: cause !== null, isRight };
}

describe('experiments against models that answer by chance', () => {
  it(
    'a planted cause that flips always is named in 95 of 100, with no effect and no call above the cap',
    unhurried,
    async () => {
      const wrong: string[] = [];
      for (let seed = 1; seed <= count; seed++) {
        const { isRight, found } = await experiment(seed, true);
        if (!isRight)
          wrong.push(
            `${seed} ${plants[seed % plants.length]}: ${found.sentence} ${JSON.stringify(found.untried)}`,
          );
      }
      expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(count * 0.05);
    },
  );

  it('a cause is named in at most 5 of 100 where there is none', unhurried, async () => {
    const named: string[] = [];
    for (let seed = 1; seed <= count; seed++) {
      const { isNamed, found } = await experiment(seed, false);
      if (isNamed) named.push(`${seed}: ${found.sentence}`);
    }
    expect(named.length, named.join('\n')).toBeLessThanOrEqual(count * 0.05);
  });
});
