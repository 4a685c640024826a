import type { JsonValue } from '@vitrine/core';
import { type Finding, type FindingSeverity, type JournalRecord } from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';
import { type ReactNode, useContext, useState } from 'react';
import type { PanelFocus, StepViewId } from '../../define-panel-tab.ts';
import { preview } from '../../kit/format.ts';
import { Json } from '../../kit/json.tsx';
import { Item, TextBlock } from '../../kit/section.tsx';
import { useTexts } from '../../texts.ts';
import { Findings, focusOf, itemOf, viewOf, worstOf } from './findings.ts';

const marks: Readonly<Record<FindingSeverity, string>> = { error: '✕', warning: '!', note: 'i' };

type MarkProps = { readonly severity: FindingSeverity; readonly title?: string | undefined };

/** The sign of a finding. */
function Mark({ severity, title }: MarkProps): ReactNode {
  const { severities } = useTexts().findings;
  return (
    <span
      className="finding-mark"
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

/** Number of findings that are shown at first. */
const shownAtFirst = 2;

type FindingStripProps = {
  readonly record: JournalRecord;
  readonly onFocus: (focus: PanelFocus) => void;
};

/** The findings of a run below its verdict, the worst first; each leads to its place. */
export function FindingStrip({ record, onFocus }: FindingStripProps): ReactNode {
  const { all } = useContext(Findings);
  const { findings: texts } = useTexts();
  const [isWhole, setWhole] = useState(false);
  if (all.length === 0) return null;
  const atFirst = all.filter(({ severity }) => severity !== 'note').slice(0, shownAtFirst);
  const shown = isWhole ? all : atFirst;
  const rest = all.length - atFirst.length;
  return (
    <div className="findings" role="group" aria-label={texts.label}>
      <ul className="finding-list">
        {shown.map((finding, index) => (
          <li key={index}>
            <FindingRow finding={finding} record={record} onFocus={onFocus} />
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <button className="finding-more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? texts.fewer : atFirst.length === 0 ? texts.notes(rest) : texts.more(rest)}
        </button>
      )}
    </div>
  );
}

type FindingRowProps = FindingStripProps & { readonly finding: Finding };

function FindingRow({ finding, record, onFocus }: FindingRowProps): ReactNode {
  const focus = focusOf(finding, record);
  const sentence = useSentence()(finding);
  return (
    <button
      className="finding-row"
      title={sentence}
      disabled={focus === null}
      onClick={() => focus && onFocus(focus)}
    >
      <Mark severity={finding.severity} />
      <span className="finding-sentence">{sentence}</span>
    </button>
  );
}

type FindingsOfProps = { readonly id: string; readonly view: StepViewId };

/** The findings of a step or call on one page of the inspector, with their evidence. */
export function FindingsOf({ id, view }: FindingsOfProps): ReactNode {
  const findings = useContext(Findings).byId.get(id) ?? [];
  return findings
    .filter((finding) => viewOf(finding) === view)
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
  const found = useContext(Findings).all.filter((finding) => {
    const focus = focusOf(finding, record);
    return focus !== null && 'event' in focus && focus.event === event;
  });
  if (found.length === 0) return null;
  return (
    <div className="findings-at">
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
  return (
    <div className="finding-card" data-severity={severity}>
      <p className="finding-head">
        <Mark severity={severity} />
        <strong className="finding-whole">{useSentence()(finding)}</strong>
      </p>
      <p className="finding-remedy">{texts.remedy(redactText(remedy, 'message'), code)}</p>
      {(before !== undefined || after !== undefined) && (
        <div className="finding-sides">
          {before !== undefined && (
            <Side
              title={code === 'arguments-changed' ? texts.given : texts.before}
              value={before}
              path={path}
            />
          )}
          {after !== undefined && (
            <Side title={code === 'arguments-changed' ? texts.got : texts.after} value={after} path={path} />
          )}
        </div>
      )}
      {writers !== undefined && (
        <ol className="history">
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
            value === undefined || value === null ? [] : [texts.fact(name, preview(value, [name], 120))],
          ),
        ].join(' · ')}{' '}
        <code>{code}</code>
      </p>
    </div>
  );
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
