import type { JsonObject, JsonValue } from '@vitrine/core';
import { isObject, outputOf, type Result } from './turns.ts';

/** Describes the results of tools in words. */
export function describeResults(results: readonly Result[]): string {
  const texts = results.map(describeResult);
  if (texts.length === 1) return texts[0] ?? '';
  const isShort = texts.every((text) => !text.includes('\n'));
  return isShort ? texts.map((text) => `- ${text}`).join('\n') : texts.join('\n\n');
}

function describeResult(result: Result): string {
  const { toolName, outcome } = result;
  const output = outputOf(result);
  const text = textOf(output);
  if (outcome === 'rejected') return `You did not want \`${toolName}\` to run, so it did not.`;
  if (outcome !== 'completed') return `\`${toolName}\` did not work: ${text}`;
  if (toolName === 'calculator') return `The result is **${text}**.`;
  if (toolName === 'add_note') return `Noted. ${text}`;
  if (toolName === 'download_notes') return text;
  if (toolName === 'list_notes')
    return text === '' || text === '[]' ? 'You have no notes yet.' : `Your notes: ${text}`;
  if (toolName === 'current_time') return `It is ${text}.`;
  if (isObject(output) && Array.isArray(output['points'])) return describePoints(output['points']);
  if (isObject(output) && Array.isArray(output['columns'])) return describeColumns(output);
  if (isObject(output) && Array.isArray(output['passages'])) return describePassages(output['passages']);
  if (isObject(output) && typeof output['title'] === 'string')
    return `\`${toolName}\` is done: “${output['title']}”.`;
  return `\`${toolName}\` answered: ${text}`;
}

function textOf(output: JsonValue): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function describePoints(points: readonly JsonValue[]): string {
  const known = points.filter(isObject).filter(({ value }) => typeof value === 'number');
  const sorted = known.toSorted((a, b) => Number(b['value']) - Number(a['value']));
  const [most, least] = [sorted[0], sorted.at(-1)];
  if (most === undefined || least === undefined) return 'There is nothing to draw in that.';
  const show = (point: typeof most): string =>
    `**${textOf(point['label'] ?? '')}** (${Number(point['value']).toLocaleString('en')})`;
  const values = `${known.length} ${known.length === 1 ? 'value' : 'values'}`;
  return most === least
    ? `Here is the chart: ${show(most)}.`
    : `Here is the chart. Of ${values}, ${show(most)} is the highest and ${show(least)} the lowest.`;
}

function describeColumns({ file, rows, columns }: JsonObject): string {
  const names = (columns as readonly JsonValue[])
    .filter(isObject)
    .map(({ name, type }) => `**${textOf(name ?? '')}** (${textOf(type ?? '')})`);
  return `\`${textOf(file ?? '')}\` has ${textOf(rows ?? 0)} rows with ${names.join(', ')}. Say what to draw, e.g. a value by another one.`;
}

function describePassages(passages: readonly JsonValue[]): string {
  if (passages.length === 0) return 'Nothing was found on that.';
  return passages
    .filter(isObject)
    .map(({ page, text }) => `- **${textOf(page ?? '')}**: ${textOf(text ?? '')}`)
    .join('\n');
}
