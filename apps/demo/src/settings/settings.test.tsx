import { afterEach, expect, it } from 'vitest';
import { keep } from '../kit/kept.ts';
import { defaultSettings, readSettings, settingsKey } from './settings.ts';

afterEach(() => localStorage.clear());

it('saved settings are read again', () => {
  const set = {
    theme: 'dark',
    place: 'indexed-db',
    limits: { maxSteps: 3, maxTokens: null, maxSeconds: 0.5, maxCost: 1 },
    prices: { 'a:b': { input: 0, output: 2 } },
    agent: 'researcher',
    guide: null,
  } as const;
  keep(settingsKey, set);
  expect(readSettings()).toEqual(set);
});

it.each([
  'not JSON',
  'null',
  '[]',
  '5',
  '{"theme":"pink","place":"cloud","limits":{"maxSteps":"3","maxTokens":-1,"x":1},"agent":5,"guide":"a"}',
  '{"limits":null,"prices":{"a":null},"guide":1.5}',
  '{"prices":{"a":{"input":"1","output":1}},"limits":[]}',
])('invalid stored settings give the defaults: %s', (text) => {
  localStorage.setItem(settingsKey, text);
  expect(readSettings()).toEqual(defaultSettings);
});
