import { lazy, type ReactNode, Suspense } from 'react';
import { useSettings } from '../settings/use-settings.ts';

// After the page, in what is built as well: who looks at a demo wants to look inside.
const Docked = lazy(async () => ({ default: (await import('@vitrine/devtools/production')).AgentDevtools }));
const Embedded = lazy(async () => ({
  default: (await import('@vitrine/devtools/production')).AgentDevtoolsPanel,
}));

const isWide = window.matchMedia('(min-width: 1100px)').matches;

/** The panel at a side of the page, with the button that opens it. */
export function DockedPanel(): ReactNode {
  const { theme } = useSettings();
  return (
    <Suspense fallback={null}>
      <Docked
        initialIsOpen={isWide}
        position={isWide ? 'right' : 'bottom'}
        buttonPosition="top-right"
        theme={theme}
      />
    </Suspense>
  );
}

/** The panel below the message box, where there is no room beside it: nothing of the chat is covered. */
export function PanelSheet(): ReactNode {
  const { theme } = useSettings();
  return (
    <div className="panel-sheet">
      <Suspense fallback={null}>
        <Embedded style={{ height: '100%' }} theme={theme} />
      </Suspense>
    </div>
  );
}
