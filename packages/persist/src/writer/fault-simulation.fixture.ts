import { messages, pendingApprovals } from '@vitrine/core/internal/graph/agent-state/accessors';
import { text } from '@vitrine/core/internal/graph/message';
import {
  type FaultySessions,
  faultySessions,
  noAnswer,
} from '@vitrine/testing/internal/faulty-sessions.fixture';
import { simulatedTime, type SimulatedTime } from '@vitrine/testing/internal/simulated-time.fixture';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { AgentSession, QueuedMessage, Turn } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { loadParts } from '../session/loaded-parts.fixture.ts';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import type { SessionRecord } from '@vitrine/core/internal/session/store/session-store';
import { effectKey, payingAgent } from './fault-agent.fixture.ts';
import { faultPlace, type StorePlace, type Version } from './fault-places.fixture.ts';
import type { Act, Schedule } from './fault-schedule.fixture.ts';

type Page = { readonly session: AgentSession; readonly store: FaultySessions; isGone: boolean };

/** A message that a simulated user sent. */
type Said = {
  readonly text: string;
  readonly page: Page;
  /** The turn of the message; null while the page has not received it. */
  turn: Turn | null;
};

/** The observations of the simulation. */
export type Seen = {
  /** The number of times each effect happened, and of those that a person allowed unstored. */
  readonly effects: Map<string, number>;
  readonly insisted: Map<string, number>;
  readonly versions: readonly Version[];
  readonly said: readonly Said[];
  /** The faults found on the way. */
  readonly faults: readonly string[];
  /** The stored session at the end. */
  readonly last: SessionRecord;
  /** The texts of the sessions that hold unsaved answers. */
  readonly forked: readonly string[];
};

const id = 'a';

/**
 * Plays a schedule to its end. Then the store recovers, every page sends a last message, and a new page
 * opens.
 */
export async function play(schedule: Schedule): Promise<Seen> {
  await loadModules();
  const simulation = new Simulation(schedule);
  simulation.open(0);
  simulation.open(1);
  for (const [number, act] of schedule.acts.entries()) await simulation.act(act, number);
  const seen = await simulation.end();
  // A page that dies leaves its sessions there, and no panel of a later run shall hold them.
  Reflect.deleteProperty(globalThis, Symbol.for('vitrine.session-hub.2'));
  return seen;
}

/** Loads the modules of the session and of its stores beforehand, since they load in real time. */
async function loadModules(): Promise<void> {
  const stores = [import('../drivers/memory/memory-records.ts'), import('../rows/row-engine.ts')];
  await Promise.all([loadParts(), ...stores]);
}

