import { waitFor } from '@testing-library/react';
import { type ReactNode, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, it, onTestFinished } from 'vitest';
import { Sliced } from './sliced.tsx';

function workFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until) continue;
}

function Slow(): ReactNode {
  workFor(10);
  return <p>Row</p>;
}

it('long content is drawn also while events come faster than its slices', async () => {
  let events = 0;
  const subscribe = (listener: () => void): (() => void) => {
    const timer = setInterval(() => {
      events++;
      listener();
    }, 20);
    return () => clearInterval(timer);
  };
  function Live(): ReactNode {
    useSyncExternalStore(subscribe, () => events);
    return (
      <Sliced isLong>
        {Array.from({ length: 20 }, (_, index) => (
          <Slow key={index} />
        ))}
      </Sliced>
    );
  }
  const place = document.createElement('div');
  const root = createRoot(place);
  onTestFinished(() => root.unmount());
  // Not `render`, which would wait until all slices are drawn.
  root.render(<Live />);
  await waitFor(() => expect(place.textContent).toContain('Row'));
  expect(events).toBeGreaterThan(0);
});
