import type { SessionStore } from '../../session/stores/session-store.ts';

/** The texts that a store keeps, below the store: what a disk would show. */
export type RawTexts = {
  readonly keys: () => readonly string[] | Promise<readonly string[]>;
  readonly get: (key: string) => string | null | Promise<string | null>;
  /** Null takes it away. */
  readonly set: (key: string, text: string | null) => void | Promise<void>;
  /** The key of what makes a session be there. */
  readonly head: (id: string) => string;
};

/** A storage that can be made to fail. */
export type StoreFaults = {
  /**
   * The nth single write from now on fails (1 is the next), and all that come behind it, as if the process had died
   * there; null ends it. Of a transaction: the nth thing that it is asked to write.
   */
  readonly failAt: (write: number | null) => void;
  /** How many single writes there have been. */
  readonly writes: () => number;
  /** The storage takes no more than so many characters besides what it holds now; null ends it. */
  readonly limit: (characters: number | null) => void;
};

/** An empty store, with as many hooks as it can offer: the laws that need a missing one are skipped. */
export type StoreUnderTest = {
  readonly store: SessionStore;
  /** Another instance over the same place: another tab, or this one after a reload. Without it: the store itself. */
  readonly reopen?: () => SessionStore;
  readonly faults?: StoreFaults;
  readonly raw?: RawTexts;
  readonly close?: () => void | Promise<void>;
};

/** Makes an empty store; called once for every check. */
export type MakeStore = () => StoreUnderTest | Promise<StoreUnderTest>;

/** How much is tried; every number has a default that takes seconds. */
export type StoreSuiteOptions = {
  /** Default: one of chance; it is in the message of what fails. */
  readonly seed?: number;
  /** Random changes through two instances. Default: 300. */
  readonly changes?: number;
  /** Damaged texts. Default: 500. */
  readonly mutations?: number;
  /** Sessions in the list. Default: 1,000. */
  readonly sessions?: number;
  /** Characters between two limits of the full storage. Default: 16. */
  readonly limitStep?: number;
};

/** One law that a store has to keep. */
export type StoreCheck = {
  readonly name: string;
  /** Rejects when the law is broken. Resolves with why it was skipped, where the store lacks a hook. */
  readonly run: () => Promise<{ readonly skipped: string | null }>;
};
