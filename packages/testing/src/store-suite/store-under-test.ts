import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

/** The raw texts of a store, as a disk would show them. */
export type RawTexts = {
  readonly keys: () => readonly string[] | Promise<readonly string[]>;
  readonly get: (key: string) => string | null | Promise<string | null>;
  /** Writes a text; null removes it. */
  readonly set: (key: string, text: string | null) => void | Promise<void>;
  /** The key of a session's head. */
  readonly head: (id: string) => string;
};

/** Controls for making a storage fail. */
export type InjectedErrors = {
  /**
   * Makes the nth single write from now on fail (1 is the next), and all later ones, as if the process had died; null
   * ends it. In a transaction every requested write counts.
   */
  readonly failAt: (write: number | null) => void;
  /** Number of single writes so far. */
  readonly writes: () => number;
  /** Limits the storage to its present size and the given number of characters; null ends it. */
  readonly limit: (characters: number | null) => void;
};

/** An empty store with the hooks that it supports; laws that need a missing hook are skipped. */
export type StoreUnderTest = {
  readonly store: SessionStore;
  /**
   * Opens another instance over the same storage: another tab, or this one after a reload. Default: the store itself.
   */
  readonly reopen?: () => SessionStore;
  readonly injectedErrors?: InjectedErrors;
  readonly raw?: RawTexts;
  readonly close?: () => void | Promise<void>;
};

/** Creates an empty store; called once for every check. */
export type MakeStore = () => StoreUnderTest | Promise<StoreUnderTest>;

/** The extent of the tests; every number has a default that takes seconds. */
export type StoreSuiteOptions = {
  /** Seed of the random numbers. Default: random; failures name it. */
  readonly seed?: number;
  /** Number of random changes through two instances. Default: 300. */
  readonly changes?: number;
  /** Number of damaged texts. Default: 500. */
  readonly mutations?: number;
  /** Number of sessions in the list. Default: 1,000. */
  readonly sessions?: number;
  /** Step between two limits of the full storage, in characters. Default: 16. */
  readonly limitStep?: number;
};

/** One law of session stores as a check. */
export type StoreCheck = {
  readonly name: string;
  /** Rejects when the law is broken. Resolves with the reason when it was skipped for a missing hook. */
  readonly run: () => Promise<{ readonly skipped: string | null }>;
};
