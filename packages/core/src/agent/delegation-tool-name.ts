/** The tool through which an agent hands work to its subagents. */
export const delegationToolName = 'delegate';
