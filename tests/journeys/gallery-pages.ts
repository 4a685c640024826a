import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultyAgent, GalleryAgent } from '../../apps/demo/src/faults/faulty-agent.ts';
import type { HiddenFault } from '../../apps/demo/src/faults/hidden-fault.ts';

/** The panel's words about a faulty run, and the place to which they lead. */
export type Told = {
  readonly verdict: string;
  /** False for a run with hints only. */
  readonly isFault: boolean;
  readonly isGreen: boolean;
  readonly sentence: string;
  readonly remedy: string;
  readonly code: string;
  /** The step and the page of the inspector, e.g. `the page Received of step 1`. */
  readonly place: string;
  readonly clicks: number;
};

/** The panel's words about a run that looks healthy, and the answer of its experiment. */
export type Explained = {
  readonly verdict: string;
  readonly isGreen: boolean;
  /** Findings of any severity. */
  readonly findings: number;
  /** The meaning of the person's line, as the panel words it and as JSON. */
  readonly meaning: string;
  readonly expectation: string;
  /** The changes that were tried, in their order. */
  readonly tried: readonly string[];
  readonly sentence: string;
  /** Model calls of the experiment, and the most that the panel allowed. */
  readonly calls: number;
  readonly cap: number;
};

/** The waits before retries are real times, with a part that is random. */
const withoutTimes = (text: string): string =>
  text.replaceAll(/\d+ ms/g, '60 ms').replaceAll(/\d+\.\d s\b/g, '2.4 s');
const quote = (text: string): string =>
  withoutTimes(text)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');

function beginningOf({ id, title, question, askedBefore = [] }: GalleryAgent): string {
  const questions = [...askedBefore, question].map((text) => `“${text}”`);
  return `# ${title}

A person asks ${questions.join(', then ')} and complains: ${title[0]?.toLowerCase()}${title.slice(1)}.

See it: start the demo with \`npm run demo\`, and open it with \`?fault=${id}\`.

## What the panel says
`;
}

/** The page of a fault that a finding names. */
export function findingPage(fault: FaultyAgent, words: Told): string {
  return `${beginningOf(fault)}
${words.isFault ? `Under the verdict “${words.verdict}” stands the fault:` : `Under the verdict “${words.verdict}” stands a count of hints. One of them is:`}

${quote(words.sentence)}

One click on it opens ${words.place}, with the evidence and the remedy:

${quote(words.remedy)}

## The cause

${fault.cause}

The finding has the code \`${words.code}\`. [Findings](../guide/findings.md) says how to ask for it in a test.
`;
}

/** The page of a fault that an experiment names. */
export function experimentPage(fault: HiddenFault, words: Explained): string {
  const { cause, mend, line, triedModel } = fault;
  const others = words.tried.filter((name) => name !== fault.change).map((name) => `- with ${name}`);
  const own =
    triedModel === undefined
      ? ''
      : ` Under _Change something yourself_ the person adds the model \`${triedModel}\`, because the panel does not know which others there are.`;
  return `${beginningOf(fault)}
Under the verdict “${words.verdict}” stands no fault and no hint: the record looks healthy. In the tab _Cause_ the person writes what the agent should do:

${quote(line)}

The panel takes that for: ${words.meaning}. _Find out why_ proposes the changes to try.${own} _Run the experiment_ runs the agent again with one change at a time. After ${words.calls} model calls, of ${words.cap} at most, the panel says:

${quote(words.sentence)}

These changes did not help:

${others.join('\n')}

## The cause

${cause}

${mend}

No finding names it. [Find out why](../guide/find-out-why.md) says how to run the experiment from a test or the command line.
`;
}

/** The list of all pages. Those of recorded agents are written elsewhere, so their titles are read. */
export function galleryList(
  faults: readonly FaultyAgent[],
  hidden: readonly HiddenFault[],
  folder: string,
): string {
  const linesOf = (agents: readonly GalleryAgent[]): string =>
    agents.map(({ id, title }) => `- [${title}](${id}.md)`).join('\n');
  const recorded = readdirSync(folder)
    .filter((name) => name.startsWith('recorded-'))
    .sort()
    .map((name) => `- [${titleIn(readFileSync(join(folder, name), 'utf8'))}](${name})`);
  return `# Gallery of faults

Thirty agents with one fault each. A person who sees only the chat complains; the panel says why.

They run in the demo, without a model: \`npm run demo\`, then “Break something” below the examples. The code of the agents is in \`apps/demo/src/faults/\`. Each page quotes what the panel showed in Chromium.

## Faults that a finding names

${linesOf(faults)}

## Faults that only an experiment finds

These runs look healthy, and no finding says otherwise. The person writes what the agent should do, and the panel runs it again with one thing changed at a time, until it is so.

${linesOf(hidden)}

## Recorded agents

These pages are about no fault: they show agents of other libraries that the panel records without a change to them.

${recorded.join('\n')}
`;
}

function titleIn(page: string): string {
  return /^# (.+)$/m.exec(page)?.[1] ?? '';
}
