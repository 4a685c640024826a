import { expect, it } from 'vitest';
import * as main from './index.ts';
import * as production from './production.ts';

it('both entries export the same names', () => {
  expect(Object.keys(production).toSorted()).toEqual(Object.keys(main).toSorted());
  expect(production.definePanelTab).toBe(main.definePanelTab);
});
