import type { JsonValue } from '@vitrine/core';
import type { LinkMessage } from '@vitrine/persist/internal/link/protocol';
import type { LinkPosition } from '@vitrine/persist/internal/link/link-json';
import type { SessionAddress, SessionBus } from '../host/session-host.ts';

/** The position of a message of a runner: its epoch, and the number of the message within it. */
export type BusPlace = { readonly epoch: number; readonly n: number };

/** The interval at which a stream says that it follows still, in milliseconds. */
export const beatMs = 15_000;

/** A place in the stored session, with the number of the message after which its runner had it. */
export type StoredAt = NonNullable<LinkPosition['have']> & { readonly n: number };

/** A right of a follower: with `inspects` it gets the prompts and all else that models are sent. */
type Reads = { readonly inspects: boolean };

/** A message about a session between its runner and the streams of its followers, on any process. */
export type BusMessage =
  /** To the runner: a command was kept. */
  | { readonly type: 'look' }
  /** To the runner and to followers: the stored session was changed apart from a run. */
  | { readonly type: 'changed' }
  /** To the runner: a follower joins at a position, whose term is an epoch. `from` names its stream. */
  | ({ readonly type: 'hello'; readonly from: string; readonly at: LinkPosition } & Reads)
  /** To the runner: somebody follows still. */
  | ({ readonly type: 'here' } & Reads)
  /** To the runner: a follower has left. */
  | { readonly type: 'bye'; readonly from: string }
  /** To followers: a message of the link as text, for one stream or for all. A `term` has no number. */
  | {
      readonly type: 'link';
      readonly kind: LinkMessage['type'];
      readonly to: string | null;
      readonly at: BusPlace;
      /** The stored place that the message tells; absent in a batch that tells none. */
      readonly stored?: StoredAt | null;
      readonly data: string;
      /** The text for followers who inspect, where it differs; `data` is without the prompts then. */
      readonly whole?: string;
    }
  /** To followers: the runner has left, after its last message. */
  | { readonly type: 'rest'; readonly at: BusPlace };

export function say(bus: SessionBus, address: SessionAddress, message: BusMessage): void {
  bus.say(address, message as unknown as JsonValue);
}

export function listen(
  bus: SessionBus,
  address: SessionAddress,
  listener: (message: BusMessage) => void,
): () => void {
  return bus.listen(address, (message) => listener(message as unknown as BusMessage));
}
