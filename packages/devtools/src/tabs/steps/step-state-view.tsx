import { AgentState, type Message } from '@vitrine/core';
import { diff, type StateDifference } from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';
import { nothing } from '@vitrine/core/internal/kit/memoize';
import { type ReactNode, useMemo, useState } from 'react';
import { preview } from '../../kit/format.ts';
import { Section } from '../../kit/section.tsx';
import { type Texts, useTexts } from '../../texts.ts';
import { StateTree, stateTreeRoot } from '../state/state-tree.tsx';
import type { StepPageProps, StepRecord } from './step-record.ts';

const shownDifferences = 200;

/** The state after a step as an object tree, its differences to any other step, and their writers. */
export function StepStateView({ record }: StepPageProps): ReactNode {
  const { after, stateBefore, isRecorded, number } = record;
  const { state } = after;
  const texts = useTexts().state;
  /** The number of the step to compare with; 0 is the state before the step. */
  const [against, setAgainst] = useState(0);
  const other = against === 0 ? stateBefore : record.stateAfter(against);
  const isDuring =
    AgentState.status(state) === 'in-progress' && AgentState.currentStep(state)?.id === record.step.id;
  return (
    <>
      {other && (
        <Changes
          events={against === 0 ? record.events : nothing}
          before={other}
          after={state}
          title={against === 0 ? texts.changedByStep : texts.different}
        />
      )}
      <p className="facts">
        {isRecorded ? (isDuring ? texts.during(number) : texts.after(number)) : texts.notRecorded}{' '}
        {isRecorded && <Against record={record} against={against} onAgainst={setAgainst} />}
      </p>
      <StateTree root={state} rootKey={stateTreeRoot} previous={other ?? undefined} />
    </>
  );
}

type AgainstProps = Pick<StepPageProps, 'record'> & {
  readonly against: number;
  readonly onAgainst: (number: number) => void;
};

function Against({ record, against, onAgainst }: AgainstProps): ReactNode {
  const texts = useTexts().state;
  const others = Array.from({ length: record.steps }, (_, index) => index + 1).filter(
    (number) => number !== record.number,
  );
  return (
    <label>
      {texts.compareWith}{' '}
      <select value={against} onChange={({ target }) => onAgainst(Number(target.value))}>
        <option value={0}>{texts.beforeStep}</option>
        {others.map((number) => (
          <option key={number} value={number}>
            {texts.step(number)}
          </option>
        ))}
      </select>
    </label>
  );
}

type ChangesProps = {
  /** Those that made the changes; empty for differences to another step, whose writers are unknown. */
  readonly events: StepRecord['events'];
  readonly before: AgentState;
  readonly after: AgentState;
  readonly title: (count: number) => string;
};

/** The differences, by their names and with their writers; what the loop keeps of itself comes last. */
export function Changes({ events, before, after: state, title }: ChangesProps): ReactNode {
  const texts = useTexts();
  const differences = useMemo(() => diff(before, state), [before, state]);
  const writerOf = useMemo(() => writersOf(events, state, texts.state), [events, state, texts]);
  const named = useMemo(
    () => differences.map((difference) => ({ difference, ...nameOfPlace(difference.path, state, texts) })),
    [differences, state, texts],
  );
  const isOurs = ({ difference, isOfLoop }: Named): boolean => isOfLoop && writerOf(difference) === null;
  const loop = named.filter(isOurs);
  return (
    <>
      <Section title={title(differences.length - loop.length)} isOpen>
        <Differences named={named.filter((one) => !isOurs(one))} writerOf={writerOf} />
      </Section>
      {loop.length > 0 && (
        <Section title={texts.state.changedByLoop(loop.length)}>
          <Differences named={loop} writerOf={writerOf} />
        </Section>
      )}
    </>
  );
}

type Named = PlaceName & { readonly difference: StateDifference };
type DifferencesProps = { readonly named: readonly Named[]; readonly writerOf: WriterOf };

function Differences({ named, writerOf }: DifferencesProps): ReactNode {
  const texts = useTexts();
  return (
    <>
      {named.length === 0 && <p className="facts">{texts.state.nothingElse}</p>}
      <ol className="history indented">
        {named.slice(0, shownDifferences).map(({ difference, name }, index) => (
          <li key={index}>
            <code title={difference.path.map((key) => redactText(String(key), 'key')).join('.')}>{name}</code>{' '}
            {wordsOf(difference, texts)} <Writer name={writerOf(difference)} />
          </li>
        ))}
      </ol>
      {named.length > shownDifferences && (
        <p className="facts">{texts.state.moreChanges(named.length - shownDifferences)}</p>
      )}
    </>
  );
}

function Writer({ name }: { readonly name: string | null }): ReactNode {
  const texts = useTexts().state;
  return name === null ? null : <span className="chip">{texts.writtenBy(name)}</span>;
}

function wordsOf(difference: StateDifference, texts: Texts): string {
  const { state } = texts;
  const safe = (value: unknown): string =>
    gistOf(value, texts) ?? preview(value, difference.path.map(String), 120);
  const before = 'before' in difference ? safe(difference.before) : null;
  const after = 'after' in difference ? safe(difference.after) : null;
  if (difference.kind === 'moved') return state.moved(String(before), String(after));
  if (before === null) return state.added(String(after));
  return after === null ? state.removed(before) : `${before} → ${after}`;
}

/** The content of a whole message; null for other values. */
function gistOf(value: unknown, { messages }: Texts): string | null {
  if (typeof value !== 'object' || value === null || !('role' in value) || !('parts' in value)) return null;
  for (const part of (value as Message).parts) {
    if (part.type === 'text' && part.text !== '') return preview(part.text, ['text'], 120);
    if (part.type === 'tool-call') return messages.callOf(part.toolName);
    if (part.type === 'tool-result') return messages.resultOf(part.toolName, part.outcome);
  }
  return null;
}

