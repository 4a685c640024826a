import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import type { AgentInit } from '@vitrine/core/internal/agent/agent-definition';
import { defineTool, type ToolContext } from '@vitrine/core/internal/agent/tool';
import type { ApprovalDecision } from '@vitrine/core/internal/agent/approval-decision';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { pendingApprovals } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { JsonObject, JsonValue } from '@vitrine/core/internal/kit/json';
import { createDeferred } from '@vitrine/core/internal/kit/deferred';
import { sessionHub } from '@vitrine/core/internal/session/hub';
import { fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedEntry, ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { createRecorder } from '../recorder.ts';
import type { JournalRecord } from '../journal-record.ts';
import { diagnose } from './diagnose.ts';
import type { Finding } from './finding.ts';

export type FixedEnv = ReturnType<typeof fixedEnv>;

/** A conversation of an application with a scripted model. */
export type SessionRun = {
  readonly script: readonly ScriptedEntry[];
  readonly init?: Partial<AgentInit> | ((env: FixedEnv) => Partial<AgentInit>);
  /** The messages of the person, or all that happens in the session. */
  readonly play: readonly string[] | ((session: AgentSession, env: FixedEnv) => Promise<unknown>);
};

/** The record of a conversation, as the panel has it. */
export async function recordOf({ script, init = {}, play }: SessionRun): Promise<JournalRecord> {
  const env = fixedEnv();
  const recorder = createRecorder();
  const agent = scriptedAgent(script, {
    retry: { baseDelayMs: 1, maxDelayMs: 2 },
    llmConfig: { model: 'gpt-oss' },
    ...(typeof init === 'function' ? init(env) : init),
  });
  const session = createAgentSession({ agent, env, sessionId: `run-${counted++}` });
  await session.ready;
  try {
    if (typeof play === 'function') await play(session, env);
    else
      for (const message of play) {
        await session.sendMessage(message);
        env.advance(45_000);
      }
    const source = sessionHub()
      .sources()
      .findLast(({ id }) => id === session.id());
    if (source === undefined) throw new Error('The session has no source.');
    return recorder.read(source);
  } finally {
    await session.dispose();
    recorder.dispose();
  }
}
let counted = 0;

/** The findings of a conversation. */
export async function findingsOfSession(run: SessionRun): Promise<readonly Finding[]> {
  return diagnose(await recordOf(run));
}

/** An answer in words. */
export const says = (
  text: string,
  usage: ScriptedStep['usage'] = { inputTokens: 420, outputTokens: 60 },
): ScriptedStep => ({
  text,
  usage,
});

/** An answer with one call. */
export const calls = (name: string, input: JsonValue, text = ''): ScriptedStep => ({
  text,
  toolCalls: [{ name, input }],
  usage: { inputTokens: 380, outputTokens: 40 },
});

/** An answer with several calls of one tool. */
export const callsAll = (name: string, inputs: readonly JsonValue[]): ScriptedStep => ({
  toolCalls: inputs.map((input) => ({ name, input })),
  usage: { inputTokens: 380, outputTokens: 80 },
});

/** A tool that takes any object. */
export function tool(
  name: string,
  description: string,
  execute: (input: JsonObject, ctx: ToolContext) => unknown,
  rest: {
    needsApproval?: boolean | ((input: JsonObject) => ApprovalDecision);
    effects?: 'once' | 'idempotent';
  } = {},
) {
  return defineTool({ name, description, input: { type: 'object' }, execute, ...rest });
}

/** Waits until a call of the session waits for a person, and returns its id. */
export async function waitingCall(session: AgentSession): Promise<string> {
  const found = createDeferred<string>();
  const look = (): void => {
    const [first] = pendingApprovals(session.store.getState().state);
    if (first !== undefined) found.resolve(first.id);
  };
  const leave = session.store.subscribe(look);
  look();
  const id = await found.promise;
  leave();
  return id;
}
