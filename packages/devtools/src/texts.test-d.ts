import { test } from 'vitest';
import type { AgentDevtoolsOptions } from './options.ts';
import type { SomeTexts, Texts } from './texts.ts';

test('a translation of the panel without a group or a text is a type error', () => {
  const { stop, ...groups } = {} as Texts;
  const { won: _won, ...others } = stop;
  // @ts-expect-error -- without a group
  void (groups satisfies Texts);
  // @ts-expect-error -- without a text
  void ({ ...groups, stop: others } satisfies Texts);
  void ({ ...groups, stop } satisfies Texts);
});

test('the option of the panel takes some texts, and no unknown ones', () => {
  void ({ texts: { stop: { won: 'gewonnen' } } } satisfies AgentDevtoolsOptions);
  // @ts-expect-error -- no such text
  void ({ stop: { wins: 'gewonnen' } } satisfies SomeTexts);
});
