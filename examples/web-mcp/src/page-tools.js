// A script of the page, as WebMCP shows it.
document.modelContext?.registerTool({
  name: 'get_weather',
  description: 'Get the weather in a city',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'number' } },
    required: ['city', 'days'],
  },
  annotations: { readOnlyHint: true },
  execute: ({ city }) => ({ city, temperature: 21 }),
});
