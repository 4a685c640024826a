import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../root.ts';

const path = join(root, 'node_modules', '.cache', 'vitrine-mutate', 'kills.json');

type Kill = { readonly killedBy: string; readonly testHash: string };

/** A cache of the faults that tests have noticed, so that an interrupted run can continue. */
export type KnownKills = {
  /**
   * The test that noticed the fault. Null when none did, or when that test has changed since: survivors are always
   * tried again.
   */
  readonly find: (faulty: string) => string | null;
  /**
   * Writes a result at once, with the test as it is in the copy. A fault without a named test, such as a hang, is tried
   * again.
   */
  readonly keep: (faulty: string, killedBy: string, copy: string) => void;
};

export function readKnownKills(): KnownKills {
  const kills = new Map(
    existsSync(path) ? Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, Kill>) : [],
  );
  return {
    find(faulty) {
      const kill = kills.get(hash(faulty));
      return kill !== undefined && kill.testHash === testHash(root, kill.killedBy) ? kill.killedBy : null;
    },
    keep(faulty, killedBy, copy) {
      const ofTest = testHash(copy, killedBy);
      if (ofTest === null) return;
      kills.set(hash(faulty), { killedBy, testHash: ofTest });
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.new`, JSON.stringify(Object.fromEntries(kills), null, 1));
      renameSync(`${path}.new`, path);
    },
  };
}

/** The hash of the test before the first colon; null for an unknown name. */
function testHash(folder: string, killedBy: string): string | null {
  const file = join(folder, killedBy.split(':')[0] ?? '');
  return file.endsWith('.test.ts') && existsSync(file) ? hash(readFileSync(file, 'utf8')) : null;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
