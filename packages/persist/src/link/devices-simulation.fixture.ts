import { messages, pendingApprovals } from '@vitrine/core/internal/graph/agent-state/accessors';
import { type FaultySessions, faultySessions } from '@vitrine/testing/internal/faulty-sessions.fixture';
import { type SimulatedTab, simulatedTabs } from '@vitrine/testing/internal/simulated-tabs.fixture';
import { type SimulatedTime, simulatedTime } from '@vitrine/testing/internal/simulated-time.fixture';
import type { AgentSession, FlushResult, Turn } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { loadParts } from '../session/loaded-parts.fixture.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';
import { type CrashPoints, crashPoints, mortalLink, mortalStore } from './crash-points.fixture.ts';
import type { DeviceCourse } from './device-course.fixture.ts';
import { linesIn, type StoredLines } from './stored-lines.fixture.ts';
import { type ModelCalls, tabsAgent } from './tabs-agent.fixture.ts';

export type Device = {
  readonly session: AgentSession;
  readonly store: FaultySessions;
  readonly tab: SimulatedTab;
  /** True once the device was killed and receives nothing. */
  isGone: boolean;
  /** The outcome of its disposal; null before that. */
  closed: FlushResult | null;
  /** The ids of forks that its `persistence` has named. */
  readonly forks: Set<string>;
};

/** A message that was sent, and its turn. */
export type Said = {
  readonly words: string;
  readonly device: Device;
  readonly at: number;
  turn: Turn | null;
  /** True when a `flush` after the turn settled, or the disposal of the device, has resolved as stored. */
  isWitnessed: boolean;
};

/** A reset, from the call to its effect; `until` is Infinity for one that never settled. */
export type Reset = { until: number };

export type DevicesSeen = StoredLines & {
  readonly said: readonly Said[];
  readonly resets: readonly Reset[];
  /** The number of times that the effect of each call happened. */
  readonly effects: ReadonlyMap<string, number>;
  /** The number of model calls for each step of the answer to a message. */
  readonly calls: ModelCalls;
  /** The number of points at which a device could have crashed. */
  readonly points: number;
};

type Stage = {
  readonly time: SimulatedTime;
  readonly course: DeviceCourse;
  readonly crashes: CrashPoints;
  readonly devices: Device[];
  readonly said: Said[];
  readonly resets: Reset[];
  readonly effects: Map<string, number>;
  readonly calls: Map<string, number>;
  /** Opens one more device. */
  readonly open: () => Device;
};

/**
 * Plays a schedule over a store until every device has closed. With `isLinked` the devices share a
 * lock and a channel.
 */
export async function playDevices(
  course: DeviceCourse,
  open: () => SessionStore,
  isLinked: boolean,
): Promise<DevicesSeen> {
  await loadParts();
  const work = { count: 0 };
  const stage = createStage(course, open, { work, isLinked });
  const { time, devices } = stage;
  const look = open();
  await look.load('a');
  for (let count = 0; count < course.devices; count++) devices.push(stage.open());
  for (const [number, { device: at, waitMs, act }] of course.acts.entries()) {
    await time.pass(waitMs);
    const device = devices[at % devices.length] as Device;
    if (act === 'kill') kill(device, stage);
    else if (act === 'leave') leave(device, stage);
    else perform(device, act, `${act} ${number}`, stage);
  }
  await time.pass(2000);
  devices.forEach(({ store }) => store.heal());
  for (const device of devices) await goOn(device, time);
  await closeAll(stage);
  const { said, resets, effects, calls } = stage;
  return { said, resets, effects, calls, points: stage.crashes.count(), ...(await linesIn(look)) };
}

function createStage(
  course: DeviceCourse,
  open: () => SessionStore,
  { work, isLinked }: { readonly work: { count: number }; readonly isLinked: boolean },
): Stage {
  const time = simulatedTime(() => work.count > 0);
  let chance = course.seed;
  const isLost = (): boolean => (chance = (chance * 7919 + 104_729) % 100_003) % 100 < course.lossPercent;
  const links = simulatedTabs([1, 20, 0, 90], time.sleep, isLost);
  const crashes = crashPoints(course.crashes);
  const stage: Stage = {
    time,
    course,
    crashes,
    devices: [],
    said: [],
    resets: [],
    effects: new Map(),
    calls: new Map(),
    open() {
      const store = faultySessions(countOperations(open(), work), course.fates, time.sleep);
      const tab = links.open();
      const env = time.env(count++);
      const device = { store, tab, isGone: false, closed: null, forks: new Set() } as unknown as Device;
      const isDead = (): boolean => device.isGone || crashes.isReached(() => kill(device, stage));
      const session = createAgentSession({
        agent: tabsAgent(time, stage.effects, isDead, stage.calls),
        sessions: { ...mortalStore(store, isDead), tabs: isLinked ? mortalLink(tab.link, isDead) : null },
        sessionId: 'a',
        publish: 'immediate',
        resume: course.resume,
        env: { ...env, schedule: (ms, run) => env.schedule(ms, () => (device.isGone ? undefined : run())) },
      });
      Object.assign(device, { session });
      session.store.subscribe(({ persistence: { forkedTo } }) => {
        if (forkedTo !== undefined && !device.isGone) device.forks.add(forkedTo);
      });
      return device.isGone ? stage.open() : device;
    },
  };
  let count = 0;
  return stage;
}

