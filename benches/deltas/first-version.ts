// A text delta as the first version handled it, before there was a journal: new objects for the answer, the current
// step and the state, and an event with that state for one listener. It is the yardstick for `commit`.

type Part = { readonly type: 'text'; readonly text: string };
type Answer = {
  readonly message: {
    readonly id: string;
    readonly role: 'assistant';
    readonly parts: readonly Part[];
    readonly metadata: object;
    readonly createdAt: number;
  };
  readonly id: string | null;
  readonly model: string | null;
  readonly finish: null;
};

function withText(answer: Answer, delta: string): Answer {
  const { message } = answer;
  const last = message.parts.at(-1);
  const part: Part =
    last?.type === 'text' ? { ...last, text: last.text + delta } : { type: 'text', text: delta };
  return { ...answer, message: { ...message, parts: [...message.parts.slice(0, -1), part] } };
}

function changed<State extends { readonly updatedAt: number }>(state: State, fields: Partial<State>): State {
  const keys = Object.keys(fields) as (keyof State)[];
  if (keys.every((key) => Object.is(state[key], fields[key]))) return state;
  return { ...state, ...fields, updatedAt: Math.max(Date.now(), state.updatedAt) };
}

function begunState(message: Answer['message']) {
  const step = {
    id: 'step',
    inputMessages: [],
    outputMessages: [message],
    inferenceResponse: null,
    toolExecutions: [],
    errors: [],
  };
  return {
    agentId: 'agent',
    parentAgentId: null,
    createdAt: 0,
    updatedAt: 0,
    executionCount: 1,
    llmConfig: null,
    context: {},
    plugins: {},
    execution: {
      executionId: 'execution',
      status: 'in-progress',
      startedAt: 0,
      completedAt: null,
      stepExecutions: [],
      continuation: {},
      currentStepStartedAt: 0,
      currentStep: step,
      errors: [],
    },
  };
}

/** Streams so many deltas and reports each. */
export function streamAsFirstVersion(deltas: number, hear: (event: object) => void): void {
  let answer: Answer = {
    message: { id: 'answer', role: 'assistant', parts: [], metadata: {}, createdAt: 0 },
    id: null,
    model: null,
    finish: null,
  };
  let state = begunState(answer.message);
  for (let chunkIndex = 0; chunkIndex < deltas; chunkIndex++) {
    answer = withText(answer, 'word ');
    const { execution } = state;
    const currentStep = { ...execution.currentStep, outputMessages: [answer.message] };
    state = changed(state, { execution: { ...execution, currentStep } });
    const { agentId, parentAgentId } = state;
    const told = { type: 'text-delta', delta: 'word ', chunkIndex };
    const place = { agentId, parentAgentId, executionId: execution.executionId };
    hear({ ...told, ...place, stepNumber: execution.stepExecutions.length + 1, at: Date.now(), state });
  }
}
