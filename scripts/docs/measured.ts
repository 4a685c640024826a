import { readFileSync, writeFileSync } from 'node:fs';

/** A published figure: a ratio that a bench printed, as a range over its rounds and cases. */
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

/** The ratios of a bench that the docs publish. */
export type PublishedRatios = {
  readonly what: string;
  readonly vitrine: readonly number[];
  /** Empty when the bench has no peer. */
  readonly peer: readonly number[];
};

const file = `${import.meta.dirname}/measured.json`;

/** The figures of docs/guide/compared.md, from a machine with 2 cores. `npm run bench -- --publish` writes them. */
export const measured = JSON.parse(readFileSync(file, 'utf8')) as readonly MeasuredFigure[];

/** Writes the ratios of a run over the figures of the same name. */
export function publish(ratios: readonly PublishedRatios[], command: string, day: string): void {
  const known = new Map(measured.map((figure) => [figure.what, figure]));
  for (const { what, vitrine, peer } of ratios)
    known.set(what, { what, vitrine: range(vitrine) ?? 'not measured', peer: range(peer), command, day });
  writeFileSync(file, `${JSON.stringify([...known.values()], null, 2)}\n`);
}

/** The least and the greatest ratio in two digits, e.g. `0.15 to 0.23`; null without one. */
export function range(ratios: readonly number[]): string | null {
  const found = ratios.filter(Number.isFinite);
  if (found.length === 0) return null;
  const [least, most] = [Math.min(...found), Math.max(...found)].map((ratio) => Number(ratio.toPrecision(2)));
  return least === most ? String(least) : `${least} to ${most}`;
}
