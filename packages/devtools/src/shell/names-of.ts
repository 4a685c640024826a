import type { HubSource } from '@vitrine/core/inspect';

/** Number of characters of an id that usually identify it. */
const shortId = 8;

/** Unique display names of the sources in a list. */
export function namesOf(sources: readonly HubSource[]): readonly string[] {
  const short = sources.map(({ name, id }) => `${name} · ${id.slice(0, shortId)}`);
  const whole = short.map((name, index) =>
    isOnce(name, short) ? name : `${sources[index]?.name} · ${sources[index]?.id}`,
  );
  return whole.map((name, index) =>
    isOnce(name, whole)
      ? name
      : `${name} (${whole.slice(0, index + 1).filter((one) => one === name).length})`,
  );
}

function isOnce(name: string, names: readonly string[]): boolean {
  return names.indexOf(name) === names.lastIndexOf(name);
}
