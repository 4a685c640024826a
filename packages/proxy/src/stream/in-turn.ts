/** Runs work of the same name one after the other, in order; other work runs concurrently. */
export type InTurn = <Value>(name: string | null, run: () => Promise<Value>) => Promise<Value>;

/** Creates turns without any waiting work. */
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
