import { Session } from 'node:inspector/promises';

/** Counts the calls of this repository's functions that acts make, until it is closed. */
export type CallCounter = {
  readonly of: (act: () => Promise<unknown>) => Promise<number>;
  readonly close: () => void;
};

export async function countFunctionCalls(): Promise<CallCounter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  /** Taking the counts begins them anew. */
  const take = async (): Promise<number> => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const functions = result.flatMap((script) =>
      /\/(packages|bridges)\//.test(script.url) ? script.functions : [],
    );
    return functions.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
  };
  return {
    async of(act) {
      await take();
      await act();
      return take();
    },
    close: () => session.disconnect(),
  };
}
