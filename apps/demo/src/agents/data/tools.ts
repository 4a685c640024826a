import { AgentState, defineTool, readAttachment, type SessionStore, type Tool } from '@vitrine/react';
import * as z from 'zod/mini';
import type { Table } from './table.ts';

const file = z.string().check(z.describe('The name of an attached file'));

const chartInput = z.object({
  file,
  kind: z.enum(['bar', 'line']),
  label: z.string().check(z.describe('The column that says what the bars or points are')),
  value: z.string().check(z.describe('The column with their values')),
  combine: z.enum(['sum', 'average', 'count']).check(z.describe('What becomes of rows with the same label')),
  title: z.string(),
});
const chartOutput = z.object({
  title: z.string(),
  kind: z.enum(['bar', 'line']),
  points: z.array(z.object({ label: z.string(), value: z.number() })),
  /** Number of points that were left out. */
  leftOut: z.int(),
});
/** The data of a chart. */
export type ChartData = z.infer<typeof chartOutput>;

const mostPoints = 60;

/** A tool that lists the columns of an attached table. */
export function readTableTool(sessions: SessionStore): Tool {
  return defineTool({
    name: 'read_table',
    description: 'Reads an attached CSV file: its columns with their types, and how many rows it has.',
    input: z.object({ file }),
    effects: 'idempotent',
    async execute(input, { state }) {
      const { columns, rows } = await tableIn(state, input.file, sessions);
      return { file: input.file, rows: rows.length, columns };
    },
  });
}

/** A tool that computes the chart of an attached table; `chartView` draws it. */
export function drawChartTool(sessions: SessionStore): Tool {
  return defineTool({
    name: 'draw_chart',
    description: 'Draws a column of an attached CSV file by another one. The person sees the chart.',
    input: chartInput,
    output: chartOutput,
    effects: 'idempotent',
    async execute(input, { state }) {
      const table = await tableIn(state, input.file, sessions);
      const { pointsOf } = await import('./points-of.ts');
      const points = pointsOf(table, input);
      const { title, kind } = input;
      return {
        title,
        kind,
        points: points.slice(0, mostPoints),
        leftOut: Math.max(0, points.length - mostPoints),
      };
    },
  });
}

/** The table in the last attached file with this name. */
async function tableIn(state: AgentState, name: string, sessions: SessionStore): Promise<Table> {
  const files = AgentState.messages(state).flatMap(({ parts }) =>
    parts.filter((part) => part.type === 'file'),
  );
  const part = files.findLast(({ filename }) => filename === name);
  if (part === undefined) {
    const names = files.map(({ filename }) => JSON.stringify(filename)).join(', ');
    throw new Error(
      `No file ${JSON.stringify(name)} is attached; ${names === '' ? 'none is' : `there is ${names}`}.`,
    );
  }
  const blob = await readAttachment(part, sessions);
  if (blob === null) throw new Error(`The file ${JSON.stringify(name)} is not in this browser any more.`);
  const { parseTable } = await import('./table.ts');
  return parseTable(await blob.text());
}
