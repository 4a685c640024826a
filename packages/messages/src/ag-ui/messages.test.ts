import { MessageSchema } from '@ag-ui/core/schemas';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { olderPeer } from '../../../../tests/peers/older-peer.ts';
import * as AgentState from '@vitrine/core/internal/run/agent-state';
import type { MessagePart } from '@vitrine/core/internal/graph/message';
import * as Message from '@vitrine/core/internal/graph/message';
import { agentOf } from '@vitrine/core/internal/run/random-agent.fixture';
import { plan } from '@vitrine/core/internal/run/random-plan.fixture';
import { runAll } from '@vitrine/core/internal/run/random-runs.fixture';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import { importAgUiMessages, toAgUiMessages } from './messages.ts';

const unhurried = { timeout: 300_000 };
type Checks = { readonly MessageSchema: { readonly safeParse: (message: unknown) => object } };
const old = await olderPeer<Checks>('ag-ui-client-0');
const schemas = [MessageSchema, ...(old === null ? [] : [old.MessageSchema])];
const file = fc.oneof(
  fc.record({
    type: fc.constant('file' as const),
    mediaType: fc.constantFrom('image/png', 'application/pdf', 'audio/wav'),
    data: fc.base64String({ minLength: 4 }),
    filename: fc.constantFrom(null, 'a.png'),
  }),
  fc.record({
    type: fc.constant('file' as const),
    mediaType: fc.constant('video/mp4'),
    url: fc.constant('https://example.com/a.mp4'),
    filename: fc.constantFrom(null, 'b.mp4'),
  }),
);
const asked = fc.array(fc.oneof(file, fc.record({ type: fc.constant('text' as const), text: fc.string() })), {
  minLength: 1,
  maxLength: 4,
});

describe('messages of AG-UI', () => {
  it('200 random sessions come back with their messages, calls, results and files', unhurried, async () => {
    await fc.assert(
      fc.asyncProperty(plan, asked, async (planned, parts) => {
        const env = fixedEnv();
        const base = AgentState.withUserMessage(
          AgentState.create({}, env),
          Message.of('user', parts as MessagePart[], {}, env),
          env,
        );
        const { journal } = await runAll(planned, agentOf(planned, new Map()), env, base);
        const written = toAgUiMessages(journal.state());
        for (const message of written) {
          for (const schema of schemas) expect(schema.safeParse(message)).toMatchObject({ success: true });
        }
        const sent = JSON.parse(JSON.stringify(written)) as unknown;
        expect(importAgUiMessages(sent)).toEqual(AgentState.messages(journal.state()));
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 200) },
    );
  });

  it('messages of another backend become messages with ids of ours, and calls keep their results', () => {
    const [question, answer, result] = importAgUiMessages([
      {
        id: 'm1',
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'binary', mimeType: 'image/png', data: 'AAAA' },
        ],
      },
      { id: 'r1', role: 'reasoning', content: 'I look.' },
      {
        id: 'm2',
        role: 'assistant',
        content: 'Looking',
        toolCalls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
      },
      { id: 'm3', role: 'tool', toolCallId: 'c1', content: '{"found":true}' },
      { id: 'a1', role: 'activity', activityType: 'PLAN', content: {} },
    ]);
    expect(question?.parts).toMatchObject([{ text: 'Look' }, { type: 'file', mediaType: 'image/png' }]);
    expect(answer?.parts).toMatchObject([
      { type: 'reasoning', text: 'I look.' },
      { type: 'text', text: 'Looking' },
      { type: 'tool-call', toolName: 'look', input: { at: 1 }, providerCallId: 'c1' },
    ]);
    const call = answer?.parts.find((part) => part.type === 'tool-call');
    expect(result?.parts).toMatchObject([
      { toolCallId: call?.toolCallId, toolName: 'look', output: { found: true }, outcome: 'completed' },
    ]);
  });

  it('a message that a peer has changed is taken as it says, and not as it was', () => {
    const env = fixedEnv();
    const state = AgentState.withUserMessage(AgentState.create({}, env), 'Before', env);
    const [message] = toAgUiMessages(state);
    expect(importAgUiMessages([{ ...message, content: 'After' }])[0]?.parts).toEqual([
      { type: 'text', text: 'After' },
    ]);
  });

  it.each([
    null,
    7,
    'x',
    {},
    [null, 1, {}, { role: 'user' }, { role: 'tool', content: [] }, { role: 'assistant', toolCalls: [{}] }],
  ])('importing %j throws nothing', (given) => {
    expect(Array.isArray(importAgUiMessages(given))).toBe(true);
  });
});
