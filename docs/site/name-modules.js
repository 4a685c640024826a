import { readFileSync } from 'node:fs';
import { Converter } from 'typedoc';

/** A plugin of typedoc that calls modules as applications import them. */
export function load({ converter }) {
  const names = JSON.parse(readFileSync(new URL('modules.json', import.meta.url), 'utf8'));
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) module.name = names[module.name] ?? module.name;
  });
}
