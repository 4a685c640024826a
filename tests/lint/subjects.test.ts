import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { longSubjects } from '../../scripts/lint/subjects.ts';
import { folderOfTest } from '../folder-of-test.ts';

const fits = `core: ${'a'.repeat(66)}`;

function git(directory: string, ...args: readonly string[]): string {
  const identity = [
    '-c',
    'user.name=Test',
    '-c',
    'user.email=test@example.com',
    '-c',
    'commit.gpgsign=false',
  ];
  return execFileSync('git', [...identity, ...args], {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** A repository with one commit for each subject. */
function repository(...subjects: readonly string[]): { readonly folder: string; readonly commits: string[] } {
  const folder = folderOfTest('subjects');
  git(folder, 'init', '-b', 'main');
  const commits = subjects.map((subject) => {
    git(folder, 'commit', '--allow-empty', '-m', subject);
    return git(folder, 'rev-parse', 'HEAD');
  });
  return { folder, commits };
}

describe('the check of commit subjects', () => {
  it('a subject of 73 characters after the base commit is reported, one of 72 is not', () => {
    const { folder, commits } = repository(`${fits}-old`, 'base', fits, `${fits}!`);
    expect(longSubjects(folder, commits[1] ?? '')).toEqual([`${commits[3]?.slice(0, 7)} ${fits}!`]);
  });

  it('a shallow clone without the base commit passes', () => {
    const { folder, commits } = repository('base', `${fits}!`);
    const clone = folderOfTest('clone');
    git(clone, 'clone', '--depth', '1', `file://${folder}`, '.');
    expect(longSubjects(clone, commits[0] ?? '')).toEqual([]);
  });

  it('a clone that lacks the base commit checks the commits that its remote lacks', () => {
    const { folder, commits } = repository('base', `${fits}-old`);
    const clone = folderOfTest('clone');
    git(clone, 'clone', '--depth', '1', `file://${folder}`, '.');
    git(clone, 'commit', '--allow-empty', '-m', `${fits}!`);
    expect(longSubjects(clone, commits[0] ?? '')).toEqual([
      `${git(clone, 'rev-parse', '--short=7', 'HEAD')} ${fits}!`,
    ]);
  });

  it('a folder outside of any repository passes', () => {
    expect(longSubjects(folderOfTest('empty'), 'HEAD')).toEqual([]);
  });
});
