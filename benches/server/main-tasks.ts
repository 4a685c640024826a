/** A task of a page's main thread. */
export type MainTask = {
  /** On the clock of the page, in milliseconds. */
  readonly startedAt: number;
  readonly ms: number;
  /** Processor time, which excludes other work of the machine. */
  readonly cpuMs: number;
};

/** The trace categories with these tasks. */
export const traceCategories = ['-*', 'disabled-by-default-devtools.timeline', 'blink.user_timing'];

type TraceEvent = {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** In microseconds, like the other times. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly data?: { readonly startTime?: number } };
};

/**
 * The tasks of the page that has set the mark of this name, from the mark on.
 * @throws Error without the mark, or where Chromium gives no processor times.
 */
export function mainTasks(trace: Buffer, markName: string): readonly MainTask[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly TraceEvent[] };
  const mark = traceEvents.find(({ name, args }) => name === markName && args.data?.startTime !== undefined);
  if (mark === undefined) throw new Error(`The trace holds no mark ${markName}.`);
  const { pid, tid, ts, args } = mark;
  const own = traceEvents.filter(
    (event) =>
      event.name === 'RunTask' &&
      event.ph === 'X' &&
      event.pid === pid &&
      event.tid === tid &&
      event.ts >= ts,
  );
  return own.map(({ ts: at, dur = 0, tdur }) => {
    if (tdur === undefined) throw new Error('The trace tells no processor time of its tasks.');
    return {
      startedAt: (args.data?.startTime ?? 0) + (at - ts) / 1000,
      ms: dur / 1000,
      cpuMs: tdur / 1000,
    };
  });
}

/** Processor time between two moments, with a proportional share of tasks at the edges. */
export function busyMs(tasks: readonly MainTask[], from: number, to: number): number {
  return tasks.reduce((sum, { startedAt, ms, cpuMs }) => {
    const within = Math.min(to, startedAt + ms) - Math.max(from, startedAt);
    return within <= 0 || ms === 0 ? sum : sum + cpuMs * (within / ms);
  }, 0);
}
