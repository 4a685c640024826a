import { AgentDevtools, AgentDevtoolsPanel } from '@vitrine/devtools/production';
import { type ReactNode, useEffect } from 'react';
import { useSettings } from '../settings/use-settings.ts';

type DockedPanelProps = {
  readonly isWide: boolean;
  /** It has taken its room by itself. */
  readonly onRoom: () => void;
};

/** The panel at a side of the page, with the button that opens it. */
export function DockedPanel({ isWide, onRoom }: DockedPanelProps): ReactNode {
  const { theme } = useSettings();
  useEffect(() => {
    // It is drawn by itself, some frames later.
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

/** The panel below the message box, where there is no room beside it: nothing of the chat is covered. */
export function PanelSheet(): ReactNode {
  const { theme } = useSettings();
  return (
    <div className="panel-sheet">
      <AgentDevtoolsPanel style={{ height: '100%' }} theme={theme} />
    </div>
  );
}
