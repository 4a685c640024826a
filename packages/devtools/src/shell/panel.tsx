import type { AgentState, Message } from '@vitrine/core';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import type { Detector, HubSource } from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';
import { type DragEvent, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import type { PanelTab } from '../define-panel-tab.ts';
import { useCaseCount } from '../kit/cases.ts';
import { PanelSources } from '../kit/contexts.ts';
import { preview } from '../kit/format.ts';
import { ErrorBoundary } from '../kit/later.tsx';
import { useLatest } from '../kit/use-latest.ts';
import { useHubSources } from '../kit/use-throttled.ts';
import { whenLoaded } from '../kit/when-loaded.ts';
import { panelTabsIn } from '../tabs/index.ts';
import { useTexts } from '../texts.ts';
import { CommandMenu } from './command-menu.tsx';
import { ShellCommands } from './commands.ts';
import { OpenTrace, traceCloser, useTraceFiles } from './open-trace.tsx';
import { SourceView, type SourceViewProps } from './source-view.tsx';
import { Choice, PanelMenu, type PanelPlaceProps, Toolbar } from './toolbar.tsx';

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
  const lead = source && <Lead {...{ sources, source, onTab }} onSource={setChosen} />;
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
  const latest = useLatest(keys);
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
  }, [whole, latest]);
}

/** Tells whether a key press writes text, or selects in a list. */
function isTyping(target: EventTarget | null): boolean {
  const { localName, type } = (target ?? {}) as { localName?: string; type?: string };
  if (localName === 'input') return type !== 'range' && type !== 'checkbox';
  return localName === 'textarea' || localName === 'select';
}

/** The session and the cases of the project. */
function Lead({ onTab, ...about }: SessionPickerProps & Pick<PanelProps, 'onTab'>): ReactNode {
  return (
    <>
      <SessionPicker {...about} />
      <CasesButton onOpen={() => onTab('cause')} />
    </>
  );
}

/** The count of the project's cases, beside the session; a press shows them. */
function CasesButton({ onOpen }: { readonly onOpen: () => void }): ReactNode {
  const count = useCaseCount();
  const { cause } = useTexts();
  if (count === null) return null;
  const { sentence, red } = count;
  return (
    <button
      className="cases-button"
      data-red={red > 0}
      aria-label={sentence}
      title={sentence}
      onClick={onOpen}
    >
      <span className="whole">{sentence}</span>
      <span className="short">{cause.redCount(red)}</span>
    </button>
  );
}

type SessionPickerProps = {
  readonly sources: readonly HubSource[];
  readonly source: HubSource;
  readonly onSource: (source: HubSource) => void;
};

/** The shown session, and the choice of another one where there are several. */
function SessionPicker({ sources, source, onSource }: SessionPickerProps): ReactNode {
  const { shell } = useTexts();
  if (sources.length < 2) return <span className="agent cut">{source.name}</span>;
  const names = namesOf(sources);
  const at = sources.indexOf(source);
  return (
    <Choice
      label={shell.session}
      names={names}
      groups={sources.map(groupOf)}
      value={at}
      onChange={(index) => onSource(sources[index] ?? source)}
    >
      <span className="agent cut">{source.name}</span>
      <span className="about cut" title={names[at]}>
        {names[at]?.slice(source.name.length + separator.length)}
      </span>
    </Choice>
  );
}

const separator = ' · ';

const shortId = 8;
const titleLength = 40;

/**
 * Unique display names of the sources in a list: the agent, and what the session is about. Sessions with one title are
 * told apart by the ends of their ids, because ids of the same minute begin alike.
 */
function namesOf(sources: readonly HubSource[]): readonly string[] {
  const titles = sources.map(titleOf);
  const titled = sources.map(
    ({ name, id }, index) => `${name}${separator}${titles[index] ?? id.slice(0, shortId)}`,
  );
  const whole = sources.map(({ name, id }, index) => {
    const short = titled[index] ?? name;
    if (isOnce(short, titled)) return short;
    return titles[index] == null ? `${name}${separator}${id}` : `${short}${separator}${id.slice(-shortId)}`;
  });
  const exact = whole.map((name, index) =>
    isOnce(name, whole) ? name : `${sources[index]?.name}${separator}${sources[index]?.id}`,
  );
  return exact.map((name, index) =>
    isOnce(name, exact)
      ? name
      : `${name} (${exact.slice(0, index + 1).filter((one) => one === name).length})`,
  );
}

function isOnce(name: string, names: readonly string[]): boolean {
  return names.indexOf(name) === names.lastIndexOf(name);
}

/** The beginning of the first message of a person, without secrets; null when there is none. */
function titleOf(source: HubSource): string | null {
  const first = readState(source, firstOfUser);
  return first && titleIn(first);
}

const titleIn = memoize(({ parts }: Message): string | null => {
  const part = parts.find(({ type }) => type === 'text');
  return part?.type === 'text' ? preview(part.text, ['text'], titleLength).trim() || null : null;
});

/** The program that a session was recorded from, without secrets; null for none. */
function groupOf(source: HubSource): string | null {
  const program = readState(source, ({ context }) => context.metadata['program']);
  return typeof program === 'string' ? redactText(program, 'program') : null;
}

/** Reads the state of a session; null for one that cannot be read, which keeps its name in the list. */
function readState<Found>({ journal }: HubSource, read: (state: AgentState) => Found): Found | null {
  try {
    return read(journal.state());
  } catch {
    return null;
  }
}

function firstOfUser({ context }: AgentState): Message | null {
  for (const { messages } of context.store.sections)
    for (const message of messages) if (message.role === 'user') return message;
  return null;
}
