// The namespace `Tool`: lists of tools, and what a model is told about one.
export { inputSchemaOf as inputSchema } from '../agent/json-schema-of.ts';
export { filter, get, merge, withoutTool, withTool } from '../agent/tool-list.ts';
