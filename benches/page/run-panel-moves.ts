import { frame, inPanel, mountPanel, openPage, panelRoot, sessionOf, until } from './panel-page.ts';
import { pause } from './probe.ts';

/** The time from a user's action to the end of the frame that shows its result, on the clock of the page. */
export type Span = { readonly from: number; readonly to: number };

export type MovesParams = {
  /**
   * `steps` selects steps and scrubs through a run of 1,000 steps and 10 MB; `search` types a word into its search;
   * `diagnosis` opens the panel on it; `tree` opens 100,000 rows of a tree.
   */
  readonly what: 'steps' | 'search' | 'diagnosis' | 'tree';
};

export type MovesResult = {
  readonly selects: readonly Span[];
  readonly scrubs: readonly Span[];
  readonly opens: readonly Span[];
  /** From the first letter to the results of the whole word. */
  readonly searches: readonly Span[];
  /** From the click that opens the panel to the verdict with all findings. */
  readonly diagnoses: readonly Span[];
  /** The most elements of the panel and the most rows of a tree. */
  readonly elements: number;
  readonly rows: number;
};

const moves = { selects: 40, scrubs: 200, opens: 30 };
const rowCount = 100_000;
const rowsOfPage = 100;
const rowHeight = 22;

/** A page with the panel open on a large record. */
export async function runPanelMoves(
  _adapter: string,
  { what }: MovesParams,
): Promise<() => Promise<MovesResult>> {
  const many = Object.fromEntries(Array.from({ length: rowCount }, (_, index) => [`name ${index}`, index]));
  const session = sessionOf(
    what === 'tree'
      ? { steps: 1, resultLength: 1, metadata: { many } }
      : { steps: 1000, resultLength: 10_000 },
  );
  await mountPanel(what !== 'diagnosis', 'run');
  await session.sendMessage('Take the steps');
  if (what === 'diagnosis') return diagnose;
  (await until('.lane')).click();
  await openPage(what === 'tree' ? 'State' : 'Sent');
  if (what === 'tree') await showRows();
  return { steps: moveAbout, search, tree: openRows }[what];
}

const most = { elements: 0, rows: 0 };
const none = { selects: [], scrubs: [], opens: [], searches: [], diagnoses: [] };

async function moveAbout(): Promise<MovesResult> {
  const tree = await until('[role="tree"][aria-label="Steps"]');
  const selects: Span[] = [];
  for (let at = 0; at < moves.selects; at++) {
    tree.scrollTop = ((at * 37) % moves.selects) * (tree.scrollHeight / moves.selects);
    await frame();
    await frame();
    const rows = tree.querySelectorAll<HTMLElement>('[role="treeitem"]');
    const row = rows[rows.length >> 1];
    selects.push(await spanOf(() => row?.click()));
  }
  const buttons = [...(panelRoot()?.querySelectorAll<HTMLElement>('.moment button') ?? [])];
  buttons[0]?.click();
  const slider = (await until('[aria-label="Moment"]')) as HTMLInputElement;
  const [first, last] = [Number(slider.min), Number(slider.max)];
  const scrubs: Span[] = [];
  for (let at = 1; at <= moves.scrubs; at++)
    scrubs.push(
      await spanOf(() => enter(slider, String(last - Math.round(((last - first) * at) / moves.scrubs)))),
    );
  return { ...none, selects, scrubs, ...most };
}

/** Shows all rows, page by page; the tree remembers what was opened. */
async function showRows(): Promise<void> {
  const tree = await until('.tree');
  for (const name of ['metadata', 'many', '…']) {
    tree.scrollTop = name === '…' ? rowsOfPage * rowHeight : 0;
    await frame();
    await frame();
    rowNamed(name).click();
    await frame();
  }
  for (let page = 2; page < rowCount / rowsOfPage; page++)
    tree.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  await frame();
  await frame();
  if (tree.scrollHeight < rowCount * rowHeight) throw new Error('Not all rows are shown.');
  tree.scrollTop = 0;
  await frame();
  await frame();
}

async function openRows(): Promise<MovesResult> {
  const opens: Span[] = [];
  for (let time = 0; time < moves.opens; time++) {
    await spanOf(() => rowNamed('many').click());
    opens.push(await spanOf(() => rowNamed('many').click()));
  }
  if (!inPanel('[role="treeitem"][id$="name 0"]')) throw new Error('The rows were not opened.');
  return { ...none, opens, ...most };
}

function rowNamed(name: string): HTMLElement {
  const rows = [...(panelRoot()?.querySelectorAll<HTMLElement>('.tree [role="treeitem"]') ?? [])];
  const row = rows.find(({ id }) => id.endsWith(`.${name}`));
  if (row === undefined) throw new Error(`The tree has no row ${name}.`);
  return row;
}

/** Types a word that no step holds, so that the search reads everything. */
async function search(): Promise<MovesResult> {
  const field = (await until('[type="search"]')) as HTMLInputElement;
  const word = 'nowhere';
  const from = performance.now();
  for (let length = 1; length <= word.length; length++) {
    enter(field, word.slice(0, length));
    await pause(40);
  }
  while (!panelRoot()?.textContent?.includes('Nothing matches.')) await pause(20);
  const searches = [{ from, to: performance.now() }];
  return { ...none, searches, ...most };
}

/** Opens the panel, and waits until its verdict has all findings. */
async function diagnose(): Promise<MovesResult> {
  const button = await until('.launcher');
  const from = performance.now();
  button.click();
  await until('.lane');
  await frame();
  const opens = [{ from, to: performance.now() }];
  await until('.verdict[aria-busy="false"]');
  await frame();
  return { ...none, opens, diagnoses: [{ from, to: performance.now() }], ...most };
}

/** Puts a value into a field as a person would. */
function enter(field: HTMLInputElement, value: string): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** Waits until the result of an action is painted. */
async function spanOf(act: () => void): Promise<Span> {
  const from = performance.now();
  act();
  await frame();
  const { port1, port2 } = new MessageChannel();
  await new Promise((resolve) => {
    port1.onmessage = resolve;
    port2.postMessage(null);
  });
  port1.close();
  const to = performance.now();
  most.elements = Math.max(most.elements, panelRoot()?.querySelectorAll('*').length ?? 0);
  most.rows = Math.max(most.rows, panelRoot()?.querySelectorAll('.tree [role="treeitem"]').length ?? 0);
  return { from, to };
}
