import type { StreamLimits } from './stream-limits.ts';
import type { StreamLog } from './stream-log.ts';

type AttendanceListener = {
  /** Receives the number of readers in all processes. */
  readonly onReaders: (count: number) => void;
  /** Called when nobody has read for the grace time. */
  readonly onUnread: () => void;
  /** Called when another process ended the stream, or it is gone. */
  readonly onEnded: () => void;
  /** Called when the log has not answered for the time of the lease. */
  readonly onLost: () => void;
};

/** Renews the writer's lease and watches the readers, until the returned function is called. */
export function watchAttendance(
  log: StreamLog,
  id: string,
  { leaseMs, resumeGraceMs }: Pick<StreamLimits, 'leaseMs' | 'resumeGraceMs'>,
  { onReaders, onUnread, onEnded, onLost }: AttendanceListener,
): () => void {
  let isOver = false;
  let isLooking = false;
  let looksAgain = false;
  let askedAt = performance.now();
  let answeredAt = askedAt;
  let grace: ReturnType<typeof setTimeout> | undefined;

  async function look(): Promise<void> {
    looksAgain = isLooking;
    if (isLooking) return;
    isLooking = true;
    askedAt = performance.now();
    const head = await log.renew(id, leaseMs).catch(() => undefined);
    isLooking = false;
    if (isOver) return;
    if (head === null || head?.isEnded) return onEnded();
    if (head) noteReaders(head.readers);
    else if (performance.now() - answeredAt > leaseMs) return onLost();
    if (looksAgain) void look();
  }

  function noteReaders(readers: number): void {
    answeredAt = performance.now();
    onReaders(readers);
    if (readers > 0) {
      clearTimeout(grace);
      grace = undefined;
    } else grace ??= setTimeout(() => void leave(), resumeGraceMs);
  }

  /** A reader may have come whose hint was lost. */
  async function leave(): Promise<void> {
    const head = await log.head(id).catch(() => null);
    grace = undefined;
    if (isOver) return;
    if (head !== null && head.readers > 0) noteReaders(head.readers);
    else onUnread();
  }

  const unwatch = log.watch(id, (hint) => {
    if (hint === 'state') void look();
  });
  const timer = setInterval(() => {
    if (isLooking && performance.now() - askedAt > leaseMs) onLost();
    else void look();
  }, leaseMs / 3);
  void look();
  return () => {
    isOver = true;
    clearInterval(timer);
    clearTimeout(grace);
    unwatch();
  };
}
