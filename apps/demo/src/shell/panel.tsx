import type { ReactNode } from 'react';
import { useSettings } from '../settings/use-settings.ts';
import { later } from './later.tsx';

// After the page, in what is built as well: who looks at a demo wants to look inside.
const Docked = later(async () => (await import('@vitrine/devtools/production')).AgentDevtools);
const Embedded = later(async () => (await import('@vitrine/devtools/production')).AgentDevtoolsPanel);

const isWide = window.matchMedia('(min-width: 1100px)').matches;

/** The panel at a side of the page, with the button that opens it. */
export function DockedPanel(): ReactNode {
  const { theme } = useSettings();
  return (
    <Docked
      initialIsOpen={isWide}
      position={isWide ? 'right' : 'bottom'}
      buttonPosition="top-right"
      theme={theme}
    />
  );
}

/** The panel below the message box, where there is no room beside it: nothing of the chat is covered. */
export function PanelSheet(): ReactNode {
  const { theme } = useSettings();
  return (
    <div className="panel-sheet">
      <Embedded style={{ height: '100%' }} theme={theme} />
    </div>
  );
}
