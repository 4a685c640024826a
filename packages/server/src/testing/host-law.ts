import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import type { EffectRecords } from '@vitrine/core';
import type { CommandAnswer, HostedCommand, SessionAddress, SessionHost } from '../host/session-host.ts';
import type { LawProcessOptions } from './law-process.ts';

/** Makes a host over new data, and a function that opens another host over the same data. */
export type MakeHost = () => HostUnderTest | Promise<HostUnderTest>;

/** A host over new data. `reopen` opens another one over the same data, as the next process would. */
export type HostUnderTest = {
  readonly host: SessionHost;
  readonly reopen: () => SessionHost | Promise<SessionHost>;
  /**
   * Starts a process that calls `runLawProcess` with a host over the same data and these options, with its standard output
   * as a pipe. Needed for the laws of processes.
   */
  readonly spawn?: (options: LawProcessOptions) => ChildProcess;
  /**
   * The storage of the effect log of a run, by its epoch, so that the suite can kill a process between two of its operations.
   * Without it the laws of such kills are left out.
   */
  readonly records?: (address: SessionAddress, epoch: number) => EffectRecords;
};

/** A host for one law. */
export type LawContext = {
  readonly host: SessionHost;
  /** Stops the host and opens the next one over the same data. */
  readonly restart: (options: { readonly graceMs: number }) => Promise<SessionHost>;
  readonly spawn: HostUnderTest['spawn'];
  readonly records: HostUnderTest['records'];
  /** Adds a function that is called when the law has ended. */
  readonly after: (clean: () => void) => void;
};

/** A law as a sentence, and the function that rejects when a host breaks it. */
export type HostLaw = { readonly name: string; readonly keep: (context: LawContext) => Promise<void> };

export const anna: SessionAddress = { owner: 'anna', agent: 'clerk', sessionId: 's1' };

export function command(id: string): HostedCommand {
  return { id, type: 'send', message: { text: id } };
}

export const done: CommandAnswer = { turn: null, error: null };

/** Resolves once a condition holds. Rejects after a time, in milliseconds. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  what: string,
  ms = 10_000,
): Promise<void> {
  const end = performance.now() + ms;
  while (!(await isTrue())) {
    assert(performance.now() < end, `Waited ${ms / 1000} seconds in vain until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

/** Answers all commands that wait. */
export async function answerAll(host: SessionHost, address: SessionAddress, epoch: number): Promise<void> {
  for (const id of await pendingIds(host, address)) await host.answer(address, id, done, epoch);
}

export async function pendingIds(host: SessionHost, address = anna): Promise<readonly string[]> {
  return (await host.pending(address)).map(({ command: { id } }) => id);
}
