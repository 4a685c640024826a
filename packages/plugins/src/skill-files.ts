import { readdir, readFile, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

const mostFiles = 500;
const mostBytes = 200_000;

/**
 * The files of a folder on a server, for `skillsPlugin`. Links are not followed, and files above 200 kB are left out.
 * @throws Error for a folder that cannot be read, or with more than 500 files
 * @example
 * skillsPlugin({ skills: await skillFiles('./skills') })
 */
export async function skillFiles(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  if (files.length > mostFiles)
    throw new Error(`The folder ${folder} has ${files.length} files; skillFiles reads at most ${mostFiles}.`);
  const texts: Record<string, string> = Object.create(null);
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    if ((await stat(path)).size > mostBytes) continue;
    texts[path.split(sep).join('/')] = await readFile(path, 'utf8');
  }
  return texts;
}
