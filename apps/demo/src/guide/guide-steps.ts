import { AgentState } from '@vitrine/react';

/** What a person has looked at since the step began. */
export type Seen = {
  readonly isCallOpen: boolean;
  readonly isPanelUsed: boolean;
  readonly isReplayed: boolean;
};

/** One thing to try. */
export type GuideStep = {
  readonly id: string;
  readonly text: string;
  /** What is asked by who lets it be shown; null where the person looks themselves. */
  readonly prompt: string | null;
  /** What it speaks of is in this session. */
  readonly isThere: (state: AgentState) => boolean;
  readonly isDone: (state: AgentState, seen: Seen) => boolean;
};

const always = (): boolean => true;
const hasCall = (state: AgentState): boolean =>
  AgentState.messages(state).some(({ parts }) => parts.some(({ type }) => type === 'tool-call'));
const hasRun = ({ execution }: AgentState): boolean => execution !== null;

/** The first minute, step by step, with the assistant. */
export const guideSteps: readonly GuideStep[] = [
  {
    id: 'ask',
    text: 'Ask for something: have it remember a note.',
    prompt: 'Remember that the demo is on Friday',
    isThere: always,
    isDone: hasCall,
  },
  {
    id: 'tool',
    text: 'It used a tool. Open its line in the answer to see what went in and what came out.',
    prompt: null,
    isThere: hasCall,
    isDone: (_state, { isCallOpen }) => isCallOpen,
  },
  {
    id: 'approve',
    text: 'Some tools ask first. Have your notes saved, press Edit, change the name of the file, and approve.',
    prompt: 'Download my notes',
    isThere: always,
    isDone: (state) =>
      AgentState.steps(state)
        .flatMap(({ toolExecutions }) => toolExecutions)
        .some(({ approval }) => approval?.isEdited === true && approval.decision === 'approved'),
  },
  {
    id: 'stop',
    text: 'Ask for something long, and stop it in the middle: the round button, or Escape in the message box.',
    prompt: 'Write a long answer',
    isThere: always,
    isDone: (state) => AgentState.stopReason(state) === 'user-requested',
  },
  {
    id: 'verdict',
    text: 'Why did it end? The panel says so in one sentence at its top, and Why below it tells the rest. Its button is at the top right.',
    prompt: null,
    isThere: hasRun,
    isDone: (_state, { isPanelUsed }) => isPanelUsed,
  },
  {
    id: 'replay',
    text: 'Go through it again without a model: press Trace in the panel, and there Replay. It says whether it ended the same.',
    prompt: null,
    isThere: hasRun,
    isDone: (_state, { isReplayed }) => isReplayed,
  },
];
