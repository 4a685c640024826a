import type { AgentSession } from '@vitrine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { formatTime } from '../../kit/format.ts';
import { useRecording } from '../../kit/use-live.ts';
import type { Recorder, Recording } from '../../kit/recorder.ts';

type EventsTabProps = { readonly recorder: Recorder; readonly session: AgentSession };

/** The log of lifecycle events, newest last. */
export function EventsTab({ recorder, session }: EventsTabProps): ReactNode {
  const live = useRecording(recorder, session);
  const [paused, setPaused] = useState<Recording | null>(null);
  const [query, setQuery] = useState('');
  const scroller = useRef<HTMLDivElement>(null);
  const { events, dropped } = paused ?? live;
  const wanted = query.trim().toLowerCase();
  const shown =
    wanted === ''
      ? events
      : events.filter((event) => `${event.type} ${event.summary}`.toLowerCase().includes(wanted));
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 22,
    overscan: 12,
  });
  useEffect(() => {
    const list = scroller.current;
    const isNearEnd = list !== null && list.scrollHeight - list.scrollTop - list.clientHeight < 200;
    if (isNearEnd && shown.length > 0) virtualizer.scrollToIndex(shown.length - 1);
  }, [shown.length, virtualizer]);
  return (
    <div className="fill">
      <div className="filter">
        <input
          type="search"
          aria-label="Filter events"
          placeholder="Filter"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <button onClick={() => setPaused(paused ? null : live)}>{paused ? 'Go on' : 'Pause'}</button>
        <button onClick={() => recorder.clear(session)}>Clear</button>
      </div>
      {dropped > 0 && <p className="facts">{dropped} older events were dropped.</p>}
      {shown.length === 0 && <p className="empty">No events{wanted === '' ? ' yet' : ' match'}.</p>}
      <div ref={scroller} className="scroll log" tabIndex={0} role="log" aria-label="Events">
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {virtualizer.getVirtualItems().map((item) => {
            const event = shown[item.index];
            return (
              event && (
                <div key={event.number} className="event" style={{ top: item.start, height: 22 }}>
                  <span className="figure">{formatTime(event.at)}</span>
                  <span className="step-number">{event.stepNumber ?? ''}</span>
                  <span className="event-type">
                    {event.isSubagent ? '↳ ' : ''}
                    {event.type}
                    {event.count > 1 ? ` ×${event.count}` : ''}
                  </span>
                  <span className="event-summary">{event.summary}</span>
                </div>
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}
