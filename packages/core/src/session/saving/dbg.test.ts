import { it } from 'vitest';
import { play } from './fault-simulation.fixture.ts';
it('x', async () => {
  await play({
    acts: [
      { page: 0, waitMs: 0, act: 'ask' },
      { page: 0, waitMs: 0, act: 'talk' },
    ],
    fates: [[{ fault: 'none', delayMs: 0 }], [{ fault: 'none', delayMs: 0 }]],
    canAppend: false,
    resume: false,
  } as never);
});
