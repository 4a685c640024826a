'use client';

import { defineTool, type JsonObject, type Tool } from '@vitrine/react';
import { createSurfaces, most, type Processor, type Surface } from './a2ui-surfaces.tsx';

type Messages = { readonly messages: readonly JsonObject[] };

const meaning =
  'A message has the version and one other key. Components stand in one flat list and name each other by id: a ComponentId is ' +
  'an id; a ChildList is a list of ids, or { componentId, path } for one of each item of a list in the data. A dynamic value ' +
  'is a literal, or { path } to a place in the data, which a field also writes. An Action is { event: { name, context } }, ' +
  'whose context is an object of dynamic values. The catalogs:';
const description =
  'Shows the person an interface: a list of messages of A2UI v0.9. Each call begins without surfaces, so create one first, ' +
  'then give it components, one of them with the id "root", and data. An action of the person is told to you later.';

/**
 * A tool by which the model shows interfaces of A2UI, which `a2uiView` draws. Its schema has the components of the
 * catalogs. Messages that would not show are refused with the reason, so that the model writes others.
 * @example
 * const showInterface = a2uiTool(() => new MessageProcessor([basicCatalog]));
 */
export function a2uiTool(
  createProcessor: () => Processor<Surface>,
): Tool<Messages, string, 'show_interface'> {
  const catalogs = catalogsOf(createProcessor());
  const names = catalogs.flatMap(({ components }) => Object.keys(components));
  const surfaceId = { type: 'string' };
  const messageOf = (properties: JsonObject, required: readonly string[]): JsonObject => ({
    type: 'object',
    properties: { surfaceId, ...properties },
    required: ['surfaceId', ...required],
  });
  const component = {
    type: 'object',
    properties: { id: { type: 'string' }, component: { enum: names } },
    required: ['id', 'component'],
  };
  const message = {
    type: 'object',
    properties: {
      version: { const: 'v0.9' },
      createSurface: messageOf({ catalogId: { type: 'string' }, sendDataModel: { type: 'boolean' } }, [
        'catalogId',
      ]),
      updateComponents: messageOf({ components: { type: 'array', items: component } }, ['components']),
      updateDataModel: messageOf({ path: { type: 'string' }, value: {} }, []),
      deleteSurface: messageOf({}, []),
    },
    required: ['version'],
  };
  const messages = {
    type: 'array',
    items: message,
    maxItems: most.units,
    description: `${meaning} ${JSON.stringify(catalogs)}`,
  };
  return defineTool({
    name: 'show_interface',
    description,
    input: {
      '~standard': {
        version: 1,
        vendor: 'vitrine',
        validate(value) {
          const { messages: given } = Object(value) as Partial<Messages>;
          const { problem } = createSurfaces(createProcessor).take(given, true);
          return problem === null ? { value: value as Messages } : { issues: [{ message: problem }] };
        },
      },
    },
    inputSchema: { type: 'object', properties: { messages }, required: ['messages'] },
    effects: 'idempotent',
    execute: () => 'The person sees it.',
  }) as Tool<Messages, string, 'show_interface'>;
}

type InlineCatalog = { readonly catalogId: string; readonly components: JsonObject };

/** The catalogs of a processor, with the schemas of their components and functions. */
function catalogsOf(processor: Processor<Surface>): readonly InlineCatalog[] {
  const byVersion = processor.getClientCapabilities({ includeInlineCatalogs: true });
  return Object.values(byVersion).flatMap(
    ({ inlineCatalogs = [] }: { readonly inlineCatalogs?: readonly InlineCatalog[] }) => inlineCatalogs,
  );
}
