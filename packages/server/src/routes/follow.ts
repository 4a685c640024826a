import type { AgentDefinition } from '@vitrine/core';
import { linkToJSON } from '@vitrine/core/link';
import type { SessionAddress, SessionHost } from '../host/session-host.ts';
import { beatMs, type BusMessage, type BusPlace, listen, say } from '../run/bus-message.ts';
import { readDocument } from '../run/read-document.ts';

export type FollowOptions = {
  readonly host: SessionHost;
  readonly agent: AgentDefinition;
  readonly address: SessionAddress;
  /** True while this process runs the session, perhaps without an answer yet. */
  readonly isLive: () => boolean;
  /** The last message that the follower has; null for none. */
  readonly have: BusPlace | null;
  readonly signal: AbortSignal;
  /** False when the follower may no longer read the session. It is asked every minute. */
  readonly mayGoOn: () => Promise<boolean>;
  readonly onEnd: () => void;
};

/** The wait for a runner to answer before the stored session is sent, in milliseconds. */
const runnerMs = 150;
/** The wait for a runner to take up an open run before it is shown as stored, in milliseconds. */
const resumeMs = 2000;
const checkMs = 60_000;
/** Bytes that wait for a slow reader before its stream ends; it comes back with its position. */
const mostWaiting = 8 * 1024 * 1024;

/** A stream of server-sent events with the messages of a session. The id of an event is the position after it. */
export function follow(options: FollowOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let end = (): void => undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const stream = createFollowStream(options, (text) => {
          if ((controller.desiredSize ?? 0) <= 0) return end();
          controller.enqueue(encoder.encode(text));
        });
        end = () => {
          if (!stream.end()) return;
          options.signal.removeEventListener('abort', end);
          try {
            controller.close();
          } catch {
            // The reader has left.
          }
          options.onEnd();
        };
        options.signal.addEventListener('abort', end);
        if (options.signal.aborted) return end();
        stream.begin(() => end());
      },
      cancel: () => end(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: mostWaiting }),
  );
}

type FollowStream = {
  readonly begin: (leave: () => void) => void;
  /** @returns false when it has ended before */
  readonly end: () => boolean;
};

/** A stream of one follower. */
type Follower = FollowOptions & {
  /** The name of the stream, which answers are for. */
  readonly id: string;
  readonly write: (text: string) => void;
  /** The position of the last message that the follower has. */
  told: BusPlace | null;
  /** True until a runner, or the store, has answered. */
  isAsking: boolean;
  isEnded: boolean;
  leave: () => void;
  readonly timers: Set<ReturnType<typeof setInterval>>;
};

function createFollowStream(options: FollowOptions, write: (text: string) => void): FollowStream {
  const { host, address, mayGoOn } = options;
  const follower: Follower = {
    ...options,
    id: crypto.randomUUID(),
    write: (text) => (follower.isEnded ? undefined : write(text)),
    told: options.have,
    isAsking: true,
    isEnded: false,
    leave: () => undefined,
    timers: new Set(),
  };
  let leaveBus = (): void => undefined;
  return {
    begin(leave) {
      follower.leave = leave;
      leaveBus = listen(host.bus, address, (message) => hear(follower, message));
      const check = (): void => void mayGoOn().then((may) => (may ? undefined : leave()), leave);
      const beat = (): void => {
        follower.write(': \n\n');
        say(host.bus, address, { type: 'here' });
      };
      follower.timers.add(setInterval(beat, beatMs)).add(setInterval(check, checkMs));
      follower.write(': \n\n');
      ask(follower, follower.told);
    },
    end() {
      if (follower.isEnded) return false;
      follower.isEnded = true;
      leaveBus();
      follower.timers.forEach(clearInterval);
      return true;
    },
  };
}

function hear(follower: Follower, message: BusMessage): void {
  const { id, told, isAsking, write } = follower;
  if (message.type === 'changed') return ask(follower, told);
  if (message.type === 'rest') return isAsking ? void show(follower, false) : undefined;
  if (message.type !== 'link') return;
  const { kind, to, at, data } = message;
  if (to !== null && to !== id) return;
  if (kind === 'answer') return write(`data: ${data}\n\n`);
  const isNew = told === null || at.epoch > told.epoch;
  if (kind === 'term') {
    // A new runner: its followers need the whole session.
    if (isNew) return ask(follower, null);
    if (isAsking) write(`data: ${data}\n\n`);
    follower.isAsking = false;
    return;
  }
  const isNext = told?.epoch === at.epoch && at.n > told.n;
  // Batches continue the document of this follower.
  const isOwn = kind === 'document' ? isAsking || isNew || isNext : isNext;
  if (isOwn) send(follower, at, data);
}

function send(follower: Follower, at: BusPlace, data: string): void {
  follower.isAsking = false;
  follower.told = at;
  follower.write(`id: ${at.epoch}.${at.n}\ndata: ${data}\n\n`);
}

function isTold({ told }: Follower, { epoch, n }: BusPlace): boolean {
  return told?.epoch === epoch && told.n === n;
}

/** Says that the follower has everything. */
function upToDate(follower: Follower, { epoch: term }: BusPlace): void {
  follower.isAsking = false;
  follower.write(`data: ${JSON.stringify(linkToJSON({ type: 'term', term }))}\n\n`);
}

/** Asks a runner for what is missing, and shows the stored session when nobody answers. */
function ask(follower: Follower, have: BusPlace | null): void {
  const { id, host, address } = follower;
  follower.isAsking = true;
  say(host.bus, address, { type: 'hello', from: id, seen: have });
  showLater(follower, runnerMs, true);
}

function showLater(follower: Follower, ms: number, isFirst: boolean): void {
  const timer = setTimeout(() => {
    follower.timers.delete(timer);
    if (follower.isAsking) void show(follower, isFirst);
  }, ms);
  follower.timers.add(timer);
}

/**
 * Sends the stored session. A runner that is still loading it is asked again, because its messages come before the stored
 * session in their numbers. An open run is taken up first where nobody runs it.
 */
async function show(follower: Follower, isFirst: boolean): Promise<void> {
  const { host, agent, address, isLive } = follower;
  if (isLive()) return ask(follower, follower.told);
  try {
    const last = (await host.epochs(address, 0)).at(-1)?.epoch ?? 0;
    const { at, data, isOpen } = await readDocument(
      agent,
      address.sessionId,
      host.sessions(address.owner),
      last,
    );
    if (!follower.isAsking || follower.isEnded) return;
    if (isLive()) return ask(follower, follower.told);
    if (!isOpen || !isFirst) return isTold(follower, at) ? upToDate(follower, at) : send(follower, at, data);
    await host.wakeAt(address, 0);
    showLater(follower, resumeMs, false);
  } catch {
    // The follower comes back and asks again.
    follower.leave();
  }
}

/** The position in an event id; null for text that is none. */
export function placeOfId(id: string | null): BusPlace | null {
  const [, epoch, n] = /^(\d{1,15}(?:\.5)?)\.(\d{1,15})$/.exec(id ?? '') ?? [];
  return epoch === undefined ? null : { epoch: Number(epoch), n: Number(n) };
}
