import { useEffect, useState } from 'react';
import type { Seen } from './guide-steps.ts';

const nothing: Seen = { isCallOpen: false, isPanelUsed: false };

/** What has been looked at since `step` began: a call that was opened, the panel that was used. */
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
    const onUse = ({ target }: Event): void => {
      // Whatever it is inside of the panel, its host is what the page sees.
      if (target instanceof Element && target.closest('[data-vitrine-devtools]') !== null)
        add({ isPanelUsed: true });
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
