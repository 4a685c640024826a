import type { HubSource, Recorder } from '@vitrine/core/inspect';
import { type ReactNode, useState } from 'react';
import { useHubSources } from '../kit/use-live.ts';
import type { DockPosition } from '../options.ts';
import { OpenTrace } from './open-trace.tsx';
import { SourceView } from './source-view.tsx';
import { Toolbar } from './toolbar.tsx';

type PanelProps = {
  readonly recorder: Recorder;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
  /** Null where the panel cannot be moved. */
  readonly position: DockPosition | null;
  readonly onPosition: (position: DockPosition) => void;
  readonly onClose: (() => void) | null;
};

/** Which agent of the page is looked at, and the tabs about it. */
export function Panel({ recorder, tab, onTab, position, onPosition, onClose }: PanelProps): ReactNode {
  const sources = useHubSources();
  const [chosen, setChosen] = useState<HubSource | null>(null);
  const source = followed(chosen, sources);
  return (
    <>
      <Toolbar
        sources={sources}
        source={source}
        onSource={setChosen}
        position={position}
        onPosition={onPosition}
        onClose={onClose}
      >
        <OpenTrace recorder={recorder} onOpen={setChosen} />
      </Toolbar>
      {source ? (
        <SourceView key={source.id} source={source} recorder={recorder} tab={tab} onTab={onTab} />
      ) : (
        <p className="empty">
          No session on this page yet. Sessions appear here by themselves, as soon as something is asked of
          them: a message, say, or that a stored one is opened.
        </p>
      )}
    </>
  );
}

/** What was chosen, or what has taken its place under the same id; else the newest. */
function followed(chosen: HubSource | null, sources: readonly HubSource[]): HubSource | null {
  if (chosen !== null && sources.includes(chosen)) return chosen;
  return sources.find(({ id }) => id === chosen?.id) ?? sources.at(-1) ?? null;
}