/** Ends a device at once; another page takes its place. */
function kill(device: Device, { devices, open }: Stage): void {
  if (device.isGone) return;
  device.store.cut();
  device.tab.kill();
  device.isGone = true;
  const index = devices.indexOf(device);
  if (index >= 0 && device.closed === null) devices[index] = open();
}

function leave(device: Device, stage: Stage): void {
  const { devices, open } = stage;
  close(device, stage);
  devices[devices.indexOf(device)] = open();
}

function close(device: Device, { said }: Stage): void {
  void device.session.dispose().then((result) => {
    if (device.isGone) return;
    device.closed = result;
    if (result.stored) for (const entry of said) if (entry.device === device) entry.isWitnessed = true;
  });
}

/** Closes all devices, and those that replace a device that crashes meanwhile. */
async function closeAll(stage: Stage): Promise<void> {
  const { time, devices, said } = stage;
  const closing = new Set<Device>();
  await time.until(
    () => {
      for (const device of devices)
        if (!closing.has(device) && !device.isGone) {
          device.store.heal();
          closing.add(device);
          close(device, stage);
        }
      return devices.every(({ closed, isGone }) => isGone || closed !== null);
    },
    () => `closed: ${JSON.stringify(devices.map(({ session }) => session.store.getState().persistence))}`,
  );
  // A run that continues after its device closed ends and is saved; some stores answer in real
  // time.
  await time.until(
    () => said.every(({ turn, device }) => turn !== null || device.isGone),
    () => `told: ${JSON.stringify(said.map(({ words, turn }) => [words, turn?.status]))}`,
  );
  await time.pass(60_000);
}

/** Answers open requests for some time, on one device after the other. */
async function goOn({ session }: Device, time: SimulatedTime): Promise<void> {
  for (let patience = 0; patience < 12; patience++) {
    const { status, queue, state } = session.store.getState();
    if (status === 'awaiting-input') pendingApprovals(state).forEach(({ id }) => void session.approve(id));
    if (status === 'error') session.clearError();
    if (status === 'interrupted' || (status === 'ready' && queue.length > 0)) void session.resume();
    await time.pass(200);
  }
}

type Act = Exclude<DeviceCourse['acts'][number]['act'], 'kill' | 'leave'>;

function perform(device: Device, act: Act, words: string, stage: Stage): void {
  const { session } = device;
  const { state } = session.store.getState();
  const last = messages(state).findLast(({ role }) => role === 'user');
  if (act === 'answer') pendingApprovals(state).forEach(({ id }) => void session.approve(id));
  else if (act === 'refuse') pendingApprovals(state).forEach(({ id }) => void session.reject(id));
  else if (act === 'stop') void session.stop();
  else if (act === 'regenerate') void session.regenerate();
  else if (act === 'retry') void session.retry();
  else if (act === 'resume') void session.resume();
  else if (act === 'draft') session.setDraft(words);
  else if (act === 'title') void session.rename(words).catch(() => undefined);
  else if (act === 'choose') void session.chooseModel({ model: words }).catch(() => undefined);
  else if (act === 'rate') {
    const answer = messages(state).findLast(({ role }) => role === 'assistant');
    if (answer) void session.rate(answer.id, { rating: 'up', text: words }).catch(() => undefined);
  } else if (act === 'reset') reset(device, stage);
  else if (act === 'flush') flush(device, stage);
  else if (act !== 'edit') ask(device, words, session.sendMessage(words), stage);
  else if (last !== undefined) ask(device, words, session.edit(last.id, words), stage);
}

function ask(device: Device, words: string, asked: Promise<Turn>, { said, time }: Stage): void {
  const entry: Said = { words, device, at: time.now(), turn: null, isWitnessed: false };
  said.push(entry);
  void asked.then((turn) => {
    if (!device.isGone) entry.turn = turn;
  });
}

function reset(device: Device, { resets, time, devices }: Stage): void {
  const entry: Reset = { until: Infinity };
  resets.push(entry);
  void device.session.reset().then(
    () => {
      // Another device may apply the reset of a dead device at any time.
      if (devices.includes(device) && !device.isGone) entry.until = time.now();
    },
    () => (entry.until = -1),
  );
}

function flush(device: Device, { said }: Stage): void {
  const told = said.filter((entry) => entry.device === device && entry.turn !== null);
  void device.session.flush().then(({ stored }) => {
    if (stored && !device.isGone) for (const entry of told) entry.isWitnessed = true;
  });
}

/** A store that counts its unfinished operations, in real time. */
function countOperations(store: SessionStore, work: { count: number }): SessionStore {
  const count =
    <Args extends readonly unknown[], Value>(operation: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      work.count++;
      try {
        return await operation(...args);
      } finally {
        work.count--;
      }
    };
  const { outbox } = store;
  return {
    ...store,
    load: count(store.load),
    save: count(store.save),
    takeEpoch: count(store.takeEpoch),
    append: count(store.append),
    outbox: { put: count(outbox.put), take: count(outbox.take), drop: count(outbox.drop) },
  };
}
