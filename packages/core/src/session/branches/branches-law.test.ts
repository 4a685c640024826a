import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTrace, type Message } from '../../graph/message.ts';
import type { AgentSession } from '../agent-session.ts';
import { diarist, lineOf, notesOf } from './branches.fixture.ts';
import { createAgentSession } from '../create-agent-session.ts';
import { liveRecord } from '../store/live-record.ts';
import { loadedSession } from '../store/loaded-session.ts';
import { memorySessions } from '@vitrine/persist/internal/drivers/memory/memory-sessions';

const runs = (count: number): { numRuns: number; endOnFailure: boolean } => ({
  numRuns: Number(process.env['PROVE_RUNS'] ?? count),
  endOnFailure: false,
});

const unhurried = { timeout: 1_800_000 };

/** An action; `which` selects among the messages at that moment. */
type Act = {
  readonly type: 'send' | 'edit' | 'regenerate' | 'switch' | 'fork' | 'reset' | 'reload';
  readonly which: number;
  readonly words: string;
};
const act: fc.Arbitrary<Act> = fc.record({
  type: fc.constantFrom<Act['type']>(
    ...['send', 'send', 'send', 'edit', 'edit', 'edit', 'regenerate', 'regenerate'].map(
      (type) => type as Act['type'],
    ),
    ...['switch', 'switch', 'switch', 'fork', 'reload', 'reset'].map((type) => type as Act['type']),
  ),
  which: fc.nat(1000),
  words: fc.constantFrom('plain', 'note a', 'note twice b', 'fail'),
});

/** A branch as it was left. */
type Left = { readonly messages: readonly Message[]; readonly notes: unknown };

const isSaid = (message: Message): boolean => message.role === 'user' && !isTrace(message);
const byCreation = (a: Message, b: Message): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);

/** The model of the law: each message with its parent, and each branch as it was left. */
class Paper {
  readonly all = new Map<string, { message: Message; parent: string | null }>();
  left: Left[] = [];

  see(messages: readonly Message[]): void {
    messages.forEach((message, at) => {
      const parent = messages[at - 1]?.id ?? null;
      const known = this.all.get(message.id);
      // A message has one fixed parent.
      if (known !== undefined) expect(parent).toBe(known.parent);
      this.all.set(message.id, { message, parent });
    });
  }

  /** The alternatives of a message, or of an answer, according to the model. */
  alternatives(of: Message): string[] {
    const { parent } = this.all.get(of.id) as { parent: string | null };
    const isHere = (entry: { message: Message; parent: string | null }): boolean =>
      entry.parent === parent && isSaid(entry.message) === isSaid(of);
    return [...this.all.values()]
      .filter(isHere)
      .map(({ message }) => message)
      .toSorted(byCreation)
      .map(({ id }) => id);
  }

  clear(): void {
    this.all.clear();
    this.left = [];
  }
}

const stays = (left: Left, others: readonly Left[]): boolean =>
  !others.some((other) =>
    left.messages.every(({ id }) => other.messages.some((message) => message.id === id)),
  );

class World {
  readonly sessions = memorySessions();
  readonly agent = diarist();
  readonly paper = new Paper();
  session = this.open();

  open(sessionId = 'a'): AgentSession {
    const { agent, sessions } = this;
    const session = createAgentSession({ agent, sessions, sessionId, publish: 'immediate' });
    // Two views of the session.
    session.store.subscribe(() => undefined);
    session.store.subscribe(() => undefined);
    return session;
  }

  here(): Left {
    return { messages: lineOf(this.session), notes: notesOf(this.session) };
  }

  /** Leaves the branch for one that begins with the messages of `base`. */
  leave(before: Left, base: readonly Message[]): void {
    if (stays(before, [{ messages: base, notes: null }, ...this.paper.left])) this.paper.left.push(before);
  }

