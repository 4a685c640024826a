/** The content and speed of one answer; page and server share it through the path of the request. */
export type StreamScript = {
  readonly deltas: number;
  /** Characters of a delta; 0 for words of four to six. */
  readonly length: number;
  /** Deltas in one write to the connection. */
  readonly perWrite: number;
  /** Milliseconds between two writes; 0 for as fast as the connection takes them. */
  readonly delayMs: number;
};

export function scriptPath({ deltas, length, perWrite, delayMs }: StreamScript): string {
  return `${deltas}-${length}-${perWrite}-${delayMs}`;
}

/** @throws Error for a path that `scriptPath` did not make. */
export function parseScriptPath(path: string): StreamScript {
  const [deltas, length, perWrite, delayMs] = path.split('-').map(Number);
  if (deltas === undefined || length === undefined || perWrite === undefined || delayMs === undefined)
    throw new Error(`${path} is no path of a script.`);
  return { deltas, length, perWrite, delayMs };
}

export function deltaText({ length }: StreamScript, index: number): string {
  return length === 0 ? `w${index} ` : `w${index} `.padEnd(length, 'some words and ').slice(0, length);
}

/** Characters of the whole answer. */
export function answerLength(script: StreamScript): number {
  let total = 0;
  for (let index = 0; index < script.deltas; index++) total += deltaText(script, index).length;
  return total;
}

/** A message of the history. */
export function historyText(index: number): string {
  return `Message ${index} of the history, with a sentence or two in it.`;
}
