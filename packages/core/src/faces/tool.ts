// The namespace `Tool`: lists of tools, and the description of a tool for the model.
export { inputSchemaOf as inputSchema } from '../agent/json-schema-of.ts';
export { filter, get, merge, withoutTool, withTool } from '../agent/tool.ts';
