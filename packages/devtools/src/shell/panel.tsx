import type { AgentSession } from '@vitrine/core';
import { type ReactNode, useState } from 'react';
import { EventsTab } from '../tabs/events/events-tab.tsx';
import type { DockPosition } from '../options.ts';
import type { Recorder } from '../kit/recorder.ts';
import { StateTab } from '../tabs/state/state-tab.tsx';
import { StepsTab } from '../tabs/steps/steps-tab.tsx';
import { StopTab } from '../tabs/stop/stop-tab.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Header } from './header.tsx';
import { Tabs } from './tabs.tsx';
import { useHubSessions, useSessionSnapshot } from '../kit/use-live.ts';

type PanelProps = {
  readonly recorder: Recorder;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
  /** Null where the panel cannot be moved. */
  readonly position: DockPosition | null;
  readonly onPosition: (position: DockPosition) => void;
  readonly onClose: (() => void) | null;
};

/** Which session is looked at, and the tabs about it. */
export function Panel({ recorder, tab, onTab, position, onPosition, onClose }: PanelProps): ReactNode {
  const sessions = useHubSessions();
  const [chosen, setChosen] = useState<AgentSession | null>(null);
  const session = chosen !== null && sessions.includes(chosen) ? chosen : (sessions.at(-1) ?? null);
  return (
    <>
      <div className="toolbar">
        <strong className="title">Vitrine</strong>
        {sessions.length > 1 && session && (
          <select
            aria-label="Session"
            value={sessions.indexOf(session)}
            onChange={(event) => setChosen(sessions[Number(event.target.value)] ?? null)}
          >
            {sessions.map((candidate, index) => (
              <option key={candidate.id} value={index}>
                {candidate.agent().name} · {candidate.id.slice(0, 8)}
              </option>
            ))}
          </select>
        )}
        <span className="spacer" />
        {position && (
          <select
            aria-label="Dock side"
            value={position}
            onChange={(event) => onPosition(event.target.value as DockPosition)}
          >
            <option value="right">right</option>
            <option value="bottom">bottom</option>
            <option value="left">left</option>
            <option value="top">top</option>
          </select>
        )}
        {onClose && (
          <button className="plain" aria-label="Close devtools" onClick={onClose}>
            ✕
          </button>
        )}
      </div>
      {session ? (
        <SessionView key={session.id} session={session} recorder={recorder} tab={tab} onTab={onTab} />
      ) : (
        <NoSession />
      )}
    </>
  );
}

function NoSession(): ReactNode {
  return (
    <p className="empty">
      No session on this page yet. Sessions appear here by themselves as soon as a component calls{' '}
      <code>useAgent</code>, or the code calls <code>createAgentSession</code>.
    </p>
  );
}

type SessionViewProps = Pick<PanelProps, 'recorder' | 'tab' | 'onTab'> & { readonly session: AgentSession };

function SessionView({ session, recorder, tab, onTab }: SessionViewProps): ReactNode {
  const snapshot = useSessionSnapshot(session);
  const tabs = [
    { id: 'steps', label: 'Steps', content: () => <StepsTab state={snapshot.state} /> },
    { id: 'state', label: 'State', content: () => <StateTab state={snapshot.state} /> },
    {
      id: 'stop',
      label: 'Stop',
      content: () => <StopTab snapshot={snapshot} recorder={recorder} session={session} />,
    },
    { id: 'events', label: 'Events', content: () => <EventsTab recorder={recorder} session={session} /> },
  ];
  return (
    <>
      <Header session={session} snapshot={snapshot} />
      <Tabs
        tabs={tabs.map(({ id, label, content }) => ({
          id,
          label,
          content: () => <ErrorBoundary key={id}>{content()}</ErrorBoundary>,
        }))}
        selected={tab}
        onSelect={onTab}
      />
    </>
  );
}
