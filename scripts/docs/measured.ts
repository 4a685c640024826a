/** A published figure: a ratio or a size that a bench printed, as a range over its rounds and cases. */
export type MeasuredFigure = {
  readonly what: string;
  readonly vitrine: string;
  /** The figure of the AI SDK in the same run; null when the bench has none. */
  readonly peer: string | null;
  /** The command that measures it again. */
  readonly command: string;
  /** The day of the run. */
  readonly day: string;
};

const streaming = 'npm run bench -- --only streaming --with-peers';
const proxy = 'npm run bench -- --only proxy';

/**
 * The figures of docs/guide/compared.md, from a machine with 2 cores. After a run of a bench write its figures here,
 * with the day; `npx vitest run --project node reference -u` puts them on the page.
 */
export const measured: readonly MeasuredFigure[] = [
  {
    what: 'Time of an answer beside up to 1,000 messages / a store that renders for each delta',
    vitrine: '0.15 to 0.23',
    peer: '2.4 to 3.5',
    command: streaming,
    day: '2026-11-22',
  },
  {
    what: 'The same beside 10,000 messages',
    vitrine: '0.04',
    peer: null,
    command: streaming,
    day: '2026-11-22',
  },
  {
    what: 'Time of an answer beside up to 1,000 messages / a store that renders once a frame',
    vitrine: '0.86 to 0.94',
    peer: '11 to 16',
    command: streaming,
    day: '2026-11-22',
  },
  {
    what: 'The same beside 10,000 messages',
    vitrine: '0.55',
    peer: null,
    command: streaming,
    day: '2026-11-22',
  },
  {
    what: 'Time of an answer over HTTP / a store that renders once a frame',
    vitrine: '0.82 to 1.06',
    peer: '5.4 to 7.7',
    command: streaming,
    day: '2026-11-22',
  },
  {
    what: 'CPU of a server with 500 concurrent answers / a route with `streamText`',
    vitrine: '0.54 to 0.61',
    peer: '1',
    command: proxy,
    day: '2026-11-24',
  },
  {
    what: 'Memory of that server / a route with `streamText`',
    vitrine: '0.86 to 0.92',
    peer: '1',
    command: proxy,
    day: '2026-11-24',
  },
];
