import { redactText } from '@vitrine/inspect/internal/redact';

/** Counts of a recording. */
export type ReadCounts = {
  readonly read: number;
  readonly sessions: number;
  /** Exchanges, and batches of spans, that could not be read. */
  readonly unread: number;
  /** Sessions that were dropped for the limits. */
  readonly dropped: number;
  /** Exchanges that could not be saved. */
  readonly unsaved: number;
  readonly spans: number;
};

/** The state of a recording. */
export type Recording = ReadCounts & {
  /** Requests that passed by. */
  readonly asked: number;
  /** True when the reader has died. */
  readonly isGone: boolean;
  /** The program as it was typed; empty when the recording only waits for one. */
  readonly program: string;
  /** The variables with the addresses, as they are set. */
  readonly addresses: string;
  /** The end of the program; null while it runs. */
  readonly end: string | null;
  readonly seconds: number;
  /** The variable by which its spans go elsewhere; null when they come here. */
  readonly kept: string | null;
};

/** The texts that a recording puts into journals, on its page and on the terminal. */
export const recordTexts = {
  closed: 'The program closed the connection before the answer had ended.',
  brokeOff: 'The answer broke off.',
  movedOn: 'The program went on without results of its calls.',
  callEnded: 'The call that it ran in has ended.',
  programEnded: (how: string): string =>
    `The program ended (${how}). Results of its last calls are not known: it did not send them.`,
  singleCalls: 'Single calls',
  /** The sign marks what was guessed. */
  guessed: (name: string): string => `≈ ${name}`,
  guess: 'Guessed: its task is in the arguments of this call.',
  confirmed: 'The result of the call is its answer.',
  kept: (variable: string): string => `Spans are not read: ${variable} is set, and stays.`,
  toldRight: 'Its spans say the same.',
  toldOther: 'Its spans say that it belongs elsewhere.',
  unreadable: 'The answer could not be read.',
  noZstd: (node: string): string =>
    `It is packed with zstd, which Node ${node} cannot unpack: use 22.15 or newer.`,
  noAnswer: (host: string, why: string): string => `vitrine: no answer from ${host} (${why}).`,
  notKept: 'This request is not kept any more, so it cannot be sent again.',
  noPlace: 'The request has no such text in one place, so it was not sent.',
  hidden: 'This text holds a secret that the page does not see. Change another one.',
  capReached: 'The calls that you allowed are used up.',
  keyRefused: (status: number): string =>
    `The provider refused the key of the last request of the program (${status}). Let the program ask again.`,
  noNext: (why: string): string => `No answer came (${why}).`,
  cutTape: 'Its last line is not whole, so it is read as far as it goes',
  /** Says what was recorded, and what is missing. */
  counts: ({ asked, read, sessions, unread, dropped, unsaved, isGone, ...told }: Recording): string =>
    [
      `Requests: ${asked}, answers of models that were read: ${read}, conversations: ${sessions}.`,
      unread > 0 && `Not readable: ${unread}.`,
      dropped > 0 && `Older conversations that were dropped, for the limits: ${dropped}.`,
      told.spans > 0 && `Spans: ${told.spans}.`,
      told.kept !== null && recordTexts.kept(told.kept),
      unsaved > 0 && `Not saved, too long or the disk is full: ${unsaved}.`,
      isGone && 'The reader has stopped: nothing more is recorded. The program is not affected.',
    ]
      .filter(Boolean)
      .join(' '),
  /** The line above the panel. */
  note: (recording: Recording): string =>
    [
      `Recorded from requests${recording.program && ` of ${recording.program}`}: ${recordTexts.counts(recording)}`,
      recording.end !== null && `The program has ended (${recording.end}).`,
      '≈ marks what is guessed.',
    ]
      .filter(Boolean)
      .join(' '),
  /** The line that runs a program on its recording, in a shell. */
  rerun: (program: readonly string[]): string => {
    const words = program.map((word) => redactText(word, 'text'));
    const quoted = words.map((word) =>
      /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
    );
    return `npx @vitrine/cli rerun run.tape -- ${quoted.join(' ') || '<your program>'}`;
  },
  /** The text in place of a session. */
  empty: ({ program, addresses, end, seconds, asked }: Recording): string => {
    if (asked > 0) return 'Requests have come, and none of them asked a model in a form that is read here.';
    if (end !== null)
      return `The program ended without a request. Its library may not read these variables, or uses a login: set its base URL by hand, with a key. ${addresses}`;
    if (program !== '') return `No request yet, ${seconds} s. The program was started with ${addresses}`;
    return `Start a program with these variables: ${addresses}`;
  },
};
