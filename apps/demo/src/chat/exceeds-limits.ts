/** Containers (quotations, list items) inside each other; below them parsers and renderers run out of stack. */
const maxDepth = 40;
/** Characters of a word without spaces: in longer ones the search for addresses takes time by their square. */
const maxWord = 1500;
/** What a block may take; about microseconds of a fast machine, so that the page misses a few frames at most. */
const maxCost = 40_000;

/** What parsing and drawing takes by what a block holds, measured with blocks that hold nothing else. */
const costs = {
  character: 2,
  /** For each container that is open: a line without markers may go on with all of them. */
  line: 30,
  /** A cell of a table; a row has as many as the longest one. */
  cell: 27,
  /** What may be emphasis, code, a link or a formula. */
  mark: 10,
  /** For every two marks in one run of text, in either order: each may go with each. */
  pairOfMarks: 0.1,
  bracket: 40,
  footnote: 200,
  /** What may begin an address or HTML. */
  address: 40,
} as const;

/**
 * True when a block of Markdown would take too long to parse or is nested too deeply to be drawn, judged by its
 * characters alone, in linear time. Such a block is shown as the text that it is.
 */
export function exceedsLimits(block: string): boolean {
  if (block.length * costs.character > maxCost || longWord.test(block)) return true;
  const lines = block.split('\n');
  let cost = block.length * costs.character + count(block, address) * costs.address;
  let cells = 0;
  let deepest = 0;
  let marks = 0;
  for (const line of lines) {
    deepest = Math.max(deepest, depthOf(line));
    if (deepest > maxDepth) return true;
    cells = Math.max(cells, count(line, pipe));
    if (startsText(line)) marks = 0;
    const before = marks;
    marks += count(line, mark);
    cost += costs.line * (1 + deepest) + costs.mark * (marks - before);
    cost += costs.pairOfMarks * (marks ** 2 - before ** 2);
    cost += costs.bracket * count(line, bracket) + costs.footnote * count(line, footnote);
    if (cost + costs.cell * cells * lines.length > maxCost) return true;
  }
  return false;
}

const longWord = new RegExp(`[!-~]{${maxWord}}`);
const address = /www\.|:\/\/|@|</gi;
const pipe = /\|/g;
const mark = /[*_~[\]`$]/g;
const bracket = /\[/g;
const footnote = /\[\^/g;

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Emphasis and links never reach beyond a blank line, or into a list item or heading from before it. */
function startsText(line: string): boolean {
  return line.trim() === '' || /^ {0,3}(?:[-+*]|#{1,6})[ \t]+\S/.test(line);
}

/** A container that is open has a marker in the line, or two columns of indentation. */
function depthOf(line: string): number {
  const prefix = /^(?:[ \t]*(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))+/.exec(line)?.[0] ?? '';
  const markers = prefix.match(/>|[-+*]|\d+[.)]/g)?.length ?? 0;
  const columns = /^[ \t]*/.exec(prefix)?.[0].replaceAll('\t', '    ').length ?? 0;
  return markers + Math.floor(columns / 2);
}
