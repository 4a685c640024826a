import type { Detector, HubSource } from '@vitrine/inspect';
import { type DragEvent, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { ErrorBoundary } from '../kit/later.tsx';
import { PanelSources } from '../kit/contexts.ts';
import { whenLoaded } from '../kit/when-loaded.ts';
import { useHubSources } from '../kit/use-throttled.ts';
import type { PanelTab } from '../define-panel-tab.ts';
import { panelTabsIn } from '../tabs/index.ts';
import { CommandMenu } from './command-menu.tsx';
import { ShellCommands } from './commands.ts';
import { OpenTrace, traceCloser, useTraceFiles } from './open-trace.tsx';
import { SessionPicker } from './session-picker.tsx';
import { SourceView, type SourceViewProps } from './source-view.tsx';
import { PanelMenu, type PanelPlaceProps, Toolbar } from './toolbar.tsx';
import { useTexts } from '../texts.ts';

export type PanelProps = PanelPlaceProps &
  Pick<SourceViewProps, 'recorder' | 'detectors' | 'tab' | 'onTab'> & {
    /** Custom tabs of the application. */
    readonly tabs: readonly Required<PanelTab>[] | undefined;
    /** True on the trace viewer page, which has no sessions. */
    readonly isViewer: boolean;
  };

/** The content of the panel: the choice of a source, and its views. */
export function Panel(props: PanelProps): ReactNode {
  const { recorder, tabs: added, detectors, tab, onTab, isViewer, ...shell } = props;
  const texts = useTexts();
  const tabs = useMemo(() => [...panelTabsIn(texts), ...(added ?? [])], [texts, added]);
  const sources = useHubSources();
  const [chosen, setChosen] = useState<HubSource | null>(null);
  const [isPicking, setPicking] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const commands = useContext(ShellCommands);
  const whole = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const source = followSource(chosen, sources);
  useFindingBreaks(source, detectors);
  const traces = useTraceFiles(recorder, isViewer, (opened) => {
    setChosen(opened);
    onTab('run');
  });
  const panelSources = { open: setChosen, show: traces.show, read: recorder.read, detectors };
  usePanelKeys(whole, { onCommands: () => setMenuOpen(true), onSearch: () => search.current?.focus() });
  /** Pins the shown session, so that a new session does not replace the one in use. */
  const stay = (): void => setChosen(source);
  const lead = source && <SessionPicker sources={sources} source={source} onSource={setChosen} />;
  const openTrace = <OpenTrace onFile={(file) => void traces.open(file)} onClose={traceCloser(source)} />;
  const tail = (
    <PanelMenu
      {...shell}
      onCommands={() => setMenuOpen(true)}
      isPicking={isPicking}
      onPick={isViewer || !source ? null : () => setPicking(!isPicking)}
    >
      {source && openTrace}
    </PanelMenu>
  );
  return (
    <div
      ref={whole}
      className="fill panel"
      onDragOver={allowFiles}
      onDrop={(event) => dropFile(event, traces.open)}
    >
      {traces.refusal !== null && (
        <p role="alert" className="error-line refusal">
          {traces.refusal}
        </p>
      )}
      {source ? (
        // A session that fails to render must not block the others.
        <ErrorBoundary key={source.id} before={<Toolbar tail={tail}>{lead}</Toolbar>}>
          <div className="session" onFocusCapture={stay} onClickCapture={stay}>
            <PanelSources.Provider value={panelSources}>
              <SourceView
                {...{ source, recorder, tabs, detectors, tab }}
                onTab={onTab}
                isPicking={isPicking}
                onPicking={setPicking}
                isMenuOpen={isMenuOpen}
                onMenu={setMenuOpen}
                search={search}
                lead={lead}
                tail={tail}
              />
            </PanelSources.Provider>
          </div>
        </ErrorBoundary>
      ) : (
        <>
          <Toolbar tail={tail}>
            <strong className="agent cut">{texts.shell.title}</strong>
          </Toolbar>
          <p className="empty">{isViewer ? texts.shell.dropTrace : texts.shell.noSession}</p>
          <p className="empty">{openTrace}</p>
          {isMenuOpen && <CommandMenu commands={commands} onClose={() => setMenuOpen(false)} />}
        </>
      )}
    </div>
  );
}

/** Lets breakpoints that wait for a finding take effect, once the detectors are loaded. */
function useFindingBreaks(source: HubSource | null, detectors: readonly Detector[] | undefined): void {
  useEffect(() => {
    if (source === null) return undefined;
    return whenLoaded(async () => {
      const { watchFindings } = await import('../tabs/findings/diagnosis.ts');
      return () => watchFindings(source, detectors);
    });
  }, [source, detectors]);
}

function allowFiles(event: DragEvent): void {
  if (event.dataTransfer.types.includes('Files')) event.preventDefault();
}

function dropFile(event: DragEvent, open: (file: File) => Promise<void>): void {
  const [file] = event.dataTransfer.files;
  if (file === undefined) return;
  // A file dropped on the panel must not reach the page.
  event.preventDefault();
  event.stopPropagation();
  void open(file);
}

/** The chosen source, or the one that replaced it under the same id; otherwise the newest. */
function followSource(chosen: HubSource | null, sources: readonly HubSource[]): HubSource | null {
  if (chosen !== null && sources.includes(chosen)) return chosen;
  return sources.find(({ id }) => id === chosen?.id) ?? sources.at(-1) ?? null;
}

type PanelKeys = { readonly onCommands: () => void; readonly onSearch: () => void };

/** The keys of the panel while the focus is in it: Ctrl+K for the commands, and `/` for the search. */
function usePanelKeys(whole: { readonly current: HTMLElement | null }, keys: PanelKeys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    // The frame around the panel has the focus after it is opened.
    const element = whole.current?.closest<HTMLElement>('.dock') ?? whole.current;
    const onKeyDown = (event: KeyboardEvent): void => {
      const isCommand = event.ctrlKey || event.metaKey;
      if (event.key.toLowerCase() === 'k' && isCommand) latest.current.onCommands();
      else if (event.key === '/' && !isCommand && !event.altKey && !isTyping(event.target))
        latest.current.onSearch();
      else return;
      event.preventDefault();
    };
    element?.addEventListener('keydown', onKeyDown);
    return () => element?.removeEventListener('keydown', onKeyDown);
  }, [whole]);
}

/** Tells whether a key press writes text, or selects in a list. */
function isTyping(target: EventTarget | null): boolean {
  const { localName, type } = (target ?? {}) as { localName?: string; type?: string };
  if (localName === 'input') return type !== 'range' && type !== 'checkbox';
  return localName === 'textarea' || localName === 'select';
}
