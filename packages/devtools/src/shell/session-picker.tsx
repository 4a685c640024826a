import type { AgentState, Message } from '@vitrine/core';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import type { HubSource } from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';
import type { ReactNode } from 'react';
import { preview } from '../kit/format.ts';
import { useTexts } from '../texts.ts';
import { Choice } from './toolbar.tsx';

type SessionPickerProps = {
  readonly sources: readonly HubSource[];
  readonly source: HubSource;
  readonly onSource: (source: HubSource) => void;
};

/** The shown session, and the choice of another one where there are several. */
export function SessionPicker({ sources, source, onSource }: SessionPickerProps): ReactNode {
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
