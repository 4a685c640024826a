import { spendUnits } from './work-units.ts';

const fence = '```';
/** Longest line that opens a fence, in characters. */
const longestLine = 200;

/** The text within the Markdown fence that models like to put around an answer; the text itself without a fence. */
export function unfenced(text: string): string {
  spendUnits(text.length);
  const trimmed = text.trim();
  if (!trimmed.startsWith(fence) || !trimmed.endsWith(fence)) return text;
  const start = endOfFence(trimmed, 0);
  const end = trimmed.length - fence.length;
  return typeof start === 'number' && start <= end ? trimmed.slice(start, end) : text;
}

/**
 * Index after the line that opens a fence: three backticks and the name of a language. `open` when the text ends
 * before the line does, null when there is no such line.
 */
export function endOfFence(text: string, at: number): number | 'open' | null {
  const line = text.slice(at, at + longestLine);
  const end = line.indexOf('\n');
  const said = end < 0 ? line : line.slice(0, end);
  spendUnits(said.length);
  const isBegun = said.startsWith(fence) || (end < 0 && fence.startsWith(said));
  if (!isBegun || !isLanguage(said.slice(fence.length).trim())) return null;
  if (end >= 0) return at + end + 1;
  return line.length < longestLine ? 'open' : null;
}

function isLanguage(name: string): boolean {
  return /^\w*$/.test(name);
}
