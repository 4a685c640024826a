/** The English texts around the views of MCP servers. */
export const mcpAppTexts = {
  /** The accessible name of the frame. */
  frame: (toolName: string): string => `View of ${toolName}`,
  loading: 'Loading the view…',
  failed: (why: string): string => `The view cannot be shown: ${why}`,
  flooded: 'The view sent too much and was closed.',
  asks: {
    call: (toolName: string): string => `May the view call ${toolName}?`,
    link: 'May the view open this page?',
    message: 'May the view send this message for you?',
  },
  allow: 'Allow',
  refuse: 'Refuse',
};

/** The texts around the views of MCP servers. */
export type McpAppTexts = typeof mcpAppTexts;
