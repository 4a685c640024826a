import { callSafely } from '../kit/listeners.ts';
import { advance, reduce } from './machine/machine.ts';
import type { Publisher } from './publishing/publisher.ts';
import type { SessionSaver } from './saving/session-saver.ts';
import type { SessionEffect } from './machine/session-effect.ts';
import { isCommand, type SessionInput } from './machine/session-input.ts';
import type { SessionJournal } from './session-journal.ts';
import type { SessionModel } from './machine/session-model.ts';
import type { Transition } from './machine/transition.ts';

/** Gives the machine one input after the other, and has done what it wants done. */
export type Processor = {
  readonly model: () => SessionModel;
  readonly handle: (input: SessionInput) => void;
  /** Calls back when the input is done with and what it changed was published. */
  readonly afterwards: (callback: () => void) => void;
};

export function createProcessor(options: {
  readonly first: SessionModel;
  /** What is sent, as it was checked; null when it was refused. */
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
    }
    enter(reduce(model, input, journal.state()));
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
