import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { diffJson } from '../diff.ts';
import { defineDetector } from './detector.ts';
import { listNames, quoteName } from './wording.ts';

type Change = { readonly kind: 'lost' | 'added' | 'changed' | 'same'; readonly path: string };

/** Most fields that a sentence names. */
const most = 4;

/** Arguments that the schema of a tool changed before the tool ran. */
export const argumentsChanged = defineDetector({
  code: 'arguments-changed',
  area: 'tools',
  severity: 'warning',
  finds:
    'Arguments that the schema of a tool dropped or changed. Defaults, and values of equal meaning such as "3" and 3, are a note.',
  reads: { 'tool-start': ['input'] },
  watch:
    () =>
    ({ event, call }) => {
      const { input: got } = event;
      if (got === undefined || call === null) return null;
      const { name, input: given } = call.toolCall;
      const changes = changesOf(given, got);
      if (changes.length === 0) return null;
      const lost = pathsOf(changes, 'lost');
      const changed = pathsOf(changes, 'changed');
      const added = pathsOf(changes, 'added');
      const what = [
        lost === '' ? '' : `dropped ${lost}`,
        changed === '' ? '' : `changed ${changed}`,
        added === '' ? '' : `added ${added}`,
      ].filter((part) => part !== '');
      const isMild = lost === '' && changed === '';
      return {
        severity: isMild ? 'note' : 'warning',
        sentence: `The schema of tool ${quoteName(name)} ${what.length === 0 ? 'changed the form of its arguments' : listNames(what)}: the tool did not get what the model gave.`,
        remedy: isMild
          ? 'Nothing, if the default is meant. The model does not see it.'
          : 'Make the schema strict, so that the model is told of its mistake, or describe the parameter better.',
        evidence: { before: given, after: got, who: `schema of ${name}` },
      };
    },
});

function pathsOf(changes: readonly Change[], kind: Change['kind']): string {
  const paths = changes.filter((change) => change.kind === kind).map(({ path }) => quoteName(path));
  return listNames(paths.length > most ? [...paths.slice(0, most), `${paths.length - most} more`] : paths);
}

function changesOf(given: JsonValue, got: JsonValue): readonly Change[] {
  return diffJson(given, got).map(({ path: keys, kind, before, after }): Change => {
    const path = keys.length === 0 ? 'all' : keys.join('.');
    if (kind === 'removed') return { kind: 'lost', path };
    if (kind === 'added') return { kind, path };
    const [from, to] = [before as JsonValue, after as JsonValue];
    return { kind: kind === 'changed' && meansSame(from, to) ? 'same' : 'changed', path };
  });
}

/** True for a number and its text, and for two texts of one date. */
function meansSame(given: JsonValue, got: JsonValue): boolean {
  if (typeof given === 'object' || typeof got === 'object') return false;
  if (String(given) === String(got)) return true;
  if (typeof given === 'string' && typeof got === 'number')
    return given.trim() !== '' && Number(given) === got;
  if (typeof given === 'number' && typeof got === 'string')
    return new Date(given).getTime() === Date.parse(got);
  return typeof given === 'string' && typeof got === 'string' && Date.parse(given) === Date.parse(got);
}
