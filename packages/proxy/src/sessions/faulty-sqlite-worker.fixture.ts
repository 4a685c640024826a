import { DatabaseSync, StatementSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';

// SQLite's thread with databases that fail on demand, by numbers that both threads share. Their indexes are in `shared`
// of sqlite-faults.fixture.ts, which cannot be loaded here.
const [writes, dies, room] = [0, 1, 2];
const { numbers } = workerData as { readonly numbers: Float64Array };
const { run } = StatementSync.prototype;
const { exec } = DatabaseSync.prototype;

function count(): void {
  const at = (numbers[writes] ?? 0) + 1;
  numbers[writes] = at;
  const last = numbers[dies] ?? 0;
  if (last > 0 && at >= last) throw new Error('the process has died');
}

StatementSync.prototype.run = function faulty(this: StatementSync, ...values: unknown[]) {
  count();
  if (!/^(?:DELETE|UPDATE)/.test(this.sourceSQL)) {
    const left = (numbers[room] ?? 0) - values.join('').length;
    numbers[room] = left;
    if (left < 0) throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
  }
  return Reflect.apply(run, this, values) as ReturnType<typeof run>;
};
DatabaseSync.prototype.exec = function faulty(this: DatabaseSync, sql) {
  if (sql === 'COMMIT') count();
  Reflect.apply(exec, this, [sql]);
};

await import('./sqlite/sqlite-worker.ts');
