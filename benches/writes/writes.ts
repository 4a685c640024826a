import {
  AgentState,
  type AgentDefinition,
  createAgentSession,
  defineAgent,
  defineTool,
  Message,
  loadedSession,
} from '@vitrine/core';
import * as z from 'zod';
import type { Figure } from '../goals.ts';
import type { Measured } from '../scenario.ts';
import { finish } from '../sse-events.ts';
import { type CountingSessions, countingSessions, sizeOf } from './counting-sessions.ts';
import { type QuickTime, quickTime } from './quick-time.ts';

/** Four characters every ten milliseconds, as models stream. */
const delta = 'word';
const deltaMs = 10;
/** The most bytes of a short answer beside its text. */
const extraBelow = 20_000;
const extra = 5_120;
const steps = 400;
const stepMs = 3_000;

/**
 * Measures the writes of a session with a counting store and a clock that does not wait; every round gives the same.
 */
export async function writes(): Promise<Measured> {
  const rows: string[][] = [];
  const figures: Figure[] = [];
  for (const [of, before] of [
    ['new session', 0],
    ['after a reload at 1,000 messages', 1_000],
  ] as const) {
    for (const length of [2_000, 20_000, 200_000]) {
      const bytes = await answerBytes(length, before);
      const counted = length < extraBelow ? Math.max(0, bytes - extra) : bytes;
      rows.push([of, `${length}`, `${bytes}`, (bytes / length).toFixed(2)]);
      figures.push({ goal: 'bytesWritten', of: `${of}, ${length} characters`, value: counted / length });
    }
  }
  const { bytes, size } = await stepBytes();
  rows.push([`${steps} slow steps`, `${size}`, `${bytes}`, (bytes / size).toFixed(2)]);
  figures.push({ goal: 'bytesOfSteps', of: `${steps} steps`, value: bytes / size });
  const title = 'Bytes written; of the steps against the size of the session that they leave';
  return { tables: [{ title, head: ['', 'characters', 'bytes', 'bytes a character'], rows }], figures };
}

async function answerBytes(length: number, before: number): Promise<number> {
  const time = quickTime();
  const sessions = countingSessions();
  const agent = answering(time, length);
  if (before > 0) await fill(time, sessions, agent, before);
  sessions.take();
  const session = open(time, sessions, agent);
  await time.during(session.sendMessage('Go on'));
  await time.during(session.dispose());
  return sessions.take();
}

/** A stored conversation of an earlier page. */
async function fill(
  time: QuickTime,
  sessions: CountingSessions,
  agent: AgentDefinition,
  count: number,
): Promise<void> {
  const messages = Array.from({ length: count }, (_, index) =>
    (index % 2 === 0 ? Message.user : Message.assistant)(
      `Message ${index}: ${'some words of it '.repeat(20)}`,
    ),
  );
  const session = createAgentSession({
    agent,
    sessions,
    sessionId: 'bench',
    env: time.env,
    initialState: AgentState.create({ messages }),
  });
  session.setDraft('');
  await time.during(session.ready);
  await time.during(session.flush());
  await time.during(session.dispose());
}

async function stepBytes(): Promise<{ bytes: number; size: number }> {
  const time = quickTime();
  const sessions = countingSessions();
  const session = open(time, sessions, working(time));
  await time.during(session.sendMessage('Work'));
  await time.during(session.dispose());
  const stored = loadedSession(await sessions.load('bench'));
  if (stored === null) throw new Error('Nothing was stored');
  const state = session.store.getState().state;
  if (AgentState.stepCount(state) !== steps)
    throw new Error(`${AgentState.stepCount(state)} steps were made`);
  return {
    bytes: sessions.take(),
    size: sizeOf({ ...stored, state, journal: { ...stored.journal, tail: [] } }),
  };
}

function open(
  time: QuickTime,
  sessions: CountingSessions,
  agent: AgentDefinition,
): ReturnType<typeof createAgentSession> {
  return createAgentSession({ agent, sessions, sessionId: 'bench', env: time.env, publish: 'immediate' });
}

function answering({ sleep }: QuickTime, length: number): AgentDefinition {
  return defineAgent({
    name: 'bench',
    inference: {
      async *stream() {
        for (let at = 0; at < length; at += delta.length) {
          await sleep(deltaMs);
          yield { type: 'text-delta', delta };
        }
        yield finish('stop');
      },
    },
  });
}

/** Steps with some text, a call and its result, seconds apart, as in a research run. */
function working({ sleep }: QuickTime): AgentDefinition {
  let step = 0;
  const echo = defineTool({
    name: 'echo',
    description: 'Gives back what it is given',
    input: z.object({ n: z.number() }),
    async execute() {
      await sleep(stepMs);
      return 'a result of some length, as tools give them: '.repeat(4);
    },
  });
  return defineAgent({
    name: 'bench',
    tools: [echo],
    budget: { maxSteps: steps },
    inference: {
      async *stream() {
        step += 1;
        for (let at = 0; at < 20; at++) {
          await sleep(deltaMs);
          yield { type: 'text-delta', delta };
        }
        const isLast = step === steps;
        if (!isLast)
          yield { type: 'tool-call', toolCallId: `call_${step}`, toolName: 'echo', input: { n: step } };
        yield finish(isLast ? 'stop' : 'tool-calls');
      },
    },
  });
}
