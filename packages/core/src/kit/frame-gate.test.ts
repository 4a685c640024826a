import { afterEach, expect, it, vi, describe } from 'vitest';
import {
  createFrameScheduler,
  pageHost,
  type FrameHost,
  type FrameScheduler,
  pageFrames,
} from './frame-scheduler.ts';
import { createFrameGate, type FrameGate, type PublishMode } from './frame-gate.ts';

afterEach(() => vi.unstubAllGlobals());

it('a page that is removed between two frames causes no error, and waiting jobs are still done', async () => {
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => setTimeout(run, 1));
  vi.stubGlobal('cancelAnimationFrame', clearTimeout);
  const frames = createFrameScheduler(pageHost());
  const done: string[] = [];
  frames.request(() => done.push('first'));
  frames.request(() => done.push('second'));
  vi.stubGlobal('requestAnimationFrame', undefined);
  vi.stubGlobal('cancelAnimationFrame', undefined);
  await vi.waitFor(() => expect(done).toEqual(['first', 'second']));
});

const vsyncMs = 1000 / 60;

/** A page whose clock moves only when work is done or time is advanced, like one thread. */
function fakePage({ isHidden = false }: { isHidden?: boolean } = {}) {
  const timers = new Set<{ at: number; run: () => void }>();
  const frames = new Set<() => void>();
  const messages = new Set<() => void>();
  const thrown: unknown[] = [];
  const paintedAt: number[] = [];
  let nowMs = 0;
  const keep =
    <Item>(set: Set<Item>) =>
    (item: Item) => {
      set.add(item);
      return () => void set.delete(item);
    };
  const take = (set: Set<() => void>): (() => void)[] => {
    const all = [...set];
    set.clear();
    return all;
  };
  const page = {
    paintMs: 1,
    thrown,
    paintedAt,
    nowMs: () => nowMs,
    /** Occupies the one thread. */
    spend: (ms: number) => void (nowMs += ms),
    pending: () => timers.size + frames.size + messages.size,
    host: {
      monotonic: () => nowMs,
      schedule: (ms, run) => keep(timers)({ at: nowMs + ms, run }),
      paint: { frame: (run) => keep(frames)(() => run()), message: (run) => keep(messages)(() => run()) },
      report: (error) => void thrown.push(error),
    } satisfies FrameHost as FrameHost,
    pass(ms: number, everyTask: () => void = () => undefined) {
      const end = nowMs + ms;
      while (nowMs < end) {
        everyTask();
        const [message] = messages;
        if (message) {
          messages.delete(message);
          message();
          continue;
        }
        const timer = [...timers].toSorted((a, b) => a.at - b.at)[0];
        const frameAt = frames.size > 0 && !isHidden ? (Math.floor(nowMs / vsyncMs) + 1) * vsyncMs : Infinity;
        const next = Math.min(timer?.at ?? Infinity, frameAt, nowMs + 1);
        nowMs = Math.max(nowMs, next);
        if (timer && timer.at <= nowMs) {
          timers.delete(timer);
          timer.run();
        } else if (frameAt <= nowMs) {
          for (const run of take(frames)) run();
          nowMs += page.paintMs;
          paintedAt.push(nowMs);
        }
      }
    },
  };
  return page;
}

type Shown = FrameGate & { readonly shownAt: number[] };

function gatesOn(
  page: { host: FrameHost; nowMs: () => number },
  count: number,
  mode: () => PublishMode = () => 'frame',
): Shown[] {
  const frames = createFrameScheduler(page.host);
  return Array.from({ length: count }, () => {
    const shownAt: number[] = [];
    const publish = (): void => void shownAt.push(page.nowMs());
    return { ...gateIn(frames, { publish, mode, schedule: page.host.schedule }), shownAt };
  });
}

/** A gate that uses the frames of a page from its first change on. */
function gateIn(frames: FrameScheduler, options: Parameters<typeof createFrameGate>[0]): FrameGate {
  const gate = createFrameGate(options);
  gate.join(frames);
  return gate;
}

const touchAll = (gates: readonly FrameGate[]) => (): void => gates.forEach((gate) => gate.touch());

