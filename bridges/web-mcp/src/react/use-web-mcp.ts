'use client';

import type { AgentDefinition } from '@vitrine/core';
import { offerAgentTools } from '../offer-agent-tools.ts';
import { useEffect } from 'react';

/**
 * Offers the tools of an agent to the agents of the browser (WebMCP) while the component is mounted. Nothing happens in
 * browsers without it. Calls that need an approval are refused, because they belong to no session.
 * @example
 * useWebMcp(agent);
 */
export function useWebMcp(agent: AgentDefinition): void {
  useEffect(() => offerAgentTools(agent), [agent]);
}