class Simulation {
  readonly #time: SimulatedTime = simulatedTime();
  readonly #effects = new Map<string, number>();
  readonly #insisted = new Map<string, number>();
  readonly #said: Said[] = [];
  readonly #faults: string[] = [];
  readonly #pages: Page[] = [];
  readonly #schedule: Schedule;
  readonly #place: StorePlace;
  #opened = 0;
  #deaths = 0;
  #isOver = false;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
    this.#place = faultPlace(schedule, id);
  }

  /** Opens a page in the place of the former one. */
  open(at: number): Page {
    const time = this.#time;
    const env = time.env(this.#opened++);
    const { store: own, dieAfter } = this.#place.open();
    const die = (): void => this.#die(page, at);
    const store = faultySessions(own, this.#schedule.fates[at] ?? [], time.sleep, {
      onDeath: die,
      amid: async (work) => {
        dieAfter?.(this.#schedule.torn);
        if (dieAfter !== null) await work().catch(() => undefined);
      },
    });
    if (this.#isOver || this.#deaths > maxDeaths) store.heal();
    const isGone = (): boolean => page.isGone && store.isCut();
    const session = createAgentSession({
      agent: payingAgent(time, (key) => count(this.#effects, key), isGone),
      sessions: store,
      sessionId: id,
      publish: 'immediate',
      resume: this.#schedule.resume || this.#isOver,
      env: { ...env, schedule: (ms, run) => env.schedule(ms, () => (isGone() ? undefined : run())) },
    });
    const page: Page = { session, store, isGone: false };
    this.#pages[at] = page;
    void session.ready;
    return page;
  }

  #die(page: Page, at: number): void {
    if (page.isGone) return;
    page.isGone = true;
    this.#deaths++;
    this.open(at);
  }

  async act({ page: at, waitMs, act }: Act, number: number): Promise<void> {
    await this.#time.pass(waitMs);
    const page = this.#pages[at] as Page;
    const { session } = page;
    if (act === 'kill') {
      page.store.cut();
      this.#die(page, at);
    } else if (act === 'leave') {
      void session.dispose();
      this.#die(page, at);
    } else if (act === 'stop') void session.stop();
    else if (act === 'draft') session.setDraft(`draft ${number}`);
    else if (act === 'flush') void this.#flush(page);
    else if (act === 'answer' || act === 'refuse') this.#answer(page, act === 'answer');
    else void this.#say(page, `${act} ${number}`);
  }

  /** Asserts that a state is stored, or forked, once the write of it is reported as saved. */
  async #flush(page: Page): Promise<void> {
    const shown = shownIn(page);
    await page.session.flush();
    if (page.isGone || page.session.store.getState().persistence.status !== 'saved') return;
    await this.#checkStored(shown);
  }

  async #checkStored(shown: readonly string[]): Promise<void> {
    const record = await this.#place.look();
    const stored = record === null ? [] : textsOf(liveRecord(record).state, record.queue);
    const forked = await this.#place.forked();
    const missing = shown.find((words) => !stored.includes(words) && !forked.includes(words));
    if (missing !== undefined) this.#faults.push(`${missing} is shown as saved, and is not stored`);
  }

  /** Asserts that everything is saved without an action when the store recovers, apart from conflicts. */
  async #checkSaved(page: Page): Promise<void> {
    const { status, persistence } = page.session.store.getState();
    if (status === 'loading' || persistence.error?.code === 'session-conflict') return;
    if (page.session.store.getState().error?.message === noAnswer) return;
    if (persistence.status === 'degraded' || persistence.status === 'saving')
      this.#faults.push(`A minute later it is not saved: ${JSON.stringify(persistence)}`);
    else if (persistence.status === 'saved') await this.#checkStored(shownIn(page));
  }

  #say(page: Page, words: string): Promise<void> {
    const entry: Said = { text: words, page, turn: null };
    this.#said.push(entry);
    return page.session.sendMessage(words).then((turn) => void (entry.turn = turn));
  }

  #answer({ session }: Page, isApproved: boolean): void {
    for (const { id: callId, approval, toolCall } of pendingApprovals(session.store.getState().state)) {
      if (isApproved && approval?.cause === 'not-stored') count(this.#insisted, effectKey(toolCall.input));
      void (isApproved ? session.approve(callId) : session.reject(callId));
    }
  }

  async end(): Promise<Seen> {
    this.#isOver = true;
    for (const { store } of this.#pages) store.heal();
    await this.#time.pass(60_000);
    for (const page of this.#pages) await this.#checkSaved(page);
    for (const [at, page] of this.#pages.entries()) {
      await this.#bringBack(page);
      await this.#rest(page, this.#say(page, `talk last ${at}`));
    }
    const last = this.open(0);
    await this.#bringBack(last);
    await this.#rest(last, this.#say(last, 'talk at last'));
    const record = await this.#place.look();
    if (record === null) throw new Error('Nothing is stored');
    const [effects, insisted, said, faults] = [this.#effects, this.#insisted, this.#said, this.#faults];
    const forked = await this.#place.forked();
    return { effects, insisted, said, faults, forked, versions: this.#place.versions, last: record };
  }

  /** Repeats the read of a page that could not read the stored session. */
  async #bringBack({ session }: Page): Promise<void> {
    const isUnread = (): boolean => session.store.getState().error?.message === noAnswer;
    // A page that is open only reports the failed write.
    session.clearError();
    if (isUnread()) void session.retry();
    await this.#time.until(
      () => session.store.getState().status !== 'loading' && !isUnread(),
      () => describeSession(session),
    );
  }

  /** Answers open requests until the page is at rest and the turn has ended. */
  async #rest(page: Page, saying: Promise<void>): Promise<void> {
    const { session } = page;
    let isOver = false;
    void saying.then(() => (isOver = true));
    const isAtRest = (): boolean => {
      const { status, state, persistence } = session.store.getState();
      if (pendingApprovals(state).length > 0 && status === 'awaiting-input') this.#answer(page, true);
      if (status === 'error') session.clearError();
      return isOver && status !== 'awaiting-input' && persistence.status === 'saved';
    };
    await this.#time.until(isAtRest, () => describeSession(session));
    await this.#time.pass(1000);
  }
}

/** The number of deaths after which a page stays alive. */
const maxDeaths = 4;

/** The messages of the user that are visible in the conversation and in the queue. */
function shownIn({ session }: Page): readonly string[] {
  const { state, queue } = session.store.getState();
  return textsOf(state, queue);
}

function textsOf(state: AgentState, queue: readonly QueuedMessage[]): readonly string[] {
  const said = messages(state).filter(({ role }) => role === 'user');
  return [...said.map(text), ...queue.map((entry) => entry.text)];
}

function describeSession(session: AgentSession): string {
  const { status, persistence, activity, turn, error } = session.store.getState();
  return JSON.stringify({ status, persistence, activity, turn, error });
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