  async do({ type, which, words }: Act): Promise<void> {
    const { session, paper } = this;
    const before = this.here();
    const said = before.messages.filter(isSaid);
    const chosen = said[which % Math.max(1, said.length)];
    const at = chosen === undefined ? -1 : before.messages.indexOf(chosen);
    if (type === 'send') await session.sendMessage(words);
    if (type === 'edit' && chosen !== undefined) {
      await session.edit(chosen.id, words);
      this.leave(before, before.messages.slice(0, at));
    }
    if (type === 'regenerate' && chosen !== undefined) {
      const target = Math.min(at + (which % 2), before.messages.length - 1);
      await session.regenerate(before.messages[target]?.id);
      const turn = before.messages.findLastIndex((message, place) => place <= target && isSaid(message));
      this.leave(before, before.messages.slice(0, turn + 1));
    }
    if (type === 'switch') {
      const target = paper.left[which % Math.max(1, paper.left.length)];
      if (target !== undefined) await this.goTo(target);
    }
    if (type === 'fork') await this.fork(which);
    if (type === 'reset') {
      await session.reset();
      paper.clear();
    }
    if (type === 'reload') await this.reload();
    this.check();
  }

  async goTo(target: Left): Promise<void> {
    const before = this.here();
    const { paper, session } = this;
    expect((await session.switchBranch(target.messages.at(-1)?.id ?? '')).status).toBe('done');
    expect(this.here()).toEqual(target);
    paper.left = paper.left.filter((entry) => entry !== target);
    this.leave(before, target.messages);
  }

  async fork(which: number): Promise<void> {
    const { messages, notes } = this.here();
    const point = messages[which % Math.max(1, messages.length)];
    const id = await this.session.fork(point === undefined ? {} : { messageId: point.id });
    const fork = this.open(id);
    await fork.ready;
    expect(lineOf(fork)).toEqual(messages.slice(0, lineOf(fork).length));
    if (lineOf(fork).length === messages.length) expect(notesOf(fork)).toEqual(notes);
    expect(notesIn(lineOf(fork))).toEqual(notesOf(fork));
    await fork.dispose();
  }

  async reload(): Promise<void> {
    await this.session.dispose();
    const { tree, state } = this.session.store.getState();
    this.session = this.open();
    await this.session.ready;
    const read = this.session.store.getState();
    if (state.agentId === '00000000-0000-0000-0000-000000000000') return;
    const isStored = loadedSession(await this.sessions.load('a')) !== null;
    if (isStored) expect([read.tree, read.state]).toEqual([tree, state]);
  }

  check(): void {
    const { session, paper } = this;
    const { messages, notes } = this.here();
    paper.see(messages);
    expect(notes).toEqual(notesIn(messages));
    const { branches } = session.store.getState().tree;
    const lines = [messages, ...branches.map(({ state }) => state.context.store.sections[0]?.messages ?? [])];
    expect(new Set(lines.flatMap((line) => line.map(({ id }) => id)))).toEqual(new Set(paper.all.keys()));
    for (const line of lines) expect(new Set(line.map(({ id }) => id)).size).toBe(line.length);
    expect(new Set(branches.map(({ id }) => id)).size).toBe(branches.length);
    expect(branches).toHaveLength(paper.left.length);
    this.checkAlternatives(messages);
  }

  checkAlternatives(messages: readonly Message[]): void {
    let answer: Message | null = null;
    messages.forEach((message, at) => {
      const previous = messages[at - 1];
      if (isSaid(message)) answer = null;
      else if (previous === undefined || isSaid(previous)) answer = message;
      const shown: Message = answer ?? message;
      const { ids, index, answers } = this.session.branches(message.id);
      expect(ids).toEqual(this.paper.alternatives(shown));
      expect(ids[index]).toBe(shown.id);
      if (!isSaid(message)) return;
      const children = [...this.paper.all.values()].filter((entry) => entry.parent === message.id);
      const answering = children.map((entry) => entry.message).filter((child) => !isSaid(child));
      expect(answers).toEqual(answering.toSorted(byCreation).map(({ id }) => id));
    });
  }
}

/** The diary entries of a branch: the input of each call with a result. */
function notesIn(messages: readonly Message[]): unknown[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-result' ? [String(part.output).replace('noted ', '')] : [])),
  );
}

