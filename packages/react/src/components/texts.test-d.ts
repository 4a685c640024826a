import { expectTypeOf, test } from 'vitest';
import { type SomeTexts, type Texts, texts } from './texts.ts';

test('a translation without a group, a text or the sentence of an error is a type error', () => {
  const { activity, ...groups } = {} as Texts;
  const { thinking: _thinking, ...others } = activity;
  const { 'tool-failed': _sentence, ...errors } = groups.errors;
  // @ts-expect-error -- without a group
  void (groups satisfies Texts);
  // @ts-expect-error -- without a text
  void ({ ...groups, activity: others } satisfies Texts);
  // @ts-expect-error -- without the sentence of an error
  void ({ ...groups, activity, errors } satisfies Texts);
  void ({ ...groups, activity } satisfies Texts);
});

test('a partial replacement takes any groups and texts, and functions with fewer values', () => {
  void ({} satisfies SomeTexts);
  void ({ common: { send: 'Senden' }, errors: { 'tool-failed': 'Nein.' } } satisfies SomeTexts);
  void ({ approvals: { question: () => 'Darf das laufen?' } } satisfies SomeTexts);
  // @ts-expect-error -- no such text
  void ({ common: { sent: 'Senden' } } satisfies SomeTexts);
  // @ts-expect-error -- a function is expected
  void ({ approvals: { question: 'Darf das laufen?' } } satisfies SomeTexts);
});

test('the English texts are strings and functions of their values', () => {
  expectTypeOf(texts.common.send).toEqualTypeOf<string>();
  expectTypeOf(texts.tools.steps).toEqualTypeOf<(count: number) => string>();
  expectTypeOf<Texts['errors']>().toHaveProperty('session-conflict');
});
