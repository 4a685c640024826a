import { AgentDevtools, AgentDevtoolsPanel } from '@vitrine/devtools/production';
import { type ReactNode, useEffect } from 'react';
import { useSettings } from '../settings/use-settings.ts';

export type DockedPanelProps = {
  readonly isWide: boolean;
  /** Called when the panel reserves its room itself. */
  readonly onRoom: () => void;
};

/** The panel docked to the page, with the button that opens it. */
export function DockedPanel({ isWide, onRoom }: DockedPanelProps): ReactNode {
  const { theme } = useSettings();
  useEffect(() => {
    // The panel renders itself some frames later.
    const timer = setTimeout(onRoom, 1000);
    return () => clearTimeout(timer);
  }, [onRoom]);
  return (
    <AgentDevtools
      initialIsOpen={isWide}
      position={isWide ? 'right' : 'bottom'}
      buttonPosition="top-right"
      theme={theme}
    />
  );
}

/** The panel below the message box on narrow pages, so that it does not cover the chat. */
export function PanelSheet(): ReactNode {
  const { theme } = useSettings();
  return (
    <div className="panel-sheet">
      <AgentDevtoolsPanel style={{ height: '100%' }} theme={theme} />
    </div>
  );
}
