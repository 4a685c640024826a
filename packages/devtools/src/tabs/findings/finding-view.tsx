import type { JsonObject, JsonValue } from '@vitrine/core';
import { type Finding, type FindingSeverity, type JournalRecord } from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';
import { type ReactNode, useContext, useState } from 'react';
import type { PanelFocus, StepViewId } from '../../define-panel-tab.ts';
import { preview } from '../../kit/format.ts';
import { Json } from '../../kit/json.tsx';
import { Item, TextBlock } from '../../kit/section.tsx';
import { useTexts } from '../../texts.ts';
import { copyText } from '../../kit/copy-text.ts';
import { expectsLine, Findings, focusOf, idOf, itemOf, viewOf, worstOf } from './findings.ts';

const marks: Readonly<Record<FindingSeverity, string>> = { fault: '✕', hint: 'i' };

type MarkProps = { readonly severity: FindingSeverity; readonly title?: string | undefined };

function Mark({ severity, title }: MarkProps): ReactNode {
  const { severities } = useTexts().findings;
  return (
    <span
      className="finding-mark firm"
      data-severity={severity}
      role="img"
      aria-label={severities[severity]}
      title={title}
    >
      {marks[severity]}
    </span>
  );
}

/** The mark of a step or a call with findings. */
export function FindingMark({ id }: { readonly id: string }): ReactNode {
  const findings = useContext(Findings).byId.get(id);
  const sentenceOf = useSentence();
  const severity = worstOf(findings);
  if (severity === null) return null;
  return <Mark severity={severity} title={findings?.map(sentenceOf).join('\n')} />;
}

/** Returns a function that gives the sentence of a finding, without secrets. */
function useSentence(): (finding: Finding) => string {
  const { findings } = useTexts();
  return ({ sentence, code }) => findings.sentence(redactText(sentence, 'message'), code);
}

const shownAtFirst = 2;

type FindingStripProps = { readonly record: JournalRecord; readonly onFocus: (focus: PanelFocus) => void };

/** The findings of a run below its verdict, the worst first, with those that are expected. */
export function FindingStrip({ record, onFocus }: FindingStripProps): ReactNode {
  const { all, expected, listed } = useContext(Findings);
  const { findings: texts } = useTexts();
  const [isWhole, setWhole] = useState(false);
  if (all.length + expected.length === 0) return null;
  const atFirst = all.filter(({ severity }) => severity === 'fault').slice(0, shownAtFirst);
  const shown = isWhole ? listed : atFirst;
  const rest = all.length - atFirst.length;
  const counts = [
    ...(rest === 0 ? [] : [atFirst.length === 0 ? texts.hints(rest) : texts.more(rest)]),
    ...(expected.length === 0 ? [] : [texts.expected(expected.length)]),
  ];
  return (
    <div className="findings wrapping firm" role="group" aria-label={texts.label}>
      <ul className="finding-list plain-list">
        {shown.map((finding, index) => (
          <li key={index} className="beside" data-expected={expected.includes(finding)}>
            <FindingRow finding={finding} record={record} onFocus={onFocus} />
            <MeantButton finding={finding} />
          </li>
        ))}
      </ul>
      {counts.length > 0 && (
        <button
          className="finding-more bare-button in-small"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? texts.fewer : counts.join(' · ')}
        </button>
      )}
    </div>
  );
}

/** The button by which a person says that a hint is meant. It copies the line for the code. */
function MeantButton({ finding }: { readonly finding: Finding }): ReactNode {
  const { expected, mean } = useContext(Findings);
  const { findings: texts } = useTexts();
  if (finding.severity === 'fault') return null;
  const line = expectsLine(finding);
  const who = redactText(finding.evidence.who ?? '', 'who');
  const isExpected = expected.includes(finding);
  // It stays in its place when it is pressed: the focus stays too, and a double click does not hit the next hint.
  return (
    <button
      className="finding-meant firm in-small"
      aria-disabled={isExpected}
      title={isExpected ? undefined : texts.meantTitle(line, who)}
      onClick={({ currentTarget }) => {
        if (isExpected) return;
        void copyText(line, currentTarget.ownerDocument);
        mean(finding);
      }}
    >
      {isExpected ? texts.isExpected : texts.meant}
    </button>
  );
}

type FindingRowProps = FindingStripProps & { readonly finding: Finding };

