/** The arguments of `delegate`: the name of a subagent, and its task. */
export type DelegationInput = { readonly agent: string; readonly task: string };
