import type { Effect, EffectLog, EffectRecords } from '@vitrine/core/internal/run/effect-log';

/** An effect log without records, and hooks for laws that need them. */
export type EffectsUnderTest = {
  readonly effects: EffectLog;
  /** Opens the same records again, as another process does. Default: the same log. */
  readonly reopen?: () => EffectLog;
  /** The storage of a log that `effectLog` made, so that the suite can kill a process between two of its operations. */
  readonly records?: EffectRecords;
  /** Called after each check. */
  readonly close?: () => void | Promise<void>;
};

/** Sizes of the laws. */
export type EffectSuiteOptions = {
  /** The most events of a run at which it is killed. Default: all. */
  readonly kills?: number;
};

/** Creates a log without records. */
export type MakeEffects = () => EffectsUnderTest | Promise<EffectsUnderTest>;

/** A law; its name is a sentence. */
export type EffectLaw = {
  readonly name: string;
  readonly needsRecords?: true;
  readonly run: (
    under: EffectsUnderTest,
    reopen: () => EffectLog,
    options: Required<EffectSuiteOptions>,
  ) => Promise<void>;
};

/** An effect with defaults. */
export function effect(given: Partial<Effect> = {}): Effect {
  return {
    executionId: 'execution',
    path: [],
    key: '1/0/1',
    kind: 'tool',
    name: 'pay',
    effects: 'once',
    input: {},
    hasBegun: false,
    ...given,
  };
}
