const points = {
  model: 'its model call',
  tool: 'a tool call',
  answer: 'what follows its answer',
  end: 'its end',
} as const;

/** The English texts of the debugger: breakpoints, edits and forks. */
export const debugTexts = {
  debug: {
    /** The region of the debugger. */
    label: 'Debugger',
    /** The place where an agent waits. `tool` is null at no call, `agent` is null for the root. */
    waits: (point: keyof typeof points, step: number, tool: string | null, agent: string | null): string =>
      `Paused${agent === null ? '' : ` in ${agent}`} in step ${step}, before ${
        tool === null ? points[point] : `the call of ${tool}`
      }`,
    stepOver: 'Step over',
    release: 'Release',
    edit: 'Edit and release',
    pause: 'Pause',
    /** The reason of a refused release; `message` comes from the session. */
    refused: (message: string): string => `It was not released: ${message}`,
    breakpoints: (count: number): string => `Breakpoints (${count})`,
    remove: (name: string): string => `Remove the breakpoint ${name}`,
    /** The menu that sets breakpoints. */
    set: 'Break',
    setLabel: 'Break: set a breakpoint',
    next: 'before the next call',
    model: 'before each model call',
    tool: (name: string): string => `before ${name}`,
    toolAfter: (name: string): string => `after ${name}`,
    stepTypes: {
      error: 'after a step with an error',
      'tool-execution': 'after an answer with tool calls',
      'final-response': 'after a final answer',
    },
    budget: (limit: string, left: string): string => `with ${left} ${limit} left`,
    finding: (code: string | null): string =>
      `after ${code === null ? 'any finding' : `the finding ${code}`}`,
    /** A condition of a newer version. */
    other: (type: string): string => type,
  },
  edits: {
    what: 'Edit',
    value: 'New value',
    arguments: (tool: string): string => `arguments of ${tool}`,
    result: (tool: string): string => `result of ${tool}`,
    /** A result that is given before the tool runs. */
    resultInstead: (tool: string): string => `result in place of ${tool}`,
    systemPrompt: 'system prompt',
    userMessage: 'message of the user',
    answer: 'answer of the model',
    model: 'model',
    nothing: 'nothing',
    notJson: 'This is no JSON.',
    /** The issues of the schema of a tool. */
    unfit: (tool: string, issues: readonly string[]): string =>
      `${tool} does not take this: ${issues.join('; ')}`,
    cancel: 'Cancel',
  },
  forks: {
    none: 'The events of this run were not recorded from its beginning, so it cannot be forked.',
    noAgent: 'The agent is not on this page, so it cannot be run on.',
    intro:
      'Runs this run on from here, with a change. What lies before comes from the record; tools that follow run again.',
    add: 'Add a fork',
    remove: 'Remove',
    capTokens: 'Tokens for all forks',
    capCost: 'Cost for all forks',
    run: (count: number): string => `Run ${count < 2 ? 'the fork' : `${count} forks`}`,
    stop: 'Stop all',
    table: 'Forks side by side',
    recorded: 'as recorded',
    change: 'Change',
    status: 'Status',
    steps: 'Steps',
    tokens: 'Tokens',
    cost: 'Cost',
    time: 'Time',
    answer: 'Answer',
    difference: 'First difference',
    same: 'none',
    /** The first step that differs. */
    differs: (step: number, was: string, is: string): string => `step ${step}: ${was} → ${is}`,
    ended: 'nothing',
    spent: (tokens: string, cost: string): string => `All forks together: ${tokens} tokens, ${cost}`,
    failed: (message: string): string => `The forks were not begun: ${message}`,
  },
};