describe('a frame gate in a page', () => {
  it('a gate publishes the first change at once and the next ones in frames', () => {
    const page = fakePage();
    const [gate] = gatesOn(page, 1) as [Shown];
    gate.touch();
    expect(gate.shownAt).toEqual([0]);
    gate.touch();
    expect(gate.shownAt).toEqual([0]);
    page.pass(100);
    expect(gate.shownAt).toHaveLength(2);
  });

  it('a gate publishes the last change, and then leaves no timer and no frame behind', () => {
    const page = fakePage();
    const [gate] = gatesOn(page, 1) as [Shown];
    gate.touch();
    gate.touch();
    page.pass(1000);
    expect(gate.shownAt).toHaveLength(2);
    expect(page.pending()).toBe(0);
  });

  it('a gate publishes at most once a frame while changes come without end', () => {
    const page = fakePage();
    const [gate] = gatesOn(page, 1) as [Shown];
    page.pass(1000, touchAll([gate]));
    expect(gate.shownAt.length).toBeGreaterThan(55);
    expect(gate.shownAt.length).toBeLessThanOrEqual(page.paintedAt.length + 1);
  });

  it('a hundred gates publish in the same frames', () => {
    const page = fakePage();
    const gates = gatesOn(page, 100);
    page.pass(1000, touchAll(gates));
    const moments = new Set(gates.flatMap((gate) => gate.shownAt));
    expect(moments.size).toBeGreaterThan(55);
    expect(moments.size).toBeLessThanOrEqual(page.paintedAt.length + 1);
    // Only the very first change was published alone; all later ones go together.
    expect(
      gates.every((gate) => gate.shownAt.slice(-50).join() === gates[0]?.shownAt.slice(-50).join()),
    ).toBe(true);
  });

  it('a gate does not paint two states of one frame when it begins', () => {
    const page = fakePage();
    const [gate] = gatesOn(page, 1) as [Shown];
    gate.touch();
    gate.touch();
    page.pass(vsyncMs + 2);
    expect(page.paintedAt).toHaveLength(1);
    expect(gate.shownAt).toHaveLength(1);
  });

  it.each([40, 90, 300])(
    'a gate leaves two thirds of the thread free when a frame takes %d ms',
    (paintMs) => {
      const page = fakePage();
      page.paintMs = paintMs;
      const [gate] = gatesOn(page, 1) as [Shown];
      page.pass(20_000, touchAll([gate]));
      const busyMs = page.paintedAt.length * paintMs;
      expect(busyMs).toBeLessThan(20_000 * 0.36);
      expect(busyMs).toBeGreaterThan(20_000 * 0.25);
    },
  );

  it('the cost of publishing counts as part of the frame', () => {
    const page = fakePage();
    const frames = createFrameScheduler(page.host);
    let shown = 0;
    const gate = gateIn(frames, {
      publish() {
        shown++;
        page.spend(60);
      },
      mode: () => 'frame',
      schedule: page.host.schedule,
    });
    page.pass(10_000, touchAll([gate]));
    expect(shown).toBeGreaterThan(40);
    expect(shown).toBeLessThan(60);
  });

  it('a gate still publishes when a frame takes seconds', () => {
    const page = fakePage();
    page.paintMs = 5_000;
    const [gate] = gatesOn(page, 1) as [Shown];
    page.pass(60_000, touchAll([gate]));
    expect(gate.shownAt.length).toBeGreaterThanOrEqual(60 / 7.1);
  });

  it('a gate continues in a hidden page, which paints no frames', () => {
    const page = fakePage({ isHidden: true });
    const [gate] = gatesOn(page, 1) as [Shown];
    page.pass(5000, touchAll([gate]));
    expect(page.paintedAt).toHaveLength(0);
    expect(gate.shownAt.length).toBeGreaterThan(5);
    page.pass(2000);
    expect(page.pending()).toBe(0);
  });

  it('a gate that throws is reported, and the others still publish', () => {
    const page = fakePage();
    const frames = createFrameScheduler(page.host);
    const fault = new Error('broken view');
    let shown = 0;
    const make = (publish: () => void): FrameGate =>
      gateIn(frames, { publish, mode: () => 'frame', schedule: page.host.schedule });
    const gates = [
      make(() => {
        throw fault;
      }),
      make(() => void shown++),
    ];
    page.pass(500, touchAll(gates));
    expect(page.thrown).toContain(fault);
    expect(shown).toBeGreaterThan(10);
  });

  it('a gate uses timers as frames until it joins those of the page', () => {
    const page = fakePage();
    const shownAt: number[] = [];
    const { schedule } = page.host;
    const publish = (): void => void shownAt.push(page.nowMs());
    const gate = createFrameGate({ publish, mode: () => 'frame', schedule });
    gate.touch();
    gate.touch();
    expect(shownAt).toHaveLength(1);
    page.pass(100);
    expect(shownAt).toHaveLength(2);
    gate.touch();
    gate.touch();
    gate.join(createFrameScheduler(page.host));
    expect(shownAt).toHaveLength(4);
    gate.touch();
    expect(shownAt).toHaveLength(4);
    page.pass(500);
    expect(shownAt).toHaveLength(5);
  });

  it('a change made by publishing itself is published in a later frame', () => {
    const page = fakePage();
    const frames = createFrameScheduler(page.host);
    const shownAt: number[] = [];
    const gate: FrameGate = gateIn(frames, {
      publish() {
        shownAt.push(page.nowMs());
        if (shownAt.length < 3) gate.touch();
      },
      mode: () => 'frame',
      schedule: page.host.schedule,
    });
    gate.touch();
    page.pass(500);
    expect(shownAt).toHaveLength(3);
    expect(new Set(shownAt).size).toBe(3);
  });

  it('flush publishes a waiting change once, and does nothing without one', () => {
    const page = fakePage();
    const [gate] = gatesOn(page, 1) as [Shown];
    gate.flush();
    expect(gate.shownAt).toEqual([]);
    gate.touch();
    gate.touch();
    gate.flush();
    expect(gate.shownAt).toEqual([0, 0]);
    page.pass(500);
    expect(gate.shownAt).toHaveLength(2);
  });

  it('a disposed gate publishes nothing more', () => {
    const page = fakePage();
    const [gate, other] = gatesOn(page, 2) as [Shown, Shown];
    gate.touch();
    gate.touch();
    gate.dispose();
    gate.touch();
    gate.flush();
    other.touch();
    page.pass(500);
    expect(gate.shownAt).toEqual([0]);
    expect(other.shownAt).toHaveLength(1);
  });
});

