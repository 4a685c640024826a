/** What the model sends to `delegate`: the name of a subagent, and what it is to do. */
export type DelegationInput = { readonly agent: string; readonly task: string };
