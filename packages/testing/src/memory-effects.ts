import { effectLog, type EffectLog, type EffectRecords } from '@vitrine/core/internal/run/effect-log';

/** Creates an effect log that keeps its records in memory, for tests: the reference for other logs. */
export function memoryEffects(): EffectLog {
  return effectLog(memoryEffectRecords());
}

/** Creates a storage of effect records in memory. */
export function memoryEffectRecords(): EffectRecords {
  const executions = new Map<string, Map<string, string | null>>();
  function recordsOf(executionId: string): Map<string, string | null> {
    const known = executions.get(executionId) ?? new Map<string, string | null>();
    executions.set(executionId, known);
    return known;
  }
  return {
    read: (executionId, key) => Promise.resolve(executions.get(executionId)?.get(key) ?? null),
    begin(executionId, key) {
      const records = recordsOf(executionId);
      const isFirst = !records.has(key);
      if (isFirst) records.set(key, null);
      return Promise.resolve(isFirst);
    },
    end(executionId, key, outcome) {
      const records = recordsOf(executionId);
      if (typeof records.get(key) !== 'string') records.set(key, outcome);
      return Promise.resolve();
    },
    forget(executionId) {
      executions.delete(executionId);
      return Promise.resolve();
    },
  };
}
