import { afterEach, expect, it, vi } from 'vitest';
import { createFrameScheduler } from './frame-scheduler.ts';
import { pageHost } from './frame-host.ts';

afterEach(() => vi.unstubAllGlobals());

it('a page that is removed between two frames causes no error, and waiting jobs are still done', async () => {
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => setTimeout(run, 1));
  vi.stubGlobal('cancelAnimationFrame', clearTimeout);
  const frames = createFrameScheduler(pageHost());
  const done: string[] = [];
  frames.request(() => done.push('first'));
  frames.request(() => done.push('second'));
  vi.stubGlobal('requestAnimationFrame', undefined);
  vi.stubGlobal('cancelAnimationFrame', undefined);
  await vi.waitFor(() => expect(done).toEqual(['first', 'second']));
});
