'use client';

import type { JsonValue } from '@vitrine/react';

/** The part of a surface of A2UI that is read. */
export type Surface = {
  readonly id: string;
  readonly catalog: { readonly components: ReadonlyMap<string, unknown> };
  readonly componentsModel: {
    get: (id: string) => { readonly properties: Readonly<Record<string, unknown>> } | undefined;
  };
  readonly dataModel: { get: (path: string) => unknown };
};

/** The part of `MessageProcessor` of `@a2ui/web_core/v0_9` that is used. */
export type Processor<S extends Surface> = {
  readonly model: { readonly surfacesMap: ReadonlyMap<string, S> };
  processMessages: (messages: never[]) => void;
  getClientDataModel: () => { readonly surfaces: Readonly<Record<string, unknown>> } | undefined;
  getClientCapabilities: (options: { readonly includeInlineCatalogs: true }) => object;
};

/** The surfaces of a list of messages, or the reason why there are none. */
export type Shown<S> = { readonly surfaces: readonly S[]; readonly problem: string | null };

/**
 * The most messages and components of a call, and the most parts that one surface draws, and draws in each other: React
 * goes through a page by recursion, and breaks it down where the stack ends.
 */
export const most = { units: 1000, parts: 2000, depth: 100 };

const kinds = ['createSurface', 'updateComponents', 'updateDataModel', 'deleteSurface'];

/** Creates the surfaces of one call, which grow with its messages. */
export function createSurfaces<S extends Surface>(create: () => Processor<S>) {
  let processor = create();
  let applied: string[] = [];
  let shown: Shown<S> = { surfaces: [], problem: null };
  let fault: string | null = null;

  function apply(messages: unknown, isWhole: boolean): readonly S[] {
    const units = unitsOf(messages, isWhole);
    // The whole arguments may be others than their beginning told: repaired, or edited by a person.
    const isOther = fault !== null || applied.some((text, at) => text !== JSON.stringify(units[at]));
    if (isWhole && isOther) {
      processor = create();
      applied = [];
      fault = null;
    }
    if (fault !== null) throw new Error(fault);
    for (const unit of units.slice(applied.length)) {
      assertKnown(processor, unit);
      // A copy, because fields of a surface write into its data.
      processor.processMessages([structuredClone(unit)] as never[]);
      applied.push(JSON.stringify(unit));
    }
    const surfaces = Array.from(processor.model.surfacesMap.values());
    const drawn = surfaces.filter((surface) => surface.componentsModel.get('root') !== undefined);
    const empty = surfaces.find((surface) => !drawn.includes(surface));
    if (isWhole && empty)
      throw new Error(`The surface ${quote(empty.id)} has no component with the id "root".`);
    for (const surface of drawn) assertBounded(surface);
    return drawn;
  }

  return {
    shown: () => shown,
    /** The data of a surface that asks for them with each action; undefined for none. */
    dataOf(surfaceId: string): unknown {
      const { surfaces = {} } = processor.getClientDataModel() ?? {};
      return Object.hasOwn(surfaces, surfaceId) ? surfaces[surfaceId] : undefined;
    },
    /**
     * Takes the messages so far; the list continues the one before it. The last one may break off unless it `isWhole`.
     * A fault is told when the list is whole, and nothing of it is shown then.
     */
    take(messages: unknown, isWhole: boolean): Shown<S> {
      try {
        shown = { surfaces: apply(messages, isWhole), problem: null };
      } catch (thrown) {
        fault = thrown instanceof Error ? thrown.message : String(thrown);
        if (isWhole) shown = { surfaces: [], problem: fault };
      }
      return shown;
    },
  };
}

type Unit = { readonly [Kind in string]?: Readonly<Record<string, JsonValue>> };

