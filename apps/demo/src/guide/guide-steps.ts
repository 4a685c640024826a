import { AgentState } from '@vitrine/react';

/** The person's actions since the step began. */
export type Seen = {
  readonly isCallOpen: boolean;
  readonly isPanelUsed: boolean;
  readonly isReplayed: boolean;
};

/** One step of the guide. */
export type GuideStep = {
  readonly id: string;
  readonly text: string;
  /** The prompt of the Show me button; null when there is none. */
  readonly prompt: string | null;
  /** Tells whether the session contains what the step is about. */
  readonly isThere: (state: AgentState) => boolean;
  readonly isDone: (state: AgentState, seen: Seen) => boolean;
};

const always = (): boolean => true;
const hasCall = (state: AgentState): boolean =>
  AgentState.messages(state).some(({ parts }) => parts.some(({ type }) => type === 'tool-call'));
const hasRun = ({ execution }: AgentState): boolean => execution !== null;

/** The steps of the guide, for the assistant. */
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
    text: 'Why did the answer end? Open the panel with the button at the top right: it says so in one sentence. Its Why page has the details.',
    prompt: null,
    isThere: hasRun,
    isDone: (_state, { isPanelUsed }) => isPanelUsed,
  },
  {
    id: 'replay',
    text: 'Replay the run without a model: open Trace in the panel and press Replay. It says whether the result is the same.',
    prompt: null,
    isThere: hasRun,
    isDone: (_state, { isReplayed }) => isReplayed,
  },
];
