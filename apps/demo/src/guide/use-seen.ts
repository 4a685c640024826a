import { useEffect, useState } from 'react';
import type { Seen } from './guide-steps.ts';

const nothing: Seen = { isCallOpen: false, isPanelUsed: false, isReplayed: false };

/** Tracks the person's actions since `step` began: an opened call, a used panel, a replayed run. */
export function useSeen(step: number): Seen {
  const [held, setHeld] = useState({ step, seen: nothing });
  const see = held.step === step ? held.seen : nothing;
  useEffect(() => {
    const add = (more: Partial<Seen>): void =>
      setHeld((before) => ({ step, seen: { ...(before.step === step ? before.seen : nothing), ...more } }));
    const onToggle = ({ target }: Event): void => {
      if (target instanceof HTMLDetailsElement && target.open && target.dataset['vitrineCall'] !== undefined)
        add({ isCallOpen: true });
    };
    const onUse = (event: Event): void => {
      const path = event.composedPath().filter((target) => target instanceof Element);
      if (!path.some((element) => element.hasAttribute('data-vitrine-devtools'))) return;
      const isReplayed =
        path[0]?.closest('button') !== null &&
        path.some((element) => element.getAttribute('aria-label') === 'Replay');
      add({ isPanelUsed: true, ...(isReplayed && { isReplayed }) });
    };
    document.addEventListener('toggle', onToggle, true);
    document.addEventListener('click', onUse);
    return () => {
      document.removeEventListener('toggle', onToggle, true);
      document.removeEventListener('click', onUse);
    };
  }, [step]);
  return see;
}
