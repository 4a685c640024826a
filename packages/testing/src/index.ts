export { blankSession } from './blank-session.ts';
export { expectRun, type ExpectRunOptions, type RunExpectation, type RunRecord } from './expect-run.ts';
export { fakeTool } from './fake-tool.ts';
export { fixedEnv } from './fixed-env.ts';
export { scriptedInference, type ScriptedEntry, type ScriptedStep } from './scripted-inference.ts';
export { memoryEffects } from './memory-effects.ts';
export { testEffects } from './effect-suite/test-effects.ts';
export type { EffectSuiteOptions, EffectsUnderTest, MakeEffects } from './effect-suite/effects-under-test.ts';
export { testSessionStore } from './store-suite/test-session-store.ts';
export type {
  InjectedErrors,
  MakeStore,
  RawTexts,
  StoreCheck,
  StoreSuiteOptions,
  StoreUnderTest,
} from './store-suite/store-under-test.ts';
