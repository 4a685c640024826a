/** The name of the tool through which an agent delegates to its subagents. */
export const delegationToolName = 'delegate';