/** Returns the writer of a difference; null when it is unknown. */
type WriterOf = (difference: StateDifference) => string | null;

/**
 * Finds the writers of the changes in a step, by the changed place or a parent of it. Changes by the loop
 * itself have no writer.
 */
export function writersOf(events: StepRecord['events'], state: AgentState, texts: Texts['state']): WriterOf {
  const writers = new Map<string, readonly string[]>();
  const add = (place: string, writer: string): void => {
    const before = writers.get(place) ?? [];
    // Later writers are appended.
    if (before.at(-1) !== writer) writers.set(place, [...before, writer]);
  };
  for (const { event, toolName } of events) {
    if (event.path.length > 0) continue;
    if (event.type === 'tool-end')
      for (const { pluginId } of event.pluginWrites)
        add(`plugins.${pluginId}`, toolName === null ? texts.aTool : texts.theTool(toolName));
    if (!('source' in event) || event.source === null) continue;
    const writer = event.source;
    if (event.type === 'plugin-change') add(`plugins.${event.pluginId}`, writer);
    else if (event.type === 'metadata-change')
      for (const name of [...Object.keys(event.set), ...event.removed])
        add(`context.metadata.${name}`, writer);
    else if (event.type === 'message-add') {
      add(sectionPlace(event.section), writer);
      add(messagePlace(event.message.id), writer);
    } else if (event.type === 'section-change') {
      const { name, put, added, removed } = event;
      const messages = [...put, ...added.flatMap((one) => one.messages)];
      add(sectionPlace(name), writer);
      for (const id of [...removed, ...messages.map((message) => message.id)]) add(messagePlace(id), writer);
    } else if (event.type === 'context-change') {
      if (event.systemPrompt !== undefined) add('context.systemPrompt', writer);
      if (event.responseFormat !== undefined) add('context.responseFormat', writer);
      if (event.llmConfig !== undefined) add('llmConfig', writer);
    }
  }
  const namesOf = (place: string): string | null =>
    writers.get(place)?.reduce((all, next) => texts.thenBy(all, next)) ?? null;
  return (difference) => {
    const place = placeInStore(difference, state);
    if (place !== null) return namesOf(place);
    const { path } = difference;
    for (let length = path.length; length > 0; length--) {
      const writer = namesOf(path.slice(0, length).join('.'));
      if (writer !== null) return writer;
    }
    return null;
  };
}

function sectionPlace(name: string): string {
  return `section ${name}`;
}

function messagePlace(id: string): string {
  return `message ${id}`;
}

/** The key of a difference in the message store: the message by its id, otherwise the section; null elsewhere. */
function placeInStore({ path, ...change }: StateDifference, { context }: AgentState): string | null {
  const [root, store, list, section, messages, message] = path;
  if (root !== 'context' || store !== 'store' || list !== 'sections' || section === undefined) return null;
  const own = (change.kind === 'removed' ? change.before : change.after) as {
    readonly id?: string;
    readonly name?: string;
  };
  const now = context.store.sections[Number(section)];
  if (messages === undefined) return sectionPlace(own.name ?? '');
  if (message === undefined) return sectionPlace(now?.name ?? '');
  const isWhole = path.length === 6 && (change.kind === 'added' || change.kind === 'removed');
  return messagePlace(String(isWhole ? own.id : now?.messages[Number(message)]?.id));
}

type PlaceName = {
  readonly name: string;
  /** True for what the loop keeps of itself: its run, its counters and its clock. */
  readonly isOfLoop: boolean;
};

/** Names a place in a state by what a person knows it as, instead of by its path. */
function nameOfPlace(path: readonly (string | number)[], state: AgentState, texts: Texts): PlaceName {
  const { places } = texts;
  const [root = '', second, third, fourth, fifth, sixth, ...deeper] = path.map((key) =>
    redactText(String(key), 'key'),
  );
  const joinNames = (name: string, rest: readonly (string | undefined)[]): string =>
    [name, ...rest.filter((key) => key !== undefined)].join(' · ');
  if (root === 'context' && second === 'store' && third === 'sections' && fourth !== undefined) {
    const section = state.context.store.sections[Number(fourth)];
    if (fifth !== 'messages' || sixth === undefined)
      return { name: places.section(section?.name ?? fourth), isOfLoop: false };
    const role = section?.messages[Number(sixth)]?.role ?? null;
    return { name: joinNames(places.message(Number(sixth) + 1, role), deeper), isOfLoop: false };
  }
  const rest = [third, fourth, fifth, sixth, ...deeper];
  if (root === 'context' && second === 'metadata')
    return { name: joinNames(places.metadata, rest), isOfLoop: false };
  if (root === 'context' && second === 'systemPrompt') return { name: places.systemPrompt, isOfLoop: false };
  if (root === 'plugins' && second !== undefined)
    return {
      name: joinNames(places.plugin(second), third === 'data' ? rest.slice(1) : rest),
      isOfLoop: third === 'revision',
    };
  if (root === 'llmConfig') return { name: joinNames(places.settings, [second, ...rest]), isOfLoop: false };
  if (root === 'execution' && second === 'stepExecutions' && third !== undefined)
    return { name: joinNames(places.step(Number(third) + 1), rest.slice(1)), isOfLoop: true };
  if (root === 'execution') return { name: joinNames(places.run, [second, ...rest]), isOfLoop: true };
  // The texts of requests are stored once, by their hash.
  const isCounter =
    root === 'spentBefore' ||
    root === 'texts' ||
    root === 'seq' ||
    root === 'updatedAt' ||
    root === 'executionCount';
  return { name: joinNames(root, [second, ...rest]), isOfLoop: isCounter };
}