function FindingRow({ finding, record, onFocus }: FindingRowProps): ReactNode {
  const focus = focusOf(finding, record);
  const sentence = useSentence()(finding);
  return (
    <button
      className="finding-row beside spaced bare-button"
      data-code={finding.code}
      title={sentence}
      disabled={focus === null}
      onClick={() => focus && onFocus(focus)}
    >
      <Mark severity={finding.severity} />
      <span className="finding-sentence">{sentence}</span>
    </button>
  );
}

/** The findings of a step or call on one page of the inspector, with their evidence. */
export function FindingsOf({ id, view }: { readonly id: string; readonly view: StepViewId }): ReactNode {
  return useContext(Findings)
    .listed.filter((finding) => idOf(finding) === id && viewOf(finding) === view)
    .map((finding, index) =>
      finding.address.toolCallId === undefined ? (
        <Item key={index} id={itemOf(finding)}>
          <FindingCard finding={finding} />
        </Item>
      ) : (
        <FindingCard key={index} finding={finding} />
      ),
    );
}

type FindingsAtProps = { readonly record: JournalRecord; readonly event: number };

/** The findings that belong to no step, where their event is shown. */
export function FindingsAt({ record, event }: FindingsAtProps): ReactNode {
  const found = useContext(Findings).listed.filter((finding) => {
    const focus = focusOf(finding, record);
    return focus !== null && 'event' in focus && focus.event === event;
  });
  if (found.length === 0) return null;
  return (
    <div className="findings-at firm">
      {found.map((finding, index) => (
        <FindingCard key={index} finding={finding} />
      ))}
    </div>
  );
}

/** A finding with its remedy and its evidence. */
function FindingCard({ finding }: { readonly finding: Finding }): ReactNode {
  const { findings: texts } = useTexts();
  const { severity, remedy, code, evidence, address } = finding;
  const { before, after, who, writers, ...facts } = evidence;
  const path = address.statePath ?? ['evidence'];
  const [first, second] =
    code === 'arguments-changed' ? [texts.given, texts.got] : [texts.before, texts.after];
  return (
    <div className="finding-card" data-severity={severity}>
      <p className="finding-head spaced">
        <Mark severity={severity} />
        <strong className="finding-whole">{useSentence()(finding)}</strong>
        <MeantButton finding={finding} />
      </p>
      <p className="finding-remedy muted">{texts.remedy(redactText(remedy, 'message'), code)}</p>
      {(before !== undefined || after !== undefined) && (
        <div className="finding-sides">
          {before !== undefined && <Side title={first} value={before} path={path} />}
          {after !== undefined && <Side title={second} value={after} path={path} />}
        </div>
      )}
      {writers !== undefined && (
        <ol className="history indented">
          {writers.map((writer, index) => (
            <li key={index}>
              <strong>{redactText(writer.who, 'who')}</strong> {preview(writer.value, path, 120)}
            </li>
          ))}
        </ol>
      )}
      <p className="facts">
        {[
          ...(who === undefined ? [] : [texts.by(redactText(who, 'who'))]),
          ...Object.entries(facts).flatMap(([name, value]) =>
            value === undefined || value === null ? [] : [texts.fact(name, valueText(value, name))],
          ),
        ].join(' · ')}{' '}
        <code>{code}</code>
      </p>
    </div>
  );
}

const mostItems = 5;

/** A value on one line: the items of a list and the values of an object, not their JSON. */
function valueText(value: JsonValue, name: string): string {
  if (!isObject(value)) return preview(value, [name], 120);
  const items = Object.entries(value);
  const texts = items.slice(0, mostItems).map(([key, item]) =>
    isObject(item)
      ? Object.entries(item)
          .map(([inner, part]) => preview(part, [name, key, inner], 60))
          .join(' ')
      : preview(item, [name, key], 120),
  );
  return `${texts.join(', ')}${items.length > mostItems ? ' …' : ''}`;
}

function isObject(value: JsonValue): value is JsonObject | readonly JsonValue[] {
  return typeof value === 'object' && value !== null;
}

type SideProps = { readonly title: string; readonly value: JsonValue; readonly path: readonly string[] };

function Side({ title, value, path }: SideProps): ReactNode {
  return (
    <div className="finding-side">
      <h3>{title}</h3>
      {typeof value === 'string' ? (
        <TextBlock label={title}>{redactText(value, path.at(-1) ?? '')}</TextBlock>
      ) : (
        <Json value={value} path={path} />
      )}
    </div>
  );
}
