import { describe, expect, it } from 'vitest';
import { steps } from '@vitrine/core/internal/graph/agent-state/accessors';
import { create } from '@vitrine/core/internal/graph/agent-state/create';
import { request } from '@vitrine/core/internal/graph/agent-step';
import { text, user } from '@vitrine/core/internal/graph/message';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { selectedSections } from '@vitrine/core/internal/agent/compilers';
import type { AgentInit } from '@vitrine/core/internal/agent/agent-definition';
import { createJournal } from '@vitrine/core/internal/run/journal';
import { runOnJournal } from '@vitrine/core/internal/agent-loop/run-on-journal';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { createJournalLog } from './journal-log.ts';
import { eventsOf, type JournalRecord, recordAt, stateAt } from './journal-record.ts';
import { leftOut } from './left-out.ts';
import { runsOf } from './runs-of.ts';
import { stepSpans } from './step-spans.ts';

const answers = ['one', 'two'].flatMap((name) => [
  { toolCalls: [{ name: 'look', input: { name } }] },
  { text: `Answer ${name}` },
]);

/**
 * Records two runs of two steps each; with `laterOnly`, from the end of the first one; with `buffered`, with a message
 * in another section.
 */
async function record(
  init: Partial<AgentInit> = {},
  { laterOnly = false, buffered = false } = {},
): Promise<JournalRecord> {
  const env = fixedEnv();
  const agent = scriptedAgent(answers, { tools: [fakeTool('look', { seen: true })], ...init });
  const journal = createJournal(create({}, env), { env });
  let log = createJournalLog(journal.id, journal.state());
  journal.subscribe((event, state) => log.add(event, state));
  const note = user('A note', {}, env);
  if (buffered) journal.commit([], { type: 'message-add', message: note, section: 'buffer', source: null });
  for (const said of ['First', 'Second']) {
    if (laterOnly && said === 'Second') log = createJournalLog(journal.id, journal.state());
    journal.commit([], {
      type: 'message-add',
      message: user(said, {}, env),
      section: 'messages',
      source: 'user',
    });
    await runOnJournal({ agent, lease: journal.lease().lease, env });
  }
  return log.read();
}

describe('the runs of a record', () => {
  it('the runs of a record stay known after the next message, each with its request and its last state', async () => {
    const recorded = await record();
    const runs = runsOf(recorded);
    expect(runs.map(({ number, request: said, known }) => [number, said, known])).toEqual([
      [1, 'First', 'events'],
      [2, 'Second', 'events'],
    ]);
    const state = stateAt(recorded, runs[0]!.last);
    expect([state.execution?.executionId, state.execution?.status]).toEqual([
      runs[0]!.executionId,
      'completed',
    ]);
    expect(runs[1]!.first).toBe(runs[0]!.last + 1);
  });

  it('the runs of a record come from a state and from messages where no events are left', async () => {
    const later = await record({}, { laterOnly: true });
    expect(runsOf(later).map(({ known, request: said }) => [known, said])).toEqual([
      ['state', 'First'],
      ['events', 'Second'],
    ]);
    const bare = createJournalLog('j', later.state).read();
    expect(runsOf(bare).map(({ known, number, request: said }) => [known, number, said])).toEqual([
      ['messages', 1, 'First'],
      ['state', 2, 'Second'],
    ]);
  });
});

describe('the steps of a record', () => {
  it('the steps of a record have their events, and the state of the call gives the messages that were sent', async () => {
    const recorded = await record();
    const spans = stepSpans(recorded);
    for (const run of runsOf(recorded)) {
      const inRun = steps(stateAt(recorded, run.last));
      expect(inRun).toHaveLength(2);
      for (const step of inRun) {
        const span = spans.get(step.id)!;
        expect(eventsOf(recorded)[span.from]?.event.type).toBe('step-start');
        expect(eventsOf(recorded)[span.calledAt!]?.event.type).toBe('inference-start');
        const atCall = stateAt(recorded, span.calledAt!);
        const said = request(atCall, steps(atCall).at(-1)!)!.messages.map(text);
        expect(said.at(run.number === 1 ? 0 : 2)).toBe(run.request);
      }
      expect(eventsOf(recorded)[spans.get(inRun[1]!.id)!.to]?.event.type).toBe('execution-end');
    }
  });

  it('the steps of a record keep the events after the last one, and a step that was taken back is absent', async () => {
    const recorded = await record({ budget: { maxSteps: 1 } });
    const state = stateAt(recorded, runsOf(recorded)[0]!.last);
    const [only, ...others] = steps(state);
    expect(others).toEqual([]);
    const mine = stepSpans(recorded).get(only!.id)!;
    const types = eventsOf(recorded)
      .slice(mine.from, mine.to + 1)
      .map(({ event }) => event.type);
    expect(types).toContain('continuation-evaluate');
    expect(types.at(-1)).toBe('execution-end');
    expect(stepSpans(recorded).size).toBe(2);
  });
});

describe('a record at a moment', () => {
  it('a record at a moment holds what had been recorded then, for every moment', async () => {
    const whole = await record();
    const events = eventsOf(whole);
    for (let at = -1; at < events.length; at++) {
      const then = recordAt(whole, at);
      expect(eventsOf(then)).toEqual(events.slice(0, at + 1));
      expect(then.state).toEqual(stateAt(whole, at));
      expect(stateAt(then, at)).toEqual(then.state);
    }
    expect(recordAt(whole, events.length - 1)).toBe(whole);
  });
});

describe('the messages left out of a request', () => {
  /** The messages left out of the last step, in the state of its call. */
  const lastLeftOut = (recorded: JournalRecord): ReturnType<typeof leftOut> => {
    const last = steps(recorded.state).at(-1)!;
    const state = stateAt(recorded, stepSpans(recorded).get(last.id)!.calledAt!);
    return leftOut(state, steps(state).at(-1)!);
  };

  it('the trace of an earlier run is left out, and the present one is not', async () => {
    const recorded = await record();
    const found = lastLeftOut(recorded);
    expect(found.map(({ message, section }) => [message.role, section])).toEqual([
      ['assistant', 'messages'],
      ['tool', 'messages'],
    ]);
    expect(found[0]?.reason).toMatch(/trace of an earlier run/);
    // Only the last state is left.
    const state: AgentState = recorded.state;
    expect(leftOut(state, steps(state).at(-1)!).map(({ message }) => message.id)).toEqual(
      found.map(({ message }) => message.id),
    );
  });

  it('a left-out message names its section, or the compiler that did not choose it', async () => {
    const bySection = await record({ compileMessages: selectedSections(['messages']) }, { buffered: true });
    expect(lastLeftOut(bySection).map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/section "buffer" is sent/),
    ]);
    const byChoice = await record({
      compileMessages: ({ context }) => context.store.sections.flatMap(({ messages }) => messages.slice(-1)),
    });
    const found = lastLeftOut(byChoice);
    expect(found.length).toBeGreaterThan(2);
    expect(found[0]?.reason).toMatch(/left it out/);
  });

  it('a left-out message names the one that was sent in its place', async () => {
    const recorded = await record({
      compileMessages: ({ context }) =>
        context.store.sections.flatMap(({ messages }) =>
          messages.map((message) =>
            text(message) === 'First'
              ? { ...message, parts: [{ type: 'text' as const, text: 'Cut' }] }
              : message,
          ),
        ),
    });
    const [changed, ...others] = lastLeftOut(recorded);
    expect(others).toEqual([]);
    expect([text(changed!.message), text(changed!.sentAs!)]).toEqual(['First', 'Cut']);
  });
});
