import { type HubSource, runsOf } from '@vitrine/inspect';
import { recordOfRun } from '@vitrine/inspect/internal/runs-of';
import { redactText } from '@vitrine/inspect/internal/redact';
import { type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import type { PanelTabProps } from '../../define-panel-tab.ts';
import { Problem } from '../../kit/notice.tsx';
import { PanelSources } from '../../kit/contexts.ts';
import { useTexts } from '../../texts.ts';
import {
  filterRuns,
  type ListedRun,
  listSessions,
  readRuns,
  type RunResult,
  type RunsFilter,
  trendsOf,
} from './read-runs.ts';

const everything: RunsFilter = {
  words: '',
  result: '',
  model: '',
  code: '',
  leastCost: '',
  leastSteps: '',
  since: '',
};
const fields = [
  ['words', 'search'],
  ['leastCost', 'number'],
  ['leastSteps', 'number'],
  ['since', 'search'],
] as const;
const results: readonly RunResult[] = ['finished', 'faulty', 'stopped', 'failed', 'open'];

/** The runs of all stored sessions, with a filter by each of their facts. */
export function RunsView({ source }: PanelTabProps): ReactNode {
  const { runs: words, formats } = useTexts();
  const { rows, sessions, unread, isReading, more, problem } = useListedRuns(source);
  const [filter, setFilter] = useState(everything);
  const shown = useMemo(() => filterRuns(rows, filter), [rows, filter]);
  const cost = shown.reduce((sum, row) => sum + (row.cost ?? 0), 0);
  return (
    <div className="detail scroll" tabIndex={0} role="group" aria-label={words.label}>
      <Filter {...{ rows, filter }} onFilter={setFilter} />
      <p className="facts" role="status">
        {isReading
          ? words.reading(sessions)
          : words.shown(shown.length, rows.length, sessions, formats.cost(cost))}
        {unread > 0 && ` ${words.unread(unread)}`}
      </p>
      <Problem text={problem} />
      <ol className="plain-list" aria-label={words.label}>
        {shown.map((row) => (
          <Row key={`${row.session.id} ${row.executionId}`} row={row} />
        ))}
      </ol>
      {more !== null && !isReading && <button onClick={more}>{words.more}</button>}
    </div>
  );
}

type Listed = {
  readonly rows: readonly ListedRun[];
  readonly sessions: number;
  readonly unread: number;
  readonly cursor: string | null;
  readonly isReading: boolean;
  readonly problem: string;
};

const unread: Listed = { rows: [], sessions: 0, unread: 0, cursor: null, isReading: true, problem: '' };

/** Reads the sessions of the store page by page, and the next page when `more` is called; null at the end. */
function useListedRuns(source: HubSource): Listed & { readonly more: (() => void) | null } {
  const texts = useTexts();
  const { read, detectors } = useContext(PanelSources);
  const [listed, setListed] = useState(unread);
  const [from, setFrom] = useState<string | null>(null);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const change = (next: (before: Listed) => Partial<Listed>): void => {
      if (!signal.aborted) setListed((before) => ({ ...before, ...next(before) }));
    };
    async function readPage(): Promise<void> {
      const { sessions, cursor } = await listSessions(source, read, from);
      for (const session of sessions) {
        if (signal.aborted) return;
        // One that cannot be read must not hide the others.
        const found = await readRuns(session, { detectors, signal, texts }).catch(() => null);
        change((before) => ({
          rows: [...before.rows, ...(found ?? [])],
          sessions: before.sessions + 1,
          unread: before.unread + (found === null ? 1 : 0),
        }));
      }
      change(() => ({ cursor }));
    }
    change(() => (from === null ? unread : { isReading: true }));
    readPage()
      .catch((error: unknown) => change(() => ({ problem: redactText(String(error), 'message') })))
      .then(() => change(() => ({ isReading: false })));
    return () => ending.abort();
  }, [source, read, detectors, from, texts]);
  const { cursor } = listed;
  return { ...listed, more: cursor === null ? null : () => setFrom(cursor) };
}

type FilterProps = {
  readonly rows: readonly ListedRun[];
  readonly filter: RunsFilter;
  readonly onFilter: (filter: RunsFilter) => void;
};

function Filter({ rows, filter, onFilter }: FilterProps): ReactNode {
  const { runs: words, formats } = useTexts();
  const models = [...new Set(rows.map(({ model }) => model).filter((model) => model !== ''))].sort();
  const change = (name: keyof RunsFilter, value: string): void => onFilter({ ...filter, [name]: value });
  const choices: Readonly<Record<'result' | 'model' | 'code', readonly (readonly [string, string])[]>> = {
    result: results.map((result) => [result, words.results[result]]),
    model: models.map((model) => [model, model]),
    code: trendsOf(rows).map(({ code, count, since }) => [
      code,
      words.trend(code, count, rows.length, formats.day(since)),
    ]),
  };
  return (
    <div className="beside wrapping runs-filter" role="search" aria-label={words.filter}>
      {fields.map(([name, type]) => (
        <input
          key={name}
          type={type}
          aria-label={words[name]}
          placeholder={words[name]}
          value={filter[name]}
          onChange={({ target }) => change(name, target.value)}
        />
      ))}
      {(['result', 'model', 'code'] as const).map((name) => (
        <select
          key={name}
          aria-label={words[name]}
          value={filter[name]}
          onChange={({ target }) => change(name, target.value)}
        >
          <option value="">{words[name]}</option>
          {choices[name].map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      ))}
    </div>
  );
}

/** A run in two lines; a press opens it. */
function Row({ row }: { readonly row: ListedRun }): ReactNode {
  const { runs: words, formats, header } = useTexts();
  const { show } = useContext(PanelSources);
  const [problem, setProblem] = useState('');
  const { session, number, result, sentence, steps, model, codes } = row;
  const open = async (): Promise<void> => {
    const record = await session.read();
    const run = record && runsOf(record).find(({ executionId }) => executionId === row.executionId);
    if (!record || !run) return setProblem(words.gone);
    const { name, id } = session;
    show({ id: `run-${id}-${number}`, name: words.opened(name, number) }, recordOfRun(record, run), name);
  };
  return (
    <li>
      <button
        className="bare-button"
        data-result={result}
        title={sentence}
        onClick={() =>
          void open().catch((error: unknown) => setProblem(redactText(String(error), 'message')))
        }
      >
        <span className="cut">{row.request || session.name}</span>
        <span className="figure">{row.cost === null ? header.costUnknown : formats.cost(row.cost)}</span>
        <span className="facts">
          <b>{words.results[result]}</b>
          {[
            '',
            words.steps(steps),
            formats.duration(row.durationMs),
            ...(model === '' ? [] : [model]),
            formats.day(row.startedAt),
            ...codes,
          ].join(' · ')}
        </span>
      </button>
      <Problem text={problem} />
    </li>
  );
}
