import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sqliteSessions } from './sqlite/sqlite-sessions.ts';

const mebibyte = 1024 * 1024;

/** A file system of so many bytes; null when this process may not mount one. */
function smallDisk(bytes: number): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-full-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
  onTestFinished(() => {
    if (status === 0) execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return status === 0 ? folder : null;
}

it(
  'every session can be deleted on a full disk, and makes room again',
  { timeout: 120_000 },
  async ({ skip }) => {
    const disk = smallDisk(48 * mebibyte);
    if (disk === null) return skip('this process may mount no file system');
    const store = sqliteSessions({ path: join(disk, 'sessions.db') });
    onTestFinished(store.close);
    const rows = store.rows('anna');
    const write = (id: string, length = 8): Promise<boolean> => {
      const put = new Map(Array.from({ length }, (_, at) => [`msg.${at}`, id.padEnd(mebibyte / 2)]));
      return rows.write(id, { expected: null, head: id, put, drop: 'rest' });
    };
    const kept: string[] = [];
    for (let number = 0; ; number++) {
      const error = await write(`s${number}`).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (error !== null) {
        expect(String(error)).toMatch(/full|no space/i);
        break;
      }
      kept.push(`s${number}`);
    }
    expect(kept.length).toBeGreaterThan(3);
    // Others fill the rest of the disk, to its last byte.
    const free = statfsSync(disk);
    try {
      writeFileSync(join(disk, 'others'), new Uint8Array(Number(free.bfree * free.bsize) + mebibyte));
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
    expect(statfsSync(disk).bfree).toBe(0);
    for (const id of kept) expect(await rows.remove(id)).toBe(true);
    expect((await rows.heads()).size).toBe(0);
    // A write briefly needs its space twice, in the log and in the file.
    expect(await write('again', 3)).toBe(true);
    expect((await rows.read('again'))?.rows.size).toBe(3);
  },
);
