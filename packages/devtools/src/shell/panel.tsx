import type { HubSource, Recorder } from '@vitrine/core/inspect';
import { type DragEvent, type KeyboardEvent, type ReactNode, useContext, useMemo, useState } from 'react';
import { ErrorBoundary } from '../kit/later.tsx';
import { useHubSources } from '../kit/use-throttled.ts';
import type { PanelTab } from '../define-panel-tab.ts';
import type { DockPosition } from '../options.ts';
import { panelTabsIn } from '../tabs/index.ts';
import { CommandMenu } from './command-menu.tsx';
import { ShellCommands } from './commands.ts';
import { OpenTrace, traceCloser, useTraceFiles } from './open-trace.tsx';
import { SourceView } from './source-view.tsx';
import { Toolbar } from './toolbar.tsx';
import { useTexts } from '../texts.ts';

/** Props of the panel's content. */
export type PanelProps = {
  readonly recorder: Recorder;
  /** Custom tabs of the application. */
  readonly tabs: readonly Required<PanelTab>[] | undefined;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
  /** True on the trace viewer page, which has no sessions. */
  readonly isViewer: boolean;
  /** Null when the panel cannot be moved. */
  readonly position: DockPosition | null;
  readonly onPosition: (position: DockPosition) => void;
  readonly isOut: boolean;
  readonly onWindow: () => void;
  readonly onClose: (() => void) | null;
};

/** The content of the panel: the choice of a source, and its views. */
export function Panel(props: PanelProps): ReactNode {
  const { recorder, tabs: added, tab, onTab, isViewer, ...shell } = props;
  const texts = useTexts();
  const tabs = useMemo(() => [...panelTabsIn(texts), ...(added ?? [])], [texts, added]);
  const sources = useHubSources();
  const [chosen, setChosen] = useState<HubSource | null>(null);
  const [isPicking, setPicking] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const commands = useContext(ShellCommands);
  const source = followed(chosen, sources);
  const traces = useTraceFiles(recorder, setChosen);
  /** Pins the shown session, so that a new session does not replace the one in use. */
  const stay = (): void => setChosen(source);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
    setMenuOpen(true);
    event.preventDefault();
  };
  const onDrop = (event: DragEvent): void => {
    const [file] = event.dataTransfer.files;
    if (file === undefined) return;
    // A file dropped on the panel must not reach the page.
    event.preventDefault();
    event.stopPropagation();
    void traces.open(file);
  };
  return (
    <div className="fill panel" onKeyDown={onKeyDown} onDragOver={allowFiles} onDrop={onDrop}>
      <Toolbar
        {...shell}
        sources={sources}
        source={source}
        onSource={setChosen}
        onCommands={() => setMenuOpen(true)}
        isPicking={isPicking}
        onPick={isViewer ? null : () => setPicking(!isPicking)}
      >
        <OpenTrace
          refusal={traces.refusal}
          onFile={(file) => void traces.open(file)}
          onClose={traceCloser(source)}
        />
      </Toolbar>
      {source ? (
        // A session that fails to render must not block the others.
        <ErrorBoundary key={source.id}>
          <div className="session" onFocusCapture={stay} onClickCapture={stay}>
            <SourceView
              source={source}
              recorder={recorder}
              tabs={tabs}
              tab={tab}
              onTab={onTab}
              isPicking={isPicking}
              onPicking={setPicking}
              isMenuOpen={isMenuOpen}
              onMenu={setMenuOpen}
            />
          </div>
        </ErrorBoundary>
      ) : (
        <>
          <p className="empty">{isViewer ? texts.shell.dropTrace : texts.shell.noSession}</p>
          {isMenuOpen && <CommandMenu commands={commands} onClose={() => setMenuOpen(false)} />}
        </>
      )}
    </div>
  );
}

function allowFiles(event: DragEvent): void {
  if (event.dataTransfer.types.includes('Files')) event.preventDefault();
}

/** The chosen source, or the one that replaced it under the same id; otherwise the newest. */
function followed(chosen: HubSource | null, sources: readonly HubSource[]): HubSource | null {
  if (chosen !== null && sources.includes(chosen)) return chosen;
  return sources.find(({ id }) => id === chosen?.id) ?? sources.at(-1) ?? null;
}
