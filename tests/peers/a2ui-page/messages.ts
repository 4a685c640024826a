const version = 'v0.9';
const catalogId = 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json';
const surfaceId = 'table';
const create = { version, createSurface: { surfaceId, catalogId, sendDataModel: true } };

/** A form with a field, a choice, a list of the data, and a button that sends them. */
export const booking = [
  create,
  {
    version,
    updateComponents: {
      surfaceId,
      components: [
        { id: 'root', component: 'Card', child: 'form' },
        { id: 'form', component: 'Column', children: ['title', 'name', 'outside', 'dishes', 'book'] },
        { id: 'title', component: 'Text', text: 'A table for two', variant: 'h2' },
        { id: 'name', component: 'TextField', label: 'Your name', value: { path: '/name' } },
        { id: 'outside', component: 'CheckBox', label: 'Outside', value: { path: '/outside' } },
        { id: 'dishes', component: 'List', children: { componentId: 'dish', path: '/dishes' } },
        { id: 'dish', component: 'Text', text: { path: 'name' } },
        {
          id: 'book',
          component: 'Button',
          child: 'bookText',
          variant: 'primary',
          action: { event: { name: 'book', context: { name: { path: '/name' } } } },
        },
        { id: 'bookText', component: 'Text', text: 'Book it' },
      ],
    },
  },
  {
    version,
    updateDataModel: {
      surfaceId,
      value: { name: 'Ann', outside: false, dishes: [{ name: 'Soup' }, { name: 'Dumplings' }] },
    },
  },
];

/** It asks for a component that no catalog has. */
export const brokenSurface = [
  create,
  { version, updateComponents: { surfaceId, components: [{ id: 'root', component: 'Rocket' }] } },
];
