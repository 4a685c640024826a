import { expect, it } from 'vitest';
import * as absent from './absent.ts';
import * as main from './index.ts';

it('the entry outside of development exports the names of the main entry', () => {
  expect(Object.keys(absent).sort()).toEqual(Object.keys(main).sort());
  expect(absent.definePanelTab).toBe(main.definePanelTab);
});

it('the panel outside of development renders nothing and is removed without an error', () => {
  expect(absent.AgentDevtools({})).toBeNull();
  const remove = absent.mountAgentDevtools({} as HTMLElement);
  expect(() => (remove.update({}), remove())).not.toThrow();
});
