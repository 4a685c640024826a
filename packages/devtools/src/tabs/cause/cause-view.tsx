import { type AgentDefinition, AgentState } from '@vitrine/core';
import {
  type Experiment,
  exportTrace,
  type JournalDocument,
  type Expectation,
  type HubSource,
  type JournalRecord,
  journalOfRun,
  meets,
  runExperiment,
  runsOf,
} from '@vitrine/inspect';
import { describeExpectation, readExpectation } from '@vitrine/inspect/internal/experiments/expectation';
import { type PlanOptions, planExperiment } from '@vitrine/inspect/internal/experiments/plan-experiment';
import { redactText } from '@vitrine/inspect/internal/redact';
import { recordOfRun } from '@vitrine/inspect/internal/runs-of';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import type { PanelTabProps } from '../../define-panel-tab.ts';
import { keepCase, useCaseCount, useCases } from '../../kit/cases.ts';
import { Problem } from '../../kit/notice.tsx';
import { saveFile } from '../../kit/save-file.ts';
import { useTexts } from '../../texts.ts';
import { describeEdit, editableResults, editablesOfStep, offeredTools } from '../debug/editable.ts';
import { Cap, EditForm } from '../debug/edit-form.tsx';
import { elsewhere } from './elsewhere.ts';
import { proposeExpectations } from './propose-expectations.ts';

type Estimate = Awaited<ReturnType<typeof planExperiment>>;

/** The state of the tab for one source; an experiment goes on while another tab is open. */
type Asked = {
  readonly line: string;
  readonly proposed: readonly Expectation[];
  /** The chosen expectation as JSON. */
  readonly chosen: string;
  readonly calls: string;
  readonly cost: string;
  readonly plan: Estimate | null;
  /** The changes that a person adds to the proposed ones. */
  readonly own: readonly Estimate['variants'][number][];
  readonly found: Experiment | null;
  readonly stop: AbortController | null;
  readonly problem: string;
};

const nothing: Asked = {
  line: '',
  proposed: [],
  chosen: '',
  calls: '30',
  cost: '',
  plan: null,
  own: [],
  found: null,
  stop: null,
  problem: '',
};

type AskedStore = ReturnType<typeof createAskedStore>;

