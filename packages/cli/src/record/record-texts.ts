/** Counts of a recording. */
export type ReadCounts = {
  readonly read: number;
  readonly sessions: number;
  /** Exchanges that could not be read. */
  readonly unread: number;
  /** Sessions that were dropped for the limits. */
  readonly dropped: number;
};

/** The state of a recording. */
export type Recording = ReadCounts & {
  /** Requests that passed by. */
  readonly asked: number;
  /** True when the reader has died. */
  readonly isGone: boolean;
};

/** The texts that a recording puts into journals and on the terminal. */
export const recordTexts = {
  closed: 'The program closed the connection before the answer had ended.',
  brokeOff: 'The answer broke off.',
  movedOn: 'The program went on without results of its calls.',
  callEnded: 'The call that it ran in has ended.',
  programEnded: (how: string): string =>
    `The program ended (${how}). Results of its last calls are not known: it did not send them.`,
  /** The sign marks what was guessed. */
  guessed: (name: string): string => `≈ ${name}`,
  guess: 'Guessed: its task is in the arguments of this call.',
  confirmed: 'The result of the call is its answer.',
  unreadable: 'The answer could not be read.',
  noAnswer: (host: string, why: string): string => `vitrine: no answer from ${host} (${why}).`,
  /** Says what was recorded, and what is missing. */
  counts: ({ asked, read, sessions, unread, dropped, isGone }: Recording): string =>
    [
      `Requests: ${asked}, answers of models that were read: ${read}, conversations: ${sessions}.`,
      unread > 0 && `Not readable: ${unread}.`,
      dropped > 0 && `Older conversations that were dropped, for the limits: ${dropped}.`,
      isGone && 'The reader has stopped: nothing more is recorded. The program is not affected.',
    ]
      .filter(Boolean)
      .join(' '),
  start: (addresses: string): string => `Start a program with these variables: ${addresses}`,
};
