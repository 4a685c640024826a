import { callSafely } from '../kit/listeners.ts';
import { createMailbox, type Mailbox } from '../kit/mailbox.ts';
import type { SessionEngine } from './engine.ts';
import type { Publisher } from './publisher.ts';
import type { SessionSaver } from './saver.ts';
import type { SessionEffect } from './session-effect.ts';
import { isCommand, type SessionInput } from './session-input.ts';
import type { SessionJournal } from './session-journal.ts';
import { emptyModel, type SessionModel } from './session-model.ts';
import type { Transition } from './transition.ts';

/** Gives the machine one input after the other, and has done what it wants done. */
export type Processor = {
  readonly model: () => SessionModel;
  readonly mailbox: Mailbox<SessionInput>;
  /** Calls back when the input is done with and what it changed was published. */
  readonly afterwards: (callback: () => void) => void;
  /** Closes a session that was never opened. */
  readonly closeUnopened: () => void;
};

export function createProcessor(options: {
  readonly hasStore: boolean;
  readonly engine: () => Pick<SessionEngine, 'reduce' | 'advance'>;
  readonly journal: () => SessionJournal;
  readonly saver: () => SessionSaver;
  readonly publisher: () => Publisher;
  readonly perform: () => (effect: SessionEffect) => void;
}): Processor {
  let model: SessionModel = { ...emptyModel, hasStore: options.hasStore };
  let callbacks: readonly (() => void)[] = [];

  function enter(transition: Transition): void {
    model = transition.model;
    const perform = options.perform();
    for (const effect of transition.effects) callSafely(() => perform(effect));
  }

  function work(input: SessionInput): void {
    const { reduce, advance } = options.engine();
    const journal = options.journal();
    if (isCommand(input)) {
      if (input.type !== 'dispose') journal.begin();
      options.saver().nudge();
    }
    enter(reduce(model, input, journal.state()));
    let before: SessionModel | null = null;
    while (before !== model) {
      before = model;
      enter(advance(model, journal.state()));
    }
  }

  function handle(input: SessionInput): void {
    const publisher = options.publisher();
    publisher.during(() => work(input));
    if (input.type === 'set-draft') publisher.flush();
    const calls = callbacks;
    callbacks = [];
    calls.forEach(callSafely);
  }

  return {
    model: () => model,
    mailbox: createMailbox(handle),
    afterwards(callback) {
      callbacks = [...callbacks, callback];
    },
    closeUnopened() {
      model = { ...model, isDisposed: true };
    },
  };
}
