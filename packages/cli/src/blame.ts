import { type AskedSession, type Expectation, type Experiment, journalOfRun } from '@vitrine/inspect';
import { runOf } from '@vitrine/inspect/internal/questions/places';
import { expectationOf, loadAgent } from './check.ts';
import { readTrace } from './read-trace.ts';
import { exitCodes, UsageError } from './usage-error.ts';

/** The experiment that is asked for: of the last run of the only session, and with the models of the agent, by default. */
type Wanted = {
  readonly session?: string | undefined;
  readonly run?: number | undefined;
  readonly models?: readonly string[] | undefined;
  readonly expectation: Expectation;
  readonly cap: { readonly calls?: number; readonly cost?: number };
};

/**
 * Finds by experiment which part of a recorded run breaks an expectation, and prints the sentence and the table. The
 * model of the agent is asked within the cap; no tool has an effect.
 * @returns 0 when a cause is named, 1 when none is.
 */
export async function blame(
  file: string,
  {
    agent,
    expect,
    ...wanted
  }: { readonly agent: string; readonly expect: string } & Omit<Wanted, 'expectation'>,
  print: (line: string) => void,
): Promise<number> {
  const { name, record } = await readTrace(file);
  const expectation = await expectationOf(expect);
  const sessions = [{ id: 'trace', name, record }];
  const found = await findCause(agent, sessions, { ...wanted, expectation }).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error), exitCodes.untestable);
  });
  print(found.sentence);
  for (const row of tableOf(found)) print(row);
  return found.cause === null ? exitCodes.different : exitCodes.fine;
}

/** The rows of an experiment as lines: variant, count, money and first difference. */
function tableOf({ rows, untried, calls, cost }: Experiment): readonly string[] {
  const lines = rows.map(({ variant, met, of, cost: paid, difference, why }) =>
    [
      `  ${variant ?? 'as it was'}`,
      `${met} of ${of}`,
      ...(paid === null || paid === 0 ? [] : [String(paid)]),
      difference || why,
    ].join(' | '),
  );
  const spent = `${calls} model calls${cost === null || cost === 0 ? '' : `, ${cost}`}.`;
  return [...lines, ...(untried.length === 0 ? [] : [`Not tried: ${untried.join('; ')}.`]), spent];
}

async function findCause(
  agentAt: string,
  sessions: readonly AskedSession[],
  { session, run: number, models, expectation, cap }: Wanted,
): Promise<Experiment> {
  const { session: asked, run } = runOf(sessions, { session, run: number });
  const journal = journalOfRun(asked.record, run);
  if (journal === null)
    throw new Error(`Run ${run.number} cannot be run again: the trace does not hold all of its events.`);
  const { agent, inspect } = await loadAgent(agentAt);
  return inspect.runExperiment(journal, agent, { expectation, cap, ...(models && { models }) });
}

export function blameTool(agentAt: string) {
  const number = { type: 'number', minimum: 0 };
  return {
    name: 'blame',
    description:
      'Finds by experiment which part of a recorded run breaks an expectation, such as {"says":"Ada"} or {"neverCalls":{"tool":"mail"}}. It asks the model of the agent, at most `calls` times (30), also other `models`, and no tool has an effect. Ask `findings` first: they cost nothing.',
    inputSchema: {
      type: 'object',
      properties: {
        session: { type: 'string' },
        run: number,
        expect: { type: 'object' },
        calls: number,
        cost: number,
        models: { type: 'array', items: { type: 'string' } },
      },
      required: ['expect'],
    },
    async ask(
      sessions: readonly AskedSession[],
      asked: { expect: Expectation } & Omit<Wanted, 'expectation' | 'cap'> & Wanted['cap'],
    ) {
      const wanted = { ...asked, expectation: asked.expect, cap: asked };
      const found = await findCause(agentAt, sessions, wanted);
      return { sentence: found.sentence, table: tableOf(found) };
    },
  };
}
