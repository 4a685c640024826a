/** Maximum depth of containers (quotations, list items); deeper ones exhaust the stack of parsers and renderers. */
const maxDepth = 40;
/** Maximum length of a word; the search for addresses takes quadratic time in longer ones. */
const maxWord = 1500;
/** Maximum cost of a block, about microseconds on a fast machine, so that the page misses only a few frames. */
const maxCost = 40_000;

/** Cost of parsing and rendering by feature, measured with blocks of that feature alone. */
const costs = {
  character: 2,
  /** For each open container, because a line without markers may continue all of them. */
  line: 30,
  /** A cell of a table; each row counts as many as the longest one. */
  cell: 27,
  /** A possible delimiter of emphasis, code, a link or a formula. */
  mark: 10,
  /** For each pair of delimiters in one run of text, because each may match each. */
  pairOfMarks: 0.1,
  bracket: 40,
  footnote: 200,
  /** The possible start of an address or of HTML. */
  address: 40,
} as const;

/**
 * Tells whether a block of Markdown would take too long to parse or is nested too deeply, judged by its
 * characters in linear time. Such a block is shown as plain text.
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
    // Emphasis and links end at a blank line and at the start of a list item or heading.
    if (line.trim() === '' || /^ {0,3}(?:[-+*]|#{1,6})[ \t]+\S/.test(line)) marks = 0;
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

/** An open container has a marker in the line, or two columns of indentation. */
function depthOf(line: string): number {
  const prefix = /^(?:[ \t]*(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))+/.exec(line)?.[0] ?? '';
  const markers = prefix.match(/>|[-+*]|\d{1,9}[.)]/g)?.length ?? 0;
  const columns = /^[ \t]*/.exec(prefix)?.[0].replaceAll('\t', '    ').length ?? 0;
  return markers + Math.floor(columns / 2);
}
