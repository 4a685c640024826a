import type { AgentDefinition } from '@vitrine/core';
import { type LinkPosition, linkToJSON, positionToText } from '@vitrine/persist/internal/link/link-json';
import type { SessionAddress, SessionHost } from '../host/session-host.ts';
import { beatMs, type BusMessage, type BusPlace, listen, say, type StoredAt } from './bus-message.ts';
import { readMissing } from './read-document.ts';

export type FollowerOptions = {
  readonly host: SessionHost;
  readonly agent: AgentDefinition;
  readonly address: SessionAddress;
  /** The position that the follower comes back with. */
  readonly from: LinkPosition;
  /** The name of the principal for its pages, which keep what is sent offline apart by it. */
  readonly person: string;
  /** True for a follower who also gets what models are sent: system prompts, tools, and messages of hooks and plugins. */
  readonly inspects: boolean;
  /** False when the follower may no longer read the session. It is asked every minute. */
  readonly mayGoOn: () => Promise<boolean>;
};

type FollowOptions = FollowerOptions & { readonly signal: AbortSignal; readonly onEnd: () => void };

/** The wait for a runner to answer, in milliseconds; each is twice the one before. */
const waits = { first: 150, longest: 2000 };
/** The unanswered requests after which the stored session of a runner that is replaced is sent. */
const patience = { new: 2, known: 4 };
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
          options.signal.removeEventListener('abort', leave);
          try {
            controller.close();
          } catch {
            // The reader has left.
          }
          options.onEnd();
        };
        // A follower that is told goodbye connects again at once, to another process or to the next one.
        const leave = (): void => {
          try {
            controller.enqueue(encoder.encode('event: bye\ndata: \n\n'));
          } catch {
            // The reader has left.
          }
          end();
        };
        options.signal.addEventListener('abort', leave);
        if (options.signal.aborted) return leave();
        stream.begin(() => end());
      },
      cancel: () => end(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: mostWaiting }),
  );
}

type Follower = FollowerOptions & {
  /** The name of the stream, which answers are for. */
  readonly id: string;
  readonly write: (text: string) => void;
  at: LinkPosition;
  /** The place of the last message that this stream sent; null before the first. */
  sentAt: BusPlace | null;
  /** The number of the last whole state. Places before it are not positions of this follower. */
  wholeAt: number;
  /** True until a runner, or the store, has answered. */
  isAsking: boolean;
  /** The number of requests since the last answer. */
  asked: number;
  /** True once the stored session was changed apart from a run, until this stream has read it. */
  isChanged: boolean;
  /** The place of the last message, as it was at the last beat. */
  sentAtBeat: BusPlace | null;
  /** True once this stream woke a session that nobody ran. */
  hasWoken: boolean;
  isEnded: boolean;
  leave: () => void;
  timer: ReturnType<typeof setTimeout> | undefined;
};

/** Creates the messages of a session for a follower, as the texts of server-sent events. */
export function createFollowStream(options: FollowerOptions, write: (text: string) => void) {
  const { host, address, mayGoOn } = options;
  const follower: Follower = {
    ...options,
    id: crypto.randomUUID(),
    write: (text) => (follower.isEnded ? undefined : write(text)),
    at: options.from,
    sentAt: null,
    wholeAt: 0,
    isAsking: true,
    asked: 0,
    isChanged: false,
    sentAtBeat: null,
    hasWoken: false,
    isEnded: false,
    leave: () => undefined,
    timer: undefined,
  };
  let stopListening = (): void => undefined;
  const timers: ReturnType<typeof setInterval>[] = [];
  return {
    begin(leave: () => void): void {
      follower.leave = leave;
      stopListening = listen(host.bus, address, (message) => receive(follower, message));
      const check = (): void => void mayGoOn().then((may) => (may ? undefined : leave()), leave);
      const beat = (): void => {
        follower.write(': \n\n');
        say(host.bus, address, { type: 'here', inspects: options.inspects });
        void catchUp(follower).catch(leave);
      };
      timers.push(setInterval(beat, beatMs), setInterval(check, checkMs));
      follower.write(`event: person\ndata: ${options.person}\n\n`);
      ask(follower);
    },
    /** @returns false when it has ended before */
    end(): boolean {
      if (follower.isEnded) return false;
      follower.isEnded = true;
      stopListening();
      timers.forEach(clearInterval);
      clearTimeout(follower.timer);
      say(host.bus, address, { type: 'bye', from: follower.id });
      return true;
    },
  };
}

function receive(follower: Follower, message: BusMessage): void {
  const { id, sentAt, isAsking } = follower;
  if (message.type === 'changed') follower.isChanged = true;
  if (message.type === 'changed') return ask(follower);
  if (message.type === 'rest') {
    const isMissing = sentAt?.epoch === message.at.epoch && sentAt.n < message.at.n;
    // A runner may leave before it has read the change.
    return isAsking || isMissing || follower.isChanged ? ask(follower) : undefined;
  }
  if (message.type !== 'link') return;
  const { kind, to, at, stored, whole } = message;
  const data = follower.inspects && whole !== undefined ? whole : message.data;
  if (to !== null && to !== id) return;
  if (kind === 'answer') return follower.write(`data: ${data}\n\n`);
  if (kind === 'term') return receiveTerm(follower, at, to);
  const isLater =
    sentAt === null || at.epoch > sentAt.epoch || (at.epoch === sentAt.epoch && at.n > sentAt.n);
  if (kind !== 'batch') {
    const isAnswer = isAsking && (sentAt === null || at.epoch >= sentAt.epoch);
    if (isAnswer || isLater) send(follower, { at, stored, data, isWhole: true });
    return;
  }
  // The answer to a request holds what is told before it.
  if (isAsking || sentAt === null || !isLater) return;
  // A message was lost on the way between processes.
  if (at.epoch > sentAt.epoch || at.n > sentAt.n + 1) return ask(follower);
  send(follower, { at, stored, data, isWhole: false });
}