describe('the tree of a session', () => {
  it(
    'a session keeps every message and every branch as it was left, whatever commands come',
    unhurried,
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
          const world = new World();
          for (const given of acts) await world.do(given);
          for (const target of [...world.paper.left].reverse()) {
            await world.goTo(target);
            world.check();
          }
          await world.session.dispose();
        }),
        runs(60),
      );
    },
  );

  it('a session keeps every message on one consistent branch when commands overlap', unhurried, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ act, afterMs: fc.constantFrom(0, 0, 1, 3) }), { maxLength: 14 }),
        async (given) => {
          const agent = diarist({ delayMs: 1 });
          const session = createAgentSession({
            agent,
            sessions: memorySessions(),
            publish: 'immediate',
            sessionId: 'a',
          });
          const asked: Promise<{ status: string }>[] = [];
          const seen = new Map<string, Message>();
          session.store.subscribe(() => {
            for (const message of lineOf(session)) seen.set(message.id, message);
          });
          for (const { act: wanted, afterMs } of given) {
            if (afterMs > 0) await new Promise((resolve) => setTimeout(resolve, afterMs));
            const ids = [...seen.keys()];
            const id = ids[wanted.which % Math.max(1, ids.length)] ?? 'nobody';
            if (wanted.type === 'send') asked.push(session.sendMessage(wanted.words));
            if (wanted.type === 'edit') asked.push(session.edit(id, wanted.words));
            if (wanted.type === 'regenerate') asked.push(session.regenerate(id));
            if (wanted.type === 'switch') asked.push(session.switchBranch(id));
          }
          // Releases the held calls.
          let turns: readonly { status: string }[] = [];
          void Promise.all(asked).then((all) => (turns = all));
          for (let tries = 0; turns.length < asked.length && tries < 200; tries++) {
            await new Promise((resolve) => setTimeout(resolve, 2));
            session.clearError();
            if (session.store.getState().status === 'ready') void session.resume();
          }
          expect(turns.map(({ status }) => status).filter((status) => !/done|refused/.test(status))).toEqual(
            [],
          );
          expect(turns).toHaveLength(asked.length);
          const { tree, state } = session.store.getState();
          const lines = [state, ...tree.branches.map((branch) => branch.state)];
          const held = new Set(
            lines.flatMap((line) =>
              line.context.store.sections.flatMap((section) => section.messages.map((m) => m.id)),
            ),
          );
          expect([...seen.keys()].filter((id) => !held.has(id))).toEqual([]);
          for (const id of held) {
            expect((await session.switchBranch(id)).status).toBe('done');
            expect(session.branches(id).ids.length).toBeGreaterThan(0);
            expect(lineOf(session).map((m) => m.id)).toContain(id);
            expect(notesOf(session)).toEqual(notesIn(lineOf(session)));
          }
          await session.dispose();
        },
      ),
      runs(40),
    );
  });

  it(
    'two writers of one session lose no message, also when each edits unread messages of the other',
    unhurried,
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ who: fc.nat(1), act }), { minLength: 1, maxLength: 12 }),
          async (given) => {
            const sessions = memorySessions();
            const both = [0, 1].map(() =>
              createAgentSession({ agent: diarist(), sessions, publish: 'immediate', sessionId: 'a' }),
            );
            const said: string[] = [];
            let count = 0;
            for (const { who, act: wanted } of given) {
              const session = both[who] as AgentSession;
              const words = `${wanted.words} ${++count}`;
              const mine = lineOf(session).filter(isSaid);
              const id = mine[wanted.which % Math.max(1, mine.length)]?.id;
              const isEdit = wanted.type === 'edit' && id !== undefined;
              const turn = isEdit ? await session.edit(id, words) : await session.sendMessage(words);
              if (turn.status === 'done') said.push(turn.id);
              await session.flush();
            }
            await Promise.all(both.map((session) => session.dispose()));
            const record = loadedSession(await sessions.load('a'));
            const lines = [
              record && liveRecord(record).state,
              ...(record?.branches.map(({ state }) => state) ?? []),
            ];
            const held = new Set(
              lines.flatMap(
                (state) =>
                  state?.context.store.sections.flatMap(({ messages }) => messages.map((m) => m.id)) ?? [],
              ),
            );
            expect(said.filter((id) => !held.has(id))).toEqual([]);
          },
        ),
        runs(40),
      );
    },
  );
});
