import { callSafely } from '../kit/listeners.ts';
import { advance, reduce } from './machine/machine.ts';
import type { Publisher } from './publishing/publisher.ts';
import type { SessionSaver } from './saving/session-saver.ts';
import type { SessionEffect } from './machine/session-effect.ts';
import { isCommand, isKept, type SessionInput } from './machine/session-input.ts';
import type { SessionJournal } from './session-journal.ts';
import { openTurns, type SessionModel } from './machine/session-model.ts';
import type { Transition } from './machine/transition.ts';

/** Passes inputs to the machine one after the other and performs its effects. */
export type Processor = {
  readonly model: () => SessionModel;
  readonly handle: (input: SessionInput) => void;
  /** Schedules a callback after the input is handled and its changes are published. */
  readonly afterwards: (callback: () => void) => void;
};

export function createProcessor(options: {
  readonly first: SessionModel;
  /** Checks a message; null when it was refused. */
  readonly checked: (input: SessionInput) => SessionInput | null;
  readonly journal: () => SessionJournal;
  readonly saver: () => SessionSaver;
  readonly publisher: Publisher;
  readonly perform: () => (effect: SessionEffect) => void;
}): Processor {
  let model = options.first;
  let callbacks: readonly (() => void)[] = [];

  function enter(transition: Transition): void {
    model = transition.model;
    const perform = options.perform();
    for (const effect of transition.effects) callSafely(() => perform(effect));
  }

  function work(given: SessionInput): void {
    const input = options.checked(given);
    if (input === null) return;
    const journal = options.journal();
    if (isCommand(input)) {
      if (input.type !== 'dispose') journal.begin();
      options.saver().nudge();
      if (isKept(input) && model.phase !== 'unreadable') options.saver().command(input.id);
    }
    enter(reduce(model, input, journal.state()));
    // The tab that led took these commands, and may not have stored them.
    if (input.type === 'opened') openTurns(model).forEach(({ id }) => options.saver().command(id));
    let before: SessionModel | null = null;
    while (before !== model) {
      before = model;
      enter(advance(model, journal.state()));
    }
  }

  function handle(input: SessionInput): void {
    const { publisher } = options;
    publisher.during(() => work(input));
    if (input.type === 'set-draft') publisher.flush();
    const calls = callbacks;
    callbacks = [];
    calls.forEach(callSafely);
  }

  return {
    model: () => model,
    handle,
    afterwards(callback) {
      callbacks = [...callbacks, callback];
    },
  };
}