/** A term for this follower says that it has everything; one for all says that a new runner leads. */
function receiveTerm(follower: Follower, { epoch }: BusPlace, to: string | null): void {
  const { sentAt, at } = follower;
  if (sentAt !== null && epoch < sentAt.epoch) return;
  if (to !== null) return upToDate(follower, { epoch, n: at.seen?.n ?? 0 });
  if (sentAt === null || epoch > sentAt.epoch) ask(follower);
}

/** Asks when a run has begun of which nobody told this process, and when a runner has been silent: it may have left. */
async function catchUp(follower: Follower): Promise<void> {
  const { host, address, sentAt, sentAtBeat } = follower;
  follower.sentAtBeat = sentAt;
  if (follower.isAsking || sentAt === null) return;
  const isSilent = sentAt === sentAtBeat && Number.isInteger(sentAt.epoch);
  const isBehind = isSilent || (await host.epochs(address, Math.floor(sentAt.epoch))).length > 0;
  if (isBehind && !follower.isAsking && !follower.isEnded) ask(follower);
}

type Update = {
  readonly at: BusPlace;
  readonly stored: StoredAt | null | undefined;
  readonly data: string;
  /** True for a message that holds the whole state of its place. */
  readonly isWhole: boolean;
};

function send(follower: Follower, { at, stored, data, isWhole }: Update): void {
  noteAnswer(follower, at);
  if (isWhole) follower.wholeAt = at.n;
  // A follower can go back to a stored place whose state it had.
  const isKnown = isWhole ? stored !== undefined : stored != null && stored.n >= follower.wholeAt;
  const cursor = stored == null ? null : { journalId: stored.journalId, record: stored.record };
  const have = isKnown ? cursor : follower.at.have;
  follower.at = { have, seen: { term: at.epoch, n: at.n } };
  follower.write(`id: ${positionToText(follower.at)}\ndata: ${data}\n\n`);
}

function upToDate(follower: Follower, at: BusPlace): void {
  noteAnswer(follower, at);
  follower.wholeAt = at.n;
  follower.write(`data: ${JSON.stringify(linkToJSON({ type: 'term', term: at.epoch }))}\n\n`);
}

function noteAnswer(follower: Follower, at: BusPlace): void {
  follower.sentAt = at;
  follower.isAsking = false;
  follower.asked = 0;
  clearTimeout(follower.timer);
}

/** Asks a runner for what is missing. Looks at the stored session when nobody answers. */
function ask(follower: Follower): void {
  const { id, host, address, at, inspects } = follower;
  const ms = Math.min(waits.longest, waits.first * 2 ** follower.asked);
  follower.isAsking = true;
  follower.asked += 1;
  say(host.bus, address, { type: 'hello', from: id, at, inspects });
  clearTimeout(follower.timer);
  if (!follower.isEnded) follower.timer = setTimeout(() => void show(follower), ms);
}

/**
 * Sends what the follower lacks of the stored session, when nobody runs it. While a runner starts or is replaced, a
 * follower keeps what it has for a while, and asks again. An open run that nobody goes on with is woken first.
 */
async function show(follower: Follower): Promise<void> {
  const { host, agent, address, asked, inspects } = follower;
  const isOver = (): boolean => follower.isEnded || !follower.isAsking || follower.asked !== asked;
  clearTimeout(follower.timer);
  try {
    // In this order: a run that begins after the last look has a later epoch.
    const last = (await host.epochs(address, 0)).at(-1)?.epoch ?? 0;
    const isAwake = await host.isAwake(address);
    if (isOver()) return;
    // Its runner may speak at any time, and later than what is stored.
    const epoch = isAwake ? Math.max(last - 0.5, 0.5) : last + 0.5;
    const { have, seen } = follower.at;
    const isPatient = asked < (seen === null ? patience.new : patience.known);
    if (isAwake && (isPatient || (seen !== null && seen.term > epoch))) return ask(follower);
    const sessions = host.sessions(address.owner);
    const found = await readMissing(agent, address.sessionId, sessions, { have, isAwake });
    if (isOver()) return;
    if (!isAwake) follower.isChanged = false;
    // With a session its epochs are erased, and a follower takes nothing of an earlier one.
    const term = found.isRemoved ? Math.max(epoch, Math.floor(seen?.term ?? 0) + 0.5) : epoch;
    const at = { epoch: term, n: found.version + 1 };
    if (found.isOpen && !isAwake && !follower.hasWoken) {
      follower.hasWoken = true;
      await host.wakeAt(address, 0);
      if (!isOver()) ask(follower);
      return;
    }
    const isNew = seen?.term !== term || seen.n !== at.n;
    if (isNew) send(follower, { at, stored: found.stored, data: found.textAt(at, inspects), isWhole: true });
    else if (!isAwake) upToDate(follower, at);
    if (!isAwake) return;
    // A runner that begins says so, so the next request is only for a message that was lost.
    follower.asked = asked;
    ask(follower);
  } catch {
    // The follower comes back and asks again.
    follower.leave();
  }
}