/** The messages in pieces that show as soon as they are whole: those with components, one for each component. */
function unitsOf(messages: unknown, isWhole: boolean): readonly Unit[] {
  if (!Array.isArray(messages)) throw new Error('There is no list of messages.');
  const units = messages.flatMap((message: unknown, at) =>
    isWhole || at < messages.length - 1 ? unitsIn(message, at) : begunUnits(message, at),
  );
  if (units.length <= most.units) return units;
  throw new Error(`There are more than ${most.units} messages and components.`);
}

function unitsIn(message: unknown, at: number): readonly Unit[] {
  const named = kinds.filter((kind) => Object.hasOwn(Object(message), kind));
  const kind = named[0] ?? '';
  if (named.length !== 1) throw new Error(`Message ${at + 1} must be one of ${kinds.join(', ')}.`);
  const unit = message as Unit;
  const { surfaceId, components } = unit[kind] ?? {};
  if (typeof surfaceId !== 'string') throw new Error(`Message ${at + 1}: its ${kind} names no surfaceId.`);
  if (kind !== 'updateComponents') return [unit];
  if (!Array.isArray(components)) throw new Error(`Message ${at + 1} has no list of components.`);
  return components.map((component) => ({ updateComponents: { surfaceId, components: [component] } }));
}

/** The components of a message that breaks off, without the last one. Keys before the last are whole. */
function begunUnits(message: unknown, at: number): readonly Unit[] {
  const update = (message as Unit | null)?.['updateComponents'] ?? {};
  const { surfaceId, components } = update;
  const isInside =
    Object.keys(message ?? {}).at(-1) === 'updateComponents' && Object.keys(update).at(-1) === 'components';
  if (!isInside || typeof surfaceId !== 'string' || !Array.isArray(components)) return [];
  return unitsIn({ updateComponents: { surfaceId, components: components.slice(0, -1) } }, at);
}

function assertKnown(processor: Processor<Surface>, { updateComponents }: Unit): void {
  const { surfaceId, components } = updateComponents ?? {};
  const [component] = (components ?? []) as readonly ({
    readonly id?: unknown;
    readonly component?: unknown;
  } | null)[];
  const surface = processor.model.surfacesMap.get(surfaceId as string);
  if (component === undefined || surface === undefined) return;
  if (typeof component?.id !== 'string') throw new Error(`A component of ${quote(surface.id)} has no id.`);
  const { id, component: type } = component;
  if (type === undefined || surface.catalog.components.has(type as string)) return;
  throw new Error(
    `The component ${quote(id)} is of the type ${quote(type)}, which the catalog does not have.`,
  );
}

/** Refuses a surface that names its components so often, or so deep, that it would draw too many. */
function assertBounded({ id, componentsModel, dataModel }: Surface): void {
  const open = new Set<string>();
  let parts = 0;
  const visit = (componentId: string, base: string): void => {
    const component = componentsModel.get(componentId);
    const place = `${componentId} ${base}`;
    if (component === undefined || open.has(place)) return;
    if (++parts > most.parts)
      throw new Error(`The surface ${quote(id)} draws more than ${most.parts} parts.`);
    open.add(place);
    if (open.size > most.depth)
      throw new Error(`The surface ${quote(id)} has more than ${most.depth} components in each other.`);
    read(component.properties, base);
    open.delete(place);
  };
  const read = (value: unknown, base: string): void => {
    if (typeof value === 'string') return visit(value, base);
    if (typeof value !== 'object' || value === null) return;
    const { componentId, path } = value as { readonly componentId?: unknown; readonly path?: unknown };
    if (typeof componentId !== 'string' || typeof path !== 'string')
      return Object.values(value).forEach((inner) => read(inner, base));
    const list = path.startsWith('/') ? path : `${base}/${path}`;
    const items = dataModel.get(list);
    if (Array.isArray(items)) items.forEach((_, index) => visit(componentId, `${list}/${index}`));
  };
  visit('root', '');
}

const quote = (value: unknown): string => JSON.stringify(value)?.slice(0, 100) ?? 'undefined';
