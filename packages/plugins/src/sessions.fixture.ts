import {
  type AgentInit,
  type AgentSession,
  AgentState,
  createAgentSession,
  defineAgent,
  type InferenceRequest,
  type JsonValue,
} from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { type ScriptedStep, scriptedInference } from '@vitrine/testing';

/** The answer of a model to the request of a step, counted from 0 within its turn. It depends on the request alone. */
export type Script = (step: number, request: InferenceRequest) => ScriptedStep;

/** The requests of a played session, and its end. */
export type Played = {
  readonly state: AgentState;
  readonly requests: readonly InferenceRequest[];
  readonly events: number;
};

/** The steps of the present turn that a request has in it. */
function stepOf({ messages }: InferenceRequest): number {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(asked).filter(({ role }) => role === 'assistant').length;
}

export type Scene = {
  readonly init: () => Partial<AgentInit>;
  readonly script: Script;
  readonly questions: readonly string[];
  /** Answers what waits for a person. Default: every call is approved. */
  readonly answer?: (session: AgentSession) => Promise<unknown>;
};

/** Approves the first call that waits, or gives it an output. */
export async function answerFirst(session: AgentSession, output: JsonValue = null): Promise<void> {
  const [waiting] = AgentState.pendingApprovals(session.store.getState().state);
  if (waiting?.status === 'awaiting-approval') await session.approve(waiting.id);
  else if (waiting !== undefined) await session.respond(waiting.id, output);
}

/** Plays a scene. At the given event the page is closed and opened again, and the run goes on there. */
export async function play(
  { init, script, questions, answer = answerFirst }: Scene,
  cutAt = Infinity,
): Promise<Played> {
  const requests: InferenceRequest[] = [];
  const sessions = memorySessions();
  let events = 0;
  let closing: Promise<unknown> | null = null;
  const open = (): AgentSession => {
    const inference = scriptedInference([
      (request) => {
        requests.push(request);
        return script(stepOf(request), request);
      },
    ]);
    const agent = defineAgent({ name: 'worker', inference, budget: { maxSteps: 40 }, ...init() });
    const opened = createAgentSession({
      agent,
      sessions,
      sessionId: 's',
      publish: 'immediate',
      resume: true,
    });
    opened.onEvent(() => {
      events += 1;
      if (events === cutAt) closing = opened.dispose();
    });
    return opened;
  };
  let session = open();
  for (const question of questions) {
    await session.sendMessage(question).catch(() => undefined);
    for (let round = 0; round < 1_000; round += 1) {
      if (closing !== null) {
        await closing;
        closing = null;
        session = open();
        await session.ready;
      }
      const { status, state } = session.store.getState();
      if (status === 'awaiting-input') await answer(session);
      else if (status === 'interrupted') await session.resume();
      else if (!holds(state, question)) await session.sendMessage(question);
      else if (status === 'ready' || status === 'error') break;
      else await untilChanged(session);
    }
  }
  const { state } = session.store.getState();
  await session.dispose();
  return { state, requests, events };
}

/** False when the page was closed before the message was stored. */
function holds(state: AgentState, question: string): boolean {
  return JSON.stringify(state.context.store).includes(JSON.stringify(question));
}

/** Resolves with the next change of a session. */
export function untilChanged(session: AgentSession): Promise<void> {
  return new Promise((resolve) => {
    const leave = session.store.subscribe(() => {
      leave();
      resolve();
    });
    // Closed meanwhile.
    void session.ready.catch(() => resolve());
  });
}

/** The texts of a request, without ids and times. */
export function wireOf({ messages }: InferenceRequest): readonly string[] {
  return messages.map(({ role, parts }) =>
    JSON.stringify([
      role,
      parts.map((part) => ({ ...part, toolCallId: '', providerCallId: '', durationMs: 0 })),
    ]),
  );
}