function createAskedStore() {
  let asked = nothing;
  const listeners = new Set<() => void>();
  return {
    read: () => asked,
    change(change: Partial<Asked>): void {
      asked = { ...asked, ...change };
      listeners.forEach((listener) => listener());
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The state of each source, outside of the view. */
const known = new WeakMap<HubSource, AskedStore>();

function askedOf(source: HubSource): AskedStore {
  const store = known.get(source) ?? createAskedStore();
  known.set(source, store);
  return store;
}

/** Finds by experiment what breaks a line about the agent. */
export function CauseView({ source, record }: PanelTabProps): ReactNode {
  const { cause: words } = useTexts();
  const store = askedOf(source);
  const asked = useSyncExternalStore(store.subscribe, store.read);
  const run = runsOf(record).at(-1);
  const journal = run === undefined ? null : journalOfRun(record, run);
  const recorded = source.agent === undefined ? elsewhere.runOf(record) : null;
  const agent = source.agent?.() ?? recorded?.agent ?? null;
  if (journal === null || agent === null)
    return (
      <div className="detail scroll cause stacked">
        <CaseList />
        <p className="facts">{journal === null ? words.none : words.noAgent}</p>
      </div>
    );
  const { plan, found, stop, problem, proposed } = asked;
  const about = { asked, store, agent, elsewhere: recorded?.elsewhere, journal, run: record.state };
  return (
    <div className="detail scroll cause stacked" tabIndex={0} role="group" aria-label={words.label}>
      <CaseList />
      <Line {...about} />
      {proposed.length > 0 && <Meaning {...about} record={record} />}
      {plan !== null && <Plan {...about} plan={plan} />}
      <Problem text={problem} />
      {found !== null && <Found found={found} isRunning={stop !== null} />}
    </div>
  );
}

/** The cases of the project: how many are red, and the ones that are not as expected. */
function CaseList(): ReactNode {
  const { cause: words } = useTexts();
  const count = useCaseCount();
  const unmet = useCases().filter(({ met }) => met !== true);
  if (count === null) return null;
  return (
    <section aria-label={words.cases} className="cases">
      <p className="sentence" data-red={count.red > 0} role="status">
        {count.sentence}
      </p>
      {unmet.length > 0 && (
        <ul className="runs-met">
          {unmet.map(({ name, met, sentence }) => (
            <li key={name}>{words.caseOf(name, met, redactText(sentence, 'message'))}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Keeps the last run with the chosen expectation as a case: in the folder of the project, or as a download. */
function keep({
  store: { change },
  agent,
  record,
  asked,
}: AboutProps & { readonly record: JournalRecord }): void {
  try {
    const expectation = readExpectation(JSON.parse(asked.chosen));
    const { document } = exportTrace(record, { name: agent.name, expects: expectation });
    const [name, file] = [describeExpectation(expectation), JSON.stringify(document, null, 1)];
    if (!keepCase(name, file)) saveFile(`${name}.case.json`, file, 'application/json');
    change({ problem: '' });
  } catch (thrown) {
    change({ problem: redactText(thrown instanceof Error ? thrown.message : String(thrown), 'message') });
  }
}

type AboutProps = {
  readonly asked: Asked;
  readonly store: AskedStore;
  readonly agent: AgentDefinition;
  readonly elsewhere: PlanOptions['elsewhere'];
  readonly journal: JournalDocument;
  readonly run: AgentState;
};

/** Plans or runs the experiment; what cannot be used is a sentence. */
async function attempt(
  { asked, store: { change }, journal, agent, elsewhere: recorded }: AboutProps,
  isRun: boolean,
): Promise<void> {
  const { chosen, calls, cost, own, plan } = asked;
  const ending = new AbortController();
  try {
    const options = {
      expectation: readExpectation(JSON.parse(chosen)),
      ...(recorded && { elsewhere: recorded }),
      cap: { calls: Number(calls), ...(cost.trim() === '' ? {} : { cost: Number(cost) }) },
      ...(own.length === 0 ? {} : { variants: [...new Set([...own, ...(plan?.variants ?? [])])] }),
    };
    if (!isRun) {
      change({ plan: await planExperiment(journal, agent, options), found: null, problem: '' });
      return;
    }
    change({ stop: ending, found: null, problem: '' });
    const onProgress = (now: Experiment): void => change({ found: now });
    change({ found: await runExperiment(journal, agent, { ...options, onProgress, signal: ending.signal }) });
  } catch (thrown) {
    change({ problem: redactText(thrown instanceof Error ? thrown.message : String(thrown), 'message') });
  } finally {
    if (isRun) change({ stop: null });
  }
}

/** The line about what the agent should do, which becomes proposals. */
function Line({ asked, store: { read, change }, agent, run }: AboutProps): ReactNode {
  const { cause: words } = useTexts();
  const write = (text: string): void => {
    change({ line: text, plan: null, own: [], problem: '' });
    const tools = offeredTools(agent).map(({ name }) => name);
    void proposeExpectations(text, run, tools).then((next) => {
      const isLate = read().line !== text;
      if (!isLate) change({ proposed: text.trim() === '' ? [] : next, chosen: JSON.stringify(next[0]) });
    });
  };
  return (
    <label>
      {words.line}
      <input
        className="line"
        value={asked.line}
        placeholder={words.example}
        onChange={({ target }) => write(target.value)}
      />
    </label>
  );
}

/** The expectation that the line may mean, the runs that meet it, and the button to find out why. */
function Meaning({ record, ...about }: AboutProps & { readonly record: JournalRecord }): ReactNode {
  const { cause: words } = useTexts();
  const { proposed, chosen, plan } = about.asked;
  const choose = (json: string): void => about.store.change({ chosen: json, plan: null, own: [] });
  return (
    <>
      <label>
        {words.means}
        <select value={chosen} onChange={({ target }) => choose(target.value)}>
          {proposed.map(({ title, ...bare }) => (
            <option key={JSON.stringify(bare)} value={JSON.stringify({ ...bare, title })}>
              {describeExpectation(bare as Expectation)}
            </option>
          ))}
        </select>
      </label>
      <details>
        <summary>{words.json}</summary>
        <textarea
          aria-label={words.json}
          rows={3}
          value={chosen}
          onChange={({ target }) => choose(target.value)}
        />
      </details>
      <RunsMet record={record} expectation={chosen} />
      <div className="caps beside wrapping">
        {plan === null && <button onClick={() => void attempt(about, false)}>{words.find}</button>}
        <button onClick={() => keep({ ...about, record })}>{words.keep}</button>
      </div>
    </>
  );
}

/** The estimate of an experiment, its cap, and the button that runs it. */
function Plan({ plan, ...about }: AboutProps & { readonly plan: Estimate }): ReactNode {
  const { cause: words, formats } = useTexts();
  const { change } = about.store;
  const { calls, cost, stop } = about.asked;
  const { variants, estimate, experiment } = plan;
  const money = estimate.cost === null ? null : formats.cost(estimate.cost);
  return (
    <>
      <p className="facts">
        {experiment?.sentence ??
          (about.elsewhere
            ? words.estimateElsewhere(variants.length, estimate.calls)
            : words.estimate(variants.length, estimate.calls, money))}
      </p>
      <OwnChange {...about} />
      <div className="caps beside wrapping">
        <Cap step="1" label={words.calls} value={calls} onValue={(text) => change({ calls: text })} />
        <Cap label={words.cost} value={cost} onValue={(text) => change({ cost: text })} />
        <button disabled={stop !== null} onClick={() => void attempt(about, true)}>
          {words.run}
        </button>
        {stop !== null && <button onClick={() => stop.abort()}>{words.stop}</button>}
      </div>
    </>
  );
}

/** The form that adds a change of a text, a result or the model to an experiment. */
function OwnChange(about: AboutProps): ReactNode {
  const texts = useTexts();
  const { asked, store, agent, elsewhere, run } = about;
  const model = AgentState.lastStep(run)?.sent?.model ?? null;
  const editables = [
    ...editablesOfStep(run, { calls: [], model }, agent, texts),
    ...editableResults(run, texts),
  ].filter(({ editOf }) => elsewhere === undefined || elsewhere.takes(editOf('')));
  return (
    <details>
      <summary>{texts.cause.own(asked.own.length)}</summary>
      <EditForm
        editables={editables}
        agent={agent}
        submit={texts.cause.addOwn}
        onEdit={async (edit, label) => {
          store.change({ own: [...asked.own, { name: describeEdit(label, edit), edit }] });
          await attempt({ ...about, asked: store.read() }, false);
          return null;
        }}
      />
    </details>
  );
}

type RunsMetProps = { readonly record: JournalRecord; readonly expectation: string };

/** The recorded runs of the session, each with whether it meets the expectation. */
function RunsMet({ record, expectation }: RunsMetProps): ReactNode {
  const { cause: words } = useTexts();
  const [rows, setRows] = useState<readonly string[]>([]);
  useEffect(() => {
    let isShown = true;
    const look = async (): Promise<readonly string[]> => {
      const read = readExpectation(JSON.parse(expectation));
      return Promise.all(
        runsOf(record).map(async (run) => {
          const { met, why } = await meets(recordOfRun(record, run).state, read);
          return words.met(run.number, met, redactText(why.join(' '), 'message'));
        }),
      );
    };
    look()
      .catch(() => [])
      .then((next) => isShown && setRows(next));
    return () => void (isShown = false);
  }, [record, expectation, words]);
  return (
    <ul className="runs-met" aria-label={words.runs}>
      {rows.map((row) => (
        <li key={row}>{row}</li>
      ))}
    </ul>
  );
}

/** The sentence and the table of an experiment. */
function Found({ found, isRunning }: { readonly found: Experiment; readonly isRunning: boolean }): ReactNode {
  const { cause: words, formats } = useTexts();
  const { sentence, rows, untried, calls, cost } = found;
  return (
    <>
      <p className="sentence" role="status">
        {redactText(isRunning ? words.running(calls) : sentence, 'message')}
      </p>
      {rows.length > 0 && (
        <table>
          <caption>{words.table}</caption>
          <thead>
            <tr>
              {[words.change, words.counts, words.price, words.difference].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ variant, met, of, cost: paid, difference, why }) => (
              <tr key={variant ?? ''}>
                <th scope="row">{variant ?? words.asItWas}</th>
                <td>{words.count(met, of)}</td>
                <td>{paid === null ? words.unknown : formats.cost(paid)}</td>
                <td>{redactText(difference === '' ? why : difference, 'message')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {!isRunning && untried.length > 0 && <p className="facts">{words.untried(untried)}</p>}
      <p className="facts">{words.spent(calls, cost === null ? words.unknown : formats.cost(cost))}</p>
    </>
  );
}