describe('the scheduler of frames', () => {
  it('a scheduler does not run a cancelled job', () => {
    const page = fakePage();
    const frames = createFrameScheduler(page.host);
    const ran: string[] = [];
    frames.request(() => void ran.push('first'));
    frames.request(() => void ran.push('kept'));
    frames.request(() => void ran.push('taken back'))();
    page.pass(500);
    expect(ran).toEqual(['first', 'kept']);
  });
});

describe('the modes of a gate', () => {
  it('a gate in mode immediate publishes every change at once', () => {
    const page = fakePage();
    const [gate] = gatesOn(page, 1, () => 'immediate') as [Shown];
    for (let change = 0; change < 5; change++) gate.touch();
    expect(gate.shownAt).toHaveLength(5);
    expect(page.pending()).toBe(0);
  });

  it('a gate with a number publishes at most once in that many milliseconds', () => {
    const page = fakePage();
    const [gate] = gatesOn(page, 1, () => 100) as [Shown];
    page.pass(950, touchAll([gate]));
    expect(gate.shownAt).toHaveLength(10);
    expect(gate.shownAt[0]).toBe(0);
    page.pass(300);
    expect(page.pending()).toBe(0);
  });

  it('a gate with a number publishes the last change when the milliseconds are over', () => {
    const page = fakePage();
    const [gate] = gatesOn(page, 1, () => 100) as [Shown];
    gate.touch();
    page.pass(30);
    gate.touch();
    expect(gate.shownAt).toEqual([0]);
    page.pass(80);
    expect(gate.shownAt).toEqual([0, 100]);
  });

  it('a disposed gate leaves no timer behind', () => {
    const page = fakePage();
    const [gate] = gatesOn(page, 1, () => 100) as [Shown];
    gate.touch();
    gate.dispose();
    expect(page.pending()).toBe(0);
  });

  it('a gate follows a mode that changes during its use', () => {
    const page = fakePage();
    let mode: PublishMode = 1000;
    const [gate] = gatesOn(page, 1, () => mode) as [Shown];
    gate.touch();
    gate.touch();
    expect(gate.shownAt).toHaveLength(1);
    mode = 'immediate';
    gate.touch();
    expect(gate.shownAt).toHaveLength(2);
    mode = 'frame';
    page.pass(2000);
    gate.touch();
    gate.touch();
    page.pass(100);
    expect(gate.shownAt).toHaveLength(4);
  });
});

describe('a gate without a page', () => {
  it('a gate without a page publishes about sixty times a second on the timers of its clock', () => {
    const page = fakePage();
    const host = { ...page.host, paint: null };
    const [gate] = gatesOn({ host, nowMs: page.nowMs }, 1) as [Shown];
    page.pass(1000, touchAll([gate]));
    expect(gate.shownAt[0]).toBe(0);
    expect(gate.shownAt.length).toBeGreaterThan(55);
    expect(gate.shownAt.length).toBeLessThan(65);
    page.pass(100);
    expect(page.pending()).toBe(0);
  });

  it('a gate lets a Node process end, and all gates there share one scheduler', async () => {
    expect(pageHost().paint).toBeNull();
    expect(pageFrames()).toBe(pageFrames());
    const shown: string[] = [];
    const make = (name: string): FrameGate =>
      gateIn(pageFrames(), {
        publish: () => void shown.push(name),
        mode: () => 'frame',
        schedule: pageHost().schedule,
      });
    const [a, b] = [make('a'), make('b')];
    touchAll([a, b, a])();
    expect(shown).toEqual(['a']);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(shown).toHaveLength(3);
    expect(shown.toSorted()).toEqual(['a', 'a', 'b']);
  });

  it('a gate publishes after a test that replaced the timers and left a frame waiting', async () => {
    const shown: string[] = [];
    const make = (name: string): FrameGate =>
      gateIn(pageFrames(), {
        publish: () => shown.push(name),
        mode: () => 'frame',
        schedule: pageHost().schedule,
      });
    vi.useFakeTimers();
    make('in the test').touch();
    expect(vi.getTimerCount()).toBe(1);
    vi.useRealTimers();
    make('after it').touch();
    await vi.waitFor(() => expect(shown).toContain('after it'));
  });
});
