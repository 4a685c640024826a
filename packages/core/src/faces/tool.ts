// The namespace `Tool`: lists of tools.
export { filter, get, merge, withoutTool, withTool } from '../agent/tool-list.ts';
