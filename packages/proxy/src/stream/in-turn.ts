/** Runs what has the same name one after the other, in the order in which it came; what has none, or another, beside it. */
export type InTurn = <Value>(name: string | null, run: () => Promise<Value>) => Promise<Value>;

/** Nobody waits yet. */
export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return (name, run) => {
    if (name === null) return run();
    const before = last.get(name) ?? Promise.resolve();
    const turn = before.then(run, run);
    last.set(name, turn);
    const leave = (): void => {
      if (last.get(name) === turn) last.delete(name);
    };
    turn.then(leave, leave);
    return turn;
  };
}
