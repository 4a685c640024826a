import { eventsOf, type JournalRecord } from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';
import type { ReactNode } from 'react';
import { useTexts } from '../../texts.ts';

type RunError = { readonly place: string; readonly message: string };

/** The errors of a run that no step shows: those outside of steps, and failures of model calls that were repeated. */
export function RunErrors({ record }: { readonly record: JournalRecord }): ReactNode {
  const { run } = useTexts();
  const outside = record.state.execution?.errors ?? [];
  const found: readonly RunError[] = [
    ...outside.map(({ code, name, message }) => ({ place: code ?? name, message })),
    ...retriesOf(record).map(({ step, message }) => ({ place: run.triedAgain(step), message })),
  ];
  if (found.length === 0) return null;
  return (
    <details className="run-errors" open={outside.length > 0}>
      <summary>{run.otherErrors(found.length)}</summary>
      <ul>
        {found.map(({ place, message }, index) => (
          <li key={index}>
            <strong>{place}</strong> {redactText(message, 'message')}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The most events that are looked at, backwards. */
const most = 20_000;

/** The failed model calls of the last run that were repeated, oldest first. */
function retriesOf(record: JournalRecord): readonly { step: number | null; message: string }[] {
  const events = eventsOf(record);
  const found = [];
  for (let at = events.length - 1; at >= Math.max(0, events.length - most); at--) {
    const { event, stepNumber: step } = events[at] as (typeof events)[number];
    if (event.type === 'execution-start' && event.path.length === 0) break;
    if (event.type === 'inference-retry') found.push({ step, message: event.error.message });
  }
  return found.reverse();
}
